"""Judges of units beside people: scores, coverage, bounds and cost, and agreement."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from scoring.selectors.faithfulness import CheckedSummary, StudyFaithfulness
from scoring.selectors.unit_judges import JudgeOfUnits, UnitCost
from scoring.statistics.estimate import Estimate, estimate, ratio
from scoring.statistics.faithfulness import sums_by_book
from scoring.statistics.hints import Accuracy, Judgement, accuracy
from scoring.statistics.statistic import Statistic
from scoring.statistics.unit_judge import (
    PairedScores,
    SharedUnit,
    UnitAgreementWith,
    UnitScore,
    beside_people,
    paired_scores,
    people_beside_people,
    unit_score,
)

NOTHING_COMPLETE = "No summary has a readable judgement of every unit."
NOTHING_JUDGED = "No summary was judged."


@dataclass(frozen=True)
class JudgedSummary:
    """A judge on one summary, a repeated unit counted at each of its places."""

    id: int
    #: Of the book, where books are resampled (`places_of_books`).
    book_place: int
    book: str
    system: str
    units: int
    supported: int
    unsupported: int
    unparsed: int
    score: UnitScore
    #: Mean over the people who judged units of it, and how many they are.
    people_score: float | None
    people: int


@dataclass(frozen=True)
class JudgedSystem:
    """`judged` of its `summaries` have verdicts, and `n` of those are complete and make the score."""

    system: str
    summaries: int
    judged: int
    n: int
    #: Mean over the complete summaries, 0 to 100, with an interval over books.
    score: Estimate
    #: Share of the units of the judged summaries with a readable judgement.
    coverage: float | None
    #: Means over the judged summaries with all other units not supported, and all supported.
    low: Statistic
    high: Statistic
    paired: PairedScores
    calls: int
    #: None where a price is not known.
    cost_usd: float | None
    #: Beside people, and people beside each other, on summaries of the system.
    agreement: UnitAgreementWith
    among_people: UnitAgreementWith


@dataclass(frozen=True)
class UnitJudgeFigures:
    id: int
    name: str
    model: str
    passages: int
    temperature: float | None
    repeat: int
    is_sample: bool
    calls: int
    cost_usd: float | None
    #: Over all systems together.
    paired: PairedScores
    agreement: UnitAgreementWith
    #: Against units whose truth is known, and how many such units have no readable judgement.
    accuracy: Accuracy
    known_unjudged: int
    systems: list[JudgedSystem]
    #: Those that were judged.
    summaries: list[JudgedSummary]

    @property
    def scores(self) -> dict[int, float]:
        """By summary, of those that are complete."""
        return {each.id: each.score.score.value for each in self.summaries if each.score.score.value is not None}


@dataclass(frozen=True)
class UnitJudges:
    """People beside each other on units, and each judge of units."""

    among_people: UnitAgreementWith
    judges: list[UnitJudgeFigures]


def unit_judges(found: StudyFaithfulness) -> UnitJudges:
    seed = found.study.seed
    shared = {summary.id: _shared(summary) for summary in found.summaries}
    everything = [unit for units in shared.values() for unit in units]
    return UnitJudges(
        among_people=people_beside_people(everything, seed),
        judges=[_figures(judge, found, shared) for judge in found.judges],
    )


def _shared(summary: CheckedSummary) -> list[SharedUnit]:
    said: dict[int, dict[int, bool]] = defaultdict(dict)
    for task in summary.fine:
        for each in task.judged:
            said[each.unit_id][task.annotator_id] = each.supported
    return [SharedUnit(summary.book_place, unit, people) for unit, people in said.items()]


def _figures(
    judge: JudgeOfUnits, found: StudyFaithfulness, shared: Mapping[int, Sequence[SharedUnit]]
) -> UnitJudgeFigures:
    seed, readable = found.study.seed, _readable(judge)
    summaries = [_summary(judge, summary, found) for summary in found.summaries]
    judged = {each.id: each for each in summaries if each is not None}
    cost = _sum_of(judge.costs.values())
    return UnitJudgeFigures(
        id=judge.judge.pk,
        name=judge.judge.pseudonym,
        model=judge.judge.model,
        passages=judge.judge.passages,
        temperature=judge.judge.temperature,
        repeat=judge.judge.repeat,
        is_sample=judge.judge.is_sample,
        calls=cost.calls,
        cost_usd=cost.usd,
        paired=_paired(judged.values(), seed),
        agreement=beside_people((unit for units in shared.values() for unit in units), readable, seed),
        accuracy=accuracy(_judgements(judge, found.truths)),
        known_unjudged=len((found.truths.keys() & found.places.keys()) - readable.keys()),
        systems=[_system(judge, rows, judged, shared, seed) for rows in _by_system(found.summaries) if judged],
        summaries=list(judged.values()),
    )


def _by_system(summaries: Iterable[CheckedSummary]) -> list[list[CheckedSummary]]:
    rows: dict[str, list[CheckedSummary]] = {}
    for summary in summaries:
        rows.setdefault(summary.system, []).append(summary)
    return list(rows.values())


def _system(
    judge: JudgeOfUnits,
    rows: Sequence[CheckedSummary],
    judged: Mapping[int, JudgedSummary],
    shared: Mapping[int, Sequence[SharedUnit]],
    seed: int,
) -> JudgedSystem:
    own = [judged[row.id] for row in rows if row.id in judged]
    complete = [(each.book_place, (each.score.score.value, 1)) for each in own if each.score.score.value is not None]
    units = [unit for row in rows for unit in shared[row.id]]
    total = sum(each.units for each in own)
    cost = judge.costs.get(rows[0].system_id, UnitCost(0, None))
    return JudgedSystem(
        system=rows[0].system,
        summaries=len(rows),
        judged=len(own),
        n=len(complete),
        score=estimate(sums_by_book(complete), ratio(0, 1), reason=NOTHING_COMPLETE, seed=seed),
        coverage=sum(each.supported + each.unsupported for each in own) / total if total else None,
        low=_mean([each.score.low for each in own]),
        high=_mean([each.score.high for each in own]),
        paired=_paired(own, seed),
        calls=cost.calls,
        cost_usd=cost.usd,
        agreement=beside_people(units, _readable(judge), seed),
        among_people=people_beside_people(units, seed),
    )


def _summary(judge: JudgeOfUnits, summary: CheckedSummary, found: StudyFaithfulness) -> JudgedSummary | None:
    """None where the judge has no verdict on it."""
    verdicts = [(unit, judge.verdicts[unit]) for unit in summary.unit_ids if unit in judge.verdicts]
    if not verdicts:
        return None
    places = {
        state: sum(found.places[unit] for unit, said in verdicts if said is state) for state in (True, False, None)
    }
    return JudgedSummary(
        id=summary.id,
        book_place=summary.book_place,
        book=summary.book,
        system=summary.system,
        units=summary.units,
        supported=places[True],
        unsupported=places[False],
        unparsed=places[None],
        score=unit_score(units=summary.units, supported=places[True], unsupported=places[False]),
        people_score=fmean(task.score for task in summary.fine) if summary.fine else None,
        people=len(summary.fine),
    )


def _paired(judged: Iterable[JudgedSummary], seed: int) -> PairedScores:
    rows = [(each.book_place, each.people_score, each.score.score.value) for each in judged]
    return paired_scores([(book, one, two) for book, one, two in rows if one is not None and two is not None], seed)


def _readable(judge: JudgeOfUnits) -> dict[int, bool]:
    return {unit: said for unit, said in judge.verdicts.items() if said is not None}


def _judgements(judge: JudgeOfUnits, truths: Mapping[int, bool]) -> list[Judgement]:
    return [
        Judgement(person=judge.judge.pk, unit=unit, supported=said, hints=False, expected=truths.get(unit))
        for unit, said in _readable(judge).items()
    ]


def _mean(values: Sequence[float | None]) -> Statistic:
    known = [value for value in values if value is not None]
    return Statistic.of(sum(known) / len(known)) if known else Statistic.undefined(NOTHING_JUDGED)


def _sum_of(costs: Iterable[UnitCost]) -> UnitCost:
    """None as soon as one is not known, or where there is none (an imported judge)."""
    known = list(costs)
    amounts = [each.usd for each in known if each.usd is not None]
    return UnitCost(sum(each.calls for each in known), sum(amounts) if known and len(amounts) == len(known) else None)
