"""Other measures of the same summaries, beside the scores: means by system, and how they go together with scores."""

from collections.abc import Callable, Mapping, Sequence

from scoring.report.structure import PEOPLE, JudgeName, MetricCorrelation, MetricFigures, RougeFigures, SummaryFigures
from scoring.statistics.booookscore import mean_score
from scoring.statistics.correlation import pearson, spearman
from scoring.statistics.intervals import bootstrap_mean
from scoring.statistics.rouge import NO_REFERENCE
from scoring.statistics.statistic import Statistic

ROUGE = "ROUGE-L"

Score = Callable[[SummaryFigures], float | None]


def rouge_figures(scores: Sequence[float], seed: int) -> RougeFigures:
    """The mean over the summaries of a system that have a score, which it is given."""
    if not scores:
        return RougeFigures(Statistic.undefined(NO_REFERENCE), 0, bootstrap_mean([]))
    return RougeFigures(mean_score(scores), len(scores), bootstrap_mean(scores, seed))


def metric_figures(
    values: Mapping[str, Mapping[int, float]], summaries: Sequence[SummaryFigures], judges: Sequence[JudgeName]
) -> list[MetricFigures]:
    """`values`: name -> summary -> figure."""
    sources: dict[str, Score] = {PEOPLE: _by_people, **{judge.label: _by_judge(judge.label) for judge in judges}}
    return [
        MetricFigures(
            name=name,
            systems=_means(of_summary, summaries),
            correlations=[
                found
                for source, score in sources.items()
                if (found := _correlation(source, score, of_summary, summaries)).n
            ],
        )
        for name, of_summary in values.items()
    ]


def _by_people(summary: SummaryFigures) -> float | None:
    return summary.human.sentence if summary.human else None


def _by_judge(label: str) -> Score:
    return lambda summary: summary.judges[label].score if label in summary.judges else None


def _means(values: Mapping[int, float], summaries: Sequence[SummaryFigures]) -> dict[str, tuple[float, int]]:
    """System -> mean, and of how many summaries."""
    found: dict[str, list[float]] = {}
    for each in summaries:
        if each.id in values:
            found.setdefault(each.system, []).append(values[each.id])
    return {system: (sum(own) / len(own), len(own)) for system, own in found.items()}


def _correlation(
    source: str, score: Score, values: Mapping[int, float], summaries: Sequence[SummaryFigures]
) -> MetricCorrelation:
    """Over all summaries, of whatever system, that have both."""
    both = [(values[each.id], own) for each in summaries if each.id in values and (own := score(each)) is not None]
    figures, scores = [figure for figure, _ in both], [own for _, own in both]
    return MetricCorrelation(source, len(both), pearson(figures, scores), spearman(figures, scores))
