"""Building the agreement part of a study's report."""

from annotation.models import Annotator, ErrorType
from scoring.report.agreement.judges import judge_agreement
from scoring.report.agreement.people import people_agreement
from scoring.report.agreement.structure import AgreementOptions, AgreementReport
from scoring.report.structure import JudgeName
from scoring.selectors.marks import StudyMarks, types_of_marks


def agreement_figures(
    marks: StudyMarks, judges: list[JudgeName], options: AgreementOptions | None = None
) -> AgreementReport:
    """Three queries, whatever the size of the study."""
    types = types_of_marks(marks)
    keys = list(ErrorType.objects.order_by("order").values_list("key", flat=True))
    people = {person.annotator_id for summary in marks.summaries for person in summary.people}
    names = dict(Annotator.objects.filter(pk__in=people).values_list("pk", "pseudonym"))
    return AgreementReport(
        options=options or AgreementOptions(),
        people=people_agreement(marks, types, keys, names),
        judges=[judge_agreement(judge, marks, types, keys) for judge in judges],
    )
