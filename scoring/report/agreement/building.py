"""Building the agreement part of a study's report."""

from annotation.models import Annotator, ErrorType
from scoring.report.agreement.alternative import alternative_figures
from scoring.report.agreement.judges import judge_agreement, typed_positions
from scoring.report.agreement.people import people_agreement
from scoring.report.agreement.ranking import ranking_figures
from scoring.report.agreement.recall import recall_figures
from scoring.report.agreement.structure import AgreementOptions, AgreementReport
from scoring.report.structure import JudgeName, SummaryFigures
from scoring.selectors.captures import captures
from scoring.selectors.marks import StudyMarks, types_of_marks


def agreement_figures(
    marks: StudyMarks,
    judges: list[JudgeName],
    summaries: list[SummaryFigures],
    options: AgreementOptions | None = None,
    details_of: int | None = None,
) -> AgreementReport:
    """`summaries`: figures of `marks.summaries`, in the same order. Six queries, whatever the size of the study.

    `details_of`: the one judge whose error types are wanted, for a page; None for all.
    """
    types = types_of_marks(marks)
    typed = typed_positions(marks, types)
    keys = list(ErrorType.objects.order_by("order").values_list("key", flat=True))
    people = {person.annotator_id for summary in marks.summaries for person in summary.people}
    names = dict(Annotator.objects.filter(pk__in=people).values_list("pk", "pseudonym"))
    chosen = options or AgreementOptions()
    return AgreementReport(
        options=chosen,
        people=people_agreement(marks, typed, keys, names),
        judges=[
            judge_agreement(judge, marks, types, typed, keys if details_of in (None, judge.id) else [])
            for judge in judges
        ],
        alternative=alternative_figures(marks, judges, names, chosen.epsilon),
        recall=recall_figures(captures(marks), judges, marks.study.seed),
        ranking=ranking_figures(marks, summaries, judges, chosen.difference),
    )
