"""People beside each other: what a judge can be expected to reach."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from scoring.report.agreement.judges import TypedPositions, span_figures
from scoring.report.agreement.structure import AgreementRow, PeopleAgreement, PersonPair, SpanFigures
from scoring.report.agreement.tables import Compared, by_book, by_system, is_mixed, row, table
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.marks import MarkedSummary, StudyMarks
from scoring.statistics.agreement import ONE_LABEL
from scoring.statistics.estimate import Estimate, estimate
from scoring.statistics.overlap import overlap_counts
from scoring.statistics.two_labels import BOTH, FIRST, NEITHER, krippendorff_alpha

ALONE = "No summary was marked by two people."
#: Of a table: pairs of values that are both marked, that differ, that are both clean.
PAIRS = (BOTH, FIRST, NEITHER)


def people_agreement(
    marks: StudyMarks, typed: TypedPositions, keys: list[str], names: Mapping[int, str]
) -> PeopleAgreement:
    """`typed`: see `typed_positions`; `keys`: all error types, in their order; `names`: pseudonyms of people."""
    seed = marks.study.seed
    shared = [summary for summary in marks.summaries if len(summary.people) > 1]
    compared = [_each_other(summary, [person.touched for person in summary.people]) for summary in shared]
    of_systems = by_system(compared)
    return PeopleAgreement(
        row=row("people", compared, seed, why=ALONE),
        alpha=_alpha(compared, seed),
        systems=[row(each.name, of_systems[each.pk], seed) for each in marks.systems if each.pk in of_systems],
        types=[_type_row(key, shared, typed, seed) for key in keys],
        spans=_spans(shared, seed),
        pairs=_pairs(shared, names, seed),
    )


def _each_other(summary: MarkedSummary, positions: Iterable[Collection[int]]) -> Compared:
    """All pairs of people both ways; `positions`: what each of them marked."""
    people = len(summary.people)
    marking = Counter(position for each in positions for position in each).values()
    both, mixed = sum(each * (each - 1) for each in marking), sum(each * (people - each) for each in marking)
    return Compared(summary, (both, mixed, mixed, summary.sentences * people * (people - 1) - both - 2 * mixed))


def _type_row(key: str, summaries: Sequence[MarkedSummary], typed: TypedPositions, seed: int) -> AgreementRow:
    compared = [_each_other(summary, (each.get(key, ()) for each in typed[summary.id])) for summary in summaries]
    return row(key, compared, seed, why=ALONE)


def _alpha(compared: Sequence[Compared], seed: int) -> Estimate:
    """From the pairs of `_each_other`: a pair of values counts 1 / (people - 1)."""
    if is_mixed(compared):
        return Estimate.undefined(MIXED_SPLITTERS)
    coincidences = [
        Compared(each.summary, tuple(each.counts[column] / (len(each.summary.people) - 1) for column in PAIRS))
        for each in compared
    ]
    counts = by_book(coincidences, len(PAIRS))
    return estimate(counts, krippendorff_alpha, reason=ONE_LABEL if compared else ALONE, seed=seed)


def _spans(summaries: Sequence[MarkedSummary], seed: int) -> SpanFigures:
    compared = [
        Compared(summary, overlap_counts(first.spans, second.spans))
        for summary in summaries
        for first, second in combinations(summary.people, 2)
    ]
    found = span_figures(compared, seed)
    return found if compared else SpanFigures(Estimate.undefined(ALONE), Estimate.undefined(ALONE), 0)


def _pairs(summaries: Sequence[MarkedSummary], names: Mapping[int, str], seed: int) -> list[PersonPair]:
    """Those who share most sentences first."""
    found: dict[tuple[str, str], list[Compared]] = {}
    for summary in summaries:
        people = sorted(summary.people, key=lambda person: names[person.annotator_id])
        for first, second in combinations(people, 2):
            pair = names[first.annotator_id], names[second.annotator_id]
            counts = table(first.touched, second.touched, summary.sentences)
            found.setdefault(pair, []).append(Compared(summary, counts))
    pairs = [PersonPair(*pair, row(" / ".join(pair), compared, seed)) for pair, compared in found.items()]
    return sorted(pairs, key=lambda each: (-each.row.sentences, each.first, each.second))
