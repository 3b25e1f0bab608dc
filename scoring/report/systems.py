"""Scores of a system: people, each judge, and people beside a judge over the summaries that both scored."""

from collections.abc import Callable, Sequence

from scoring.report.structure import (
    HumanFigures,
    HumanSummary,
    JudgeFigures,
    JudgeName,
    JudgeSummary,
    PairedFigures,
    SummaryFigures,
)
from scoring.selectors.marks import MarkedSummary
from scoring.statistics.agreement import detected
from scoring.statistics.booookscore import mean_score
from scoring.statistics.correlation import kendall, pearson, spearman
from scoring.statistics.intervals import Interval, bootstrap_mean
from scoring.statistics.pool import pair_agreement
from scoring.statistics.statistic import Statistic

MIXED_SPLITTERS = "The summaries were split into sentences by different splitters, and such scores are never averaged."
NOT_READ = "This is computed for the report only, not for the dashboard."
NOTHING_SHARED = "No summary was scored by both."


def human_figures(summaries: Sequence[MarkedSummary], figures: Sequence[SummaryFigures], seed: int) -> HumanFigures:
    scored = [figure.human for figure in figures if figure.human]
    mean = averaging([summary for summary in summaries if summary.people])
    published, by_sentence = [each.published for each in scored], [each.sentence for each in scored]
    return HumanFigures(
        published=mean(published),
        sentence=mean(by_sentence),
        unit=_unit(mean, scored),
        n=len(scored),
        annotations=sum(each.annotations for each in scored),
        published_interval=interval_of(mean, published, seed),
        sentence_interval=interval_of(mean, by_sentence, seed),
    )


def _unit(mean: Callable[[Sequence[float]], Statistic], scored: Sequence[HumanSummary]) -> Statistic:
    units = [each.unit for each in scored if each.unit is not None]
    return Statistic.undefined(NOT_READ) if scored and not units else mean(units)


def judge_figures(
    judge: JudgeName,
    summaries: Sequence[MarkedSummary],
    figures: Sequence[SummaryFigures],
    seed: int,
    cost_usd: float | None = None,
) -> JudgeFigures:
    judged = [figure.judges[judge.label] for figure in figures if judge.label in figure.judges]
    mean = averaging([summary for summary in summaries if judge.id in summary.judges])
    scores = [each.score for each in judged if each.score is not None]
    absent = sum(each.absent for each in judged)
    return JudgeFigures(
        judge=judge,
        score=mean(scores),
        n=len(scores),
        judged=len(judged),
        sentences=sum(figure.sentences for figure in figures if judge.label in figure.judges) - absent,
        unparsed=sum(each.unparsed for each in judged),
        absent=absent,
        low=mean([each.low for each in judged]),
        high=mean([each.high for each in judged]),
        cost_usd=cost_usd,
        interval=interval_of(mean, scores, seed),
        paired=_paired(judge, summaries, figures, seed),
    )


def _paired(
    judge: JudgeName, summaries: Sequence[MarkedSummary], figures: Sequence[SummaryFigures], seed: int
) -> PairedFigures:
    pairs = [
        (summary, figure.human, score)
        for summary, figure in zip(summaries, figures, strict=True)
        if figure.human and (score := _final(figure.judges.get(judge.label))) is not None
    ]
    mean = averaging([summary for summary, _, _ in pairs], nothing=NOTHING_SHARED)
    people: list[HumanSummary] = [human for _, human, _ in pairs]
    published, by_sentence = [human.published for human in people], [human.sentence for human in people]
    scores = [score for _, _, score in pairs]
    differences = [human - score for human, score in zip(by_sentence, scores, strict=True)]
    both, by_people, by_judge, sentences = _sentences(judge, [summary for summary, _, _ in pairs])
    found = detected(both=both, in_truth=by_people, in_predicted=by_judge, items=sentences)
    agreement = pair_agreement(
        both=both,
        first_only=by_people - both,
        second_only=by_judge - both,
        neither=sentences - by_people - by_judge + both,
    )
    return PairedFigures(
        n=len(pairs),
        human_published=mean(published),
        human_sentence=mean(by_sentence),
        judge=mean(scores),
        difference=mean(differences),
        difference_interval=interval_of(mean, differences, seed),
        pearson=pearson(published, scores),
        spearman=spearman(published, scores),
        kendall=kendall(published, scores),
        sentences=sentences,
        kappa=agreement.kappa,
        precision=found.precision,
        recall=found.recall,
        f1=found.f1,
        prevalence_human=found.truth_prevalence,
        prevalence_judge=found.predicted_prevalence,
    )


def _final(judged: JudgeSummary | None) -> float | None:
    return judged.score if judged else None


def _sentences(judge: JudgeName, summaries: Sequence[MarkedSummary]) -> tuple[int, int, int, int]:
    """Sentences marked by both, by people, by the judge, and all. Each person on a summary adds its sentences."""
    both = by_people = by_judge = sentences = 0
    for summary in summaries:
        judged = summary.judges[judge.id]
        for person in summary.people:
            touched = person.touched - judged.absent if judged.absent else person.touched
            both += len(touched & judged.confused)
            by_people += len(touched)
            by_judge += len(judged.confused)
            sentences += summary.sentences - len(judged.absent)
    return both, by_people, by_judge, sentences


def averaging(summaries: Sequence[MarkedSummary], nothing: str = "") -> Callable[[Sequence[float]], Statistic]:
    """The mean over summaries, undefined where they were split into sentences in different ways."""
    mixed = len({summary.splitter for summary in summaries}) > 1

    def mean(values: Sequence[float]) -> Statistic:
        if mixed:
            return Statistic.undefined(MIXED_SPLITTERS)
        if not values and nothing:
            return Statistic.undefined(nothing)
        return mean_score(values)

    return mean


def interval_of(mean: Callable[[Sequence[float]], Statistic], values: Sequence[float], seed: int) -> Interval:
    if values and (reason := mean(values).reason):
        return Interval(None, None, reason=reason)
    return bootstrap_mean(values, seed)
