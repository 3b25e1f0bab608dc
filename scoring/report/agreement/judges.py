"""A judge beside people: sentences, systems, error types, snapped spans, and the controls that it must beat."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy

from scoring.report.agreement.structure import ALWAYS_CLEAN, AgreementRow, JudgeAgreement, SpanFigures, TypeRow
from scoring.report.agreement.tables import Compared, added, by_book, by_system, is_mixed, row, table
from scoring.report.structure import JudgeName
from scoring.report.systems import MIXED_SPLITTERS
from scoring.selectors.differences import judge_only, people_only, scored_by_both
from scoring.selectors.marks import HumanSet, Judged, MarkedSummary, StudyMarks, TypesOfMarks
from scoring.statistics.agreement import NOTHING_MARKED
from scoring.statistics.estimate import Array, Estimate, estimate, estimates, ratio
from scoring.statistics.overlap import CHARACTERS, MARKS, PAIRED, SHARED, Mark, overlap_counts
from scoring.statistics.two_labels import ALL, BOTH, FIRST, always_clean, always_confused, kappa

NO_RULES = "The rule baseline has not judged these summaries. It costs nothing: launch it, and add it to the study."
IS_RULES = "This is the rule baseline."
NO_SUMMARY = "No summary was scored by both."
#: Summary -> for each of its people, in their order: error type -> sentences that a mark of theirs with it touches.
TypedPositions = Mapping[int, Sequence[Mapping[str, set[int]]]]


def judge_agreement(
    judge: JudgeName, marks: StudyMarks, types: TypesOfMarks, typed: TypedPositions, keys: list[str]
) -> JudgeAgreement:
    """`types`: mark -> its error types, `typed`: the same by person; `keys`: all error types, in their order."""
    seed = marks.study.seed
    summaries = scored_by_both(marks, judge.id)
    compared = [beside_people(summary, judge.id) for summary in summaries]
    rules, above = _rules(judge, marks, compared)
    return JudgeAgreement(
        judge=judge,
        row=row(judge.label, compared, seed, why=NO_SUMMARY),
        controls=[
            row(ALWAYS_CLEAN, compared, seed, always_clean, NO_SUMMARY),
            row("always confused", compared, seed, always_confused, NO_SUMMARY),
            rules,
        ],
        above_rules=above,
        systems=_systems(marks, compared),
        types=_type_rows(keys, summaries, judge.id, types, typed, seed),
        spans=snapped_spans(summaries, judge.id, seed),
        judge_only=sum(len(judge_only(summary, judge.id)) for summary in summaries),
        people_only=sum(len(people_only(summary, judge.id)) for summary in summaries),
    )


def beside_people(summary: MarkedSummary, judge_id: int) -> Compared:
    """Each person on the summary adds its sentences; those without a judgement are left out."""
    judged = summary.judges[judge_id]
    looked_at = summary.sentences - len(judged.absent)
    tables = (table(person.touched - judged.absent, judged.confused, looked_at) for person in summary.people)
    return Compared(summary, added(tables))


def _rules(judge: JudgeName, marks: StudyMarks, compared: list[Compared]) -> tuple[AgreementRow, Estimate]:
    """The rule baseline over the summaries that both scored, and how far the judge's kappa is above it there."""
    name, seed = "rule baseline", marks.study.seed
    if judge.is_baseline:
        return row(name, [], seed, why=IS_RULES), Estimate.undefined(IS_RULES)
    baseline = next((each for each in marks.judges if each.is_baseline), None)
    own = {each.summary.id: each for each in compared}
    summaries = [each for each in scored_by_both(marks, baseline.pk) if each.id in own] if baseline else []
    if baseline is None or not summaries:
        return row(name, [], seed, why=NO_RULES), Estimate.undefined(NO_RULES)
    of_rules = [beside_people(summary, baseline.pk) for summary in summaries]
    pairs = [
        Compared(summary, (*own[summary.id].counts, *rules.counts))
        for summary, rules in zip(summaries, of_rules, strict=True)
    ]
    if is_mixed(pairs):
        above = Estimate.undefined(MIXED_SPLITTERS)
    else:
        reason = "The kappa of one of them is not defined."
        above = estimate(by_book(pairs, 2 * len(ALL)), _kappa_above, reason=reason, seed=seed)
    return row(name, of_rules, seed), above


def _kappa_above(sums: Array) -> Array:
    return kappa(sums[..., : len(ALL)]) - kappa(sums[..., len(ALL) :])


def _systems(marks: StudyMarks, compared: Sequence[Compared]) -> list[AgreementRow]:
    of_systems = by_system(compared)
    return [
        row(system.name, of_systems[system.pk], marks.study.seed) for system in marks.systems if system.pk in of_systems
    ]


def _type_rows(
    keys: list[str],
    summaries: Sequence[MarkedSummary],
    judge_id: int,
    types: TypesOfMarks,
    typed: TypedPositions,
    seed: int,
) -> list[TypeRow]:
    if not keys:
        return []
    of_judge = [
        _by_type(((mark, (position,)) for position, mark in summary.judges[judge_id].marks.items()), types)
        for summary in summaries
    ]
    return [_type_row(key, summaries, judge_id, of_judge, typed, seed) for key in keys]


def _type_row(
    key: str,
    summaries: Sequence[MarkedSummary],
    judge_id: int,
    of_judge: Sequence[Mapping[str, set[int]]],
    typed: TypedPositions,
    seed: int,
) -> TypeRow:
    """`of_judge`: of each summary, error type -> sentences that the judge's marks with it are on."""
    compared, found = [], []
    nobody: set[int] = set()
    for summary, by_type in zip(summaries, of_judge, strict=True):
        judged = summary.judges[judge_id]
        looked_at = summary.sentences - len(judged.absent)
        by_judge = by_type.get(key, nobody)
        by_people = [each.get(key, nobody) - judged.absent for each in typed[summary.id]]
        if not by_judge and not any(by_people):
            clean = looked_at * len(by_people)
            compared.append(Compared(summary, (0, 0, 0, clean)))
            judge_marks = len(judged.confused) * len(by_people)
            found.append(Compared(summary, (0, 0, judge_marks, clean - judge_marks)))
            continue
        compared.append(Compared(summary, added(table(each, by_judge, looked_at) for each in by_people)))
        counts = (table(each, judged.confused, looked_at) for each in by_people)
        found.append(Compared(summary, added(counts)))
    any_type = estimate(by_book(found), ratio(BOTH, (BOTH, FIRST)), reason="People never named it.", seed=seed)
    if is_mixed(compared):
        any_type = Estimate.undefined(MIXED_SPLITTERS)
    return TypeRow(row(key, compared, seed, why=NO_SUMMARY), any_type)


def typed_positions(marks: StudyMarks, types: TypesOfMarks) -> TypedPositions:
    """`types`: mark -> its error types."""
    return {
        summary.id: [_by_type(zip(person.ids, person.marks, strict=True), types) for person in summary.people]
        for summary in marks.summaries
    }


def _by_type(marks: Iterable[tuple[int, Iterable[int]]], types: TypesOfMarks) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for mark, touched in marks:
        for key in types.get(mark, ()):
            found[key].update(touched)
    return found


def snapped_spans(summaries: Sequence[MarkedSummary], judge_id: int, seed: int) -> SpanFigures:
    """People's marks snapped to sentences beside the judge's, which are sentences already."""
    compared = [
        Compared(summary, overlap_counts(_snapped(summary, person, judged), _marks(summary, judged)))
        for summary in summaries
        if (judged := summary.judges[judge_id])
        for person in summary.people
    ]
    return span_figures(compared, seed)


def _snapped(summary: MarkedSummary, person: HumanSet, judged: Judged) -> list[Mark]:
    """Each span from the start of the first sentence that it touches to the end of the last."""
    ranges = summary.ranges
    marks: list[Mark] = []
    for touched in person.touching:
        places = {(ranges[each[0]][0], ranges[each[-1]][1]) for each in touched if each}
        if places and judged.absent.isdisjoint(chain.from_iterable(touched)):
            marks.append(sorted(places))
    return marks


def _marks(summary: MarkedSummary, judged: Judged) -> list[Mark]:
    return [[summary.ranges[position]] for position in sorted(judged.confused)]


def span_figures(compared: Sequence[Compared], seed: int) -> SpanFigures:
    """From `overlap_counts` of pairs of sets."""
    formulas = {
        "exact": (ratio(PAIRED, MARKS), NOTHING_MARKED if compared else NO_SUMMARY),
        "characters": (ratio(SHARED, CHARACTERS), NOTHING_MARKED if compared else NO_SUMMARY),
    }
    found = estimates(numpy.atleast_2d(by_book(compared)), formulas, seed=seed)
    return SpanFigures(found["exact"], found["characters"], len(compared))
