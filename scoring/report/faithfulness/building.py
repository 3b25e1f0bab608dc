"""Building the faithfulness section of a study's report."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from annotation.faithfulness.sampling import Amount
from annotation.models import FaithfulnessPlan
from scoring.report.faithfulness.people import judgements_of, person_figures
from scoring.report.faithfulness.structure import (
    COARSE,
    FINE,
    FaithfulnessReport,
    HintFigures,
    MetricRow,
    PartialFigures,
    SpreadFigures,
    SummaryFaithfulness,
    SummaryScore,
    SystemFaithfulness,
    SystemScore,
)
from scoring.report.faithfulness.unit_judges import UnitJudges, unit_judges
from scoring.report.metrics import ROUGE
from scoring.report.structure import SummaryFigures
from scoring.selectors.faithfulness import CheckedSummary, StudyFaithfulness
from scoring.statistics.annotator_bootstrap import NOBODY, AnnotatorBootstrap, MetricCorrelation
from scoring.statistics.estimate import estimate, ratio
from scoring.statistics.faithfulness import (
    mean_spread,
    spread,
    spread_difference,
    sums_by_book,
    unit_agreement,
    units_of,
)
from scoring.statistics.hints import Judgement, accuracy, compare_hints
from scoring.statistics.learning import Learning, Times, learning_effect
from scoring.statistics.partial_annotation import FullTask, partial_annotation

NOT_BY_LOT = "Hints were not drawn by lot in this study, so there is nothing to compare."
#: Names of metrics of our own.
LENGTH, RATING = "Length in tokens", "Rating as a whole (COARSE)"

Scores = Callable[[CheckedSummary], list[float]]


def fine_scores(summary: CheckedSummary) -> list[float]:
    """One score a person who judged units, in percent."""
    return [task.score for task in summary.fine]


def coarse_scores(summary: CheckedSummary) -> list[float]:
    """One rating a person, in percent."""
    return [task.score for task in summary.coarse]


def faithfulness_report(found: StudyFaithfulness, judged: Sequence[SummaryFigures]) -> FaithfulnessReport:
    """`judged`: figures of the study's summaries, for the BooookScore of its judges."""
    seed = found.study.seed
    ways = {
        FINE: _Way([each for each in found.summaries if each.fine], fine_scores, seed),
        COARSE: _Way([each for each in found.summaries if each.coarse], coarse_scores, seed),
    }
    place_of = {summary.id: summary.book_place for summary in found.summaries}
    tasks = [task for summary in found.summaries for task in summary.fine]
    labels = [(place_of[task.summary_id], each.unit_id, each.supported) for task in tasks for each in task.judged]
    judgements, judges = judgements_of(tasks), unit_judges(found)
    return FaithfulnessReport(
        plan=found.plan,
        is_sample=found.is_sample,
        units=sum(summary.units for summary in found.summaries),
        judged=len({unit for _, unit, _ in labels}),
        judgements=len(labels),
        systems=_systems(found.summaries, ways),
        summaries=[_summary(summary) for summary in found.summaries if summary.fine or summary.coarse],
        spread=_spreads(found.summaries, seed),
        agreement=unit_agreement(units_of(labels), seed),
        metrics=_metrics(found, judged, judges, ways),
        partial=_partial(found.summaries, seed),
        learning=_learning(found.summaries, seed),
        hints=_hints(found.plan, judgements, seed),
        accuracy=accuracy(judgements),
        people=person_figures(tasks, judgements, found.people),
        unit_judges=judges,
    )


class _Way:
    """One way of asking, over the summaries that somebody answered for."""

    def __init__(self, summaries: list[CheckedSummary], scores: Scores, seed: int) -> None:
        self.summaries = summaries
        self.scores = [scores(each) for each in summaries]
        self.seed = seed
        self.people = AnnotatorBootstrap(self.scores, seed)

    def of_system(self, system: str) -> SystemScore:
        rows = [row for row, each in enumerate(self.summaries) if each.system == system]
        means = [(self.summaries[row].book_place, (float(self.people.means[row]), 1)) for row in rows]
        return SystemScore(
            n=len(rows),
            tasks=sum(len(self.scores[row]) for row in rows),
            score=self.people.mean(rows),
            over_books=estimate(sums_by_book(means), ratio(0, 1), reason=NOBODY, seed=self.seed),
        )

    def scores_by_summary(self) -> dict[int, float]:
        return {each.id: float(mean) for each, mean in zip(self.summaries, self.people.means, strict=True)}

    def correlations(self, metrics: Mapping[str, Mapping[int, float]]) -> dict[str, MetricCorrelation]:
        columns = {name: [values.get(each.id) for each in self.summaries] for name, values in metrics.items()}
        return self.people.correlations(columns)


def _systems(summaries: Iterable[CheckedSummary], ways: Mapping[str, _Way]) -> list[SystemFaithfulness]:
    counts: dict[str, int] = {}
    for summary in summaries:
        counts[summary.system] = counts.get(summary.system, 0) + 1
    return [
        SystemFaithfulness(system, count, ways[FINE].of_system(system), ways[COARSE].of_system(system))
        for system, count in counts.items()
    ]


def _summary(summary: CheckedSummary) -> SummaryFaithfulness:
    return SummaryFaithfulness(
        id=summary.id,
        book_place=summary.book_place,
        book=summary.book,
        system=summary.system,
        units=summary.units,
        fine=_score(fine_scores(summary)),
        coarse=_score(coarse_scores(summary)),
    )


def _score(scores: list[float]) -> SummaryScore | None:
    return SummaryScore(len(scores), sum(scores) / len(scores), spread(scores)) if scores else None


def _spreads(summaries: Iterable[CheckedSummary], seed: int) -> SpreadFigures:
    found = [(each.book_place, spread(fine_scores(each)), spread(coarse_scores(each))) for each in summaries]
    return SpreadFigures(
        fine=mean_spread([(book, fine) for book, fine, _ in found if fine], seed),
        coarse=mean_spread([(book, coarse) for book, _, coarse in found if coarse], seed),
        difference=spread_difference([(book, coarse, fine) for book, fine, coarse in found if fine and coarse], seed),
    )


def _metrics(
    found: StudyFaithfulness, judged: Sequence[SummaryFigures], judges: UnitJudges, ways: Mapping[str, _Way]
) -> list[MetricRow]:
    """Length, BooookScore of each judge, faithfulness by each judge of units, ROUGE-L and figures from elsewhere."""
    metrics: dict[str, Mapping[int, float]] = {LENGTH: {each.id: float(each.tokens) for each in found.summaries}}
    for label in dict.fromkeys(label for each in judged for label in each.judges):
        scores = {each.id: own.score for each in judged if (own := each.judges.get(label))}
        metrics[f"BooookScore by {label}"] = {key: score for key, score in scores.items() if score is not None}
    metrics |= {f"Faithfulness by {each.name}": each.scores for each in judges.judges}
    metrics |= found.metrics | ({ROUGE: found.rouge} if found.rouge else {})
    rated = ways[COARSE].scores_by_summary()
    fine = ways[FINE].correlations(metrics | ({RATING: rated} if rated else {}))
    coarse = ways[COARSE].correlations(metrics)
    return [MetricRow(name, fine.get(name), coarse.get(name)) for name in {**fine, **coarse}]


def _partial(summaries: Iterable[CheckedSummary], seed: int) -> PartialFigures:
    # Numbers of summaries say in which order their figures are added up, so they are places and not ids.
    tasks = [(place, summary, task) for place, summary in enumerate(summaries) for task in summary.fine]
    full = [FullTask(place, task.labels) for place, summary, task in tasks if len(task.judged) == summary.different]
    return PartialFigures(
        tasks=len(full),
        summaries=len({task.summary for task in full}),
        left_out=len(tasks) - len(full),
        rows=partial_annotation(full, _units_at, seed),
    )


def _units_at(percent: int, units: int) -> int:
    """As a plan that asks for this share draws them."""
    return Amount(share=percent / 100).of(units)


def _learning(summaries: Iterable[CheckedSummary], seed: int) -> Learning:
    tasks: dict[int, list[Times]] = {}
    for summary in summaries:
        for task in summary.fine:
            tasks.setdefault(task.annotator_id, []).append([each.seconds for each in task.judged])
    return learning_effect(tasks, seed)


def _hints(plan: FaithfulnessPlan, judgements: Sequence[Judgement], seed: int) -> HintFigures:
    if plan.hints != FaithfulnessPlan.Hints.RANDOMISED:
        return HintFigures(None, NOT_BY_LOT)
    return HintFigures(compare_hints(judgements, seed), "")
