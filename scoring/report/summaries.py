"""Scores of one summary."""

from scoring.report.structure import HumanSummary, JudgeName, JudgeSummary, SummaryFigures
from scoring.selectors.marks import Judged, MarkedSummary, StudyMarks
from scoring.statistics.booookscore import judge_score, published_score, sentence_score, unit_score


def summary_figures(
    summary: MarkedSummary, marks: StudyMarks, judges: list[JudgeName], *, with_units: bool = False
) -> SummaryFigures:
    """`with_units`: also by the third rule of people, which pages don't show and which takes longer than the others."""
    system = next(system.name for system in marks.systems if system.pk == summary.system_id)
    return SummaryFigures(
        id=summary.id,
        book_id=summary.book_id,
        book_place=summary.book_place,
        book=summary.book,
        system=system,
        sentences=summary.sentences,
        tokens=summary.tokens,
        human=_human(summary, with_units=with_units),
        judges={
            judge.label: figures
            for judge in judges
            if (judged := summary.judges.get(judge.id)) and (figures := _judge(summary, judged))
        },
    )


def _human(summary: MarkedSummary, *, with_units: bool) -> HumanSummary | None:
    """None where nobody submitted a set, or the summary has no sentences."""
    if not summary.people or not summary.sentences:
        return None
    people, sentences = summary.people, summary.sentences
    return HumanSummary(
        published=_mean([published_score(len(each.ids), sentences).value for each in people]),
        sentence=_mean([sentence_score(each.touched, sentences).value for each in people]),
        unit=_mean([unit_score(each.marks, sentences).value for each in people]) if with_units else None,
        annotations=sum(len(each.ids) for each in people),
        people=len(people),
    )


def _judge(summary: MarkedSummary, judged: Judged) -> JudgeSummary | None:
    score = judge_score(
        sentences=summary.sentences - len(judged.absent), confused=len(judged.confused), unparsed=len(judged.unparsed)
    )
    if score.low is None or score.high is None:
        return None
    return JudgeSummary(
        score=score.score.value,
        low=score.low,
        high=score.high,
        confused=len(judged.confused),
        unparsed=len(judged.unparsed),
        absent=len(judged.absent),
    )


def _mean(values: list[float | None]) -> float:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined)
