"""People beside each other: what a judge can be expected to reach."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy

from scoring.report.agreement.judges import positions_of_type, span_figures
from scoring.report.agreement.structure import AgreementRow, PeopleAgreement, PersonPair, SpanFigures
from scoring.report.agreement.tables import Compared, by_book, by_system, is_mixed, row, table
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.marks import HumanSet, MarkedSummary, StudyMarks
from scoring.statistics.agreement import ONE_LABEL
from scoring.statistics.estimate import Estimate, estimate
from scoring.statistics.overlap import overlap_counts
from scoring.statistics.two_labels import coincidences, krippendorff_alpha

ALONE = "No summary was marked by two people."


def people_agreement(
    marks: StudyMarks, types: Mapping[int, list[str]], keys: list[str], names: Mapping[int, str]
) -> PeopleAgreement:
    """`types`: mark -> its error types; `keys`: all error types, in their order; `names`: pseudonyms of people."""
    seed = marks.study.seed
    shared = [summary for summary in marks.summaries if len(summary.people) > 1]
    compared = [_each_other(summary, lambda person: person.touched) for summary in shared]
    of_systems = by_system(compared)
    return PeopleAgreement(
        row=row("people", compared, seed, why=ALONE),
        alpha=_alpha(shared, seed),
        systems=[row(each.name, of_systems[each.pk], seed) for each in marks.systems if each.pk in of_systems],
        types=[_type_row(key, shared, types, seed) for key in keys],
        spans=_spans(shared, seed),
        pairs=_pairs(shared, names, seed),
    )


def _each_other(summary: MarkedSummary, positions: Callable[[HumanSet], set[int]]) -> Compared:
    """All pairs of people both ways, from how many of them marked each sentence."""
    people = len(summary.people)
    marking = _marking(summary, positions)
    clean = people - marking
    mixed = float((marking * clean).sum())
    both, neither = float((marking * (marking - 1)).sum()), float((clean * (clean - 1)).sum())
    return Compared(summary, (both, mixed, mixed, neither))


def _marking(
    summary: MarkedSummary, positions: Callable[[HumanSet], set[int]]
) -> "numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]]":
    """For each sentence how many people marked it."""
    marking = numpy.zeros(summary.sentences)
    for person in summary.people:
        marking[list(positions(person))] += 1
    return marking


def _type_row(key: str, summaries: Sequence[MarkedSummary], types: Mapping[int, list[str]], seed: int) -> AgreementRow:
    def positions(person: HumanSet) -> set[int]:
        return positions_of_type(person, key, types)

    return row(key, [_each_other(summary, positions) for summary in summaries], seed, why=ALONE)


def _alpha(summaries: Sequence[MarkedSummary], seed: int) -> Estimate:
    compared = [
        Compared(summary, tuple(coincidences(_marking(summary, lambda person: person.touched), len(summary.people))))
        for summary in summaries
    ]
    if is_mixed(compared):
        return Estimate.undefined(MIXED_SPLITTERS)
    counts = by_book(compared, 3)
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
