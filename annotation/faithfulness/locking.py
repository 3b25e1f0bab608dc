"""The plan as it is now, held until the transaction ends: whoever changes a plan or gives out its tasks asks here."""

from collections.abc import Iterable

from annotation.models import FaithfulnessPlan, Study, UnitVerdict
from annotation.services.studies import StudyError
from annotation.unit_judge.launch_plan import JUDGE_UNITS
from summarizer.models import JobItem, Summary


def locked_plan(plan: FaithfulnessPlan) -> FaithfulnessPlan:
    """The plan as it is now; its study's row is the lock for all that changes plans and gives out tasks."""
    study = Study.objects.select_for_update().get(pk=plan.study_id)
    current = FaithfulnessPlan.objects.select_related("study").filter(pk=plan.pk).first()
    if current is None:
        raise StudyError("This plan was deleted meanwhile.")
    require_running(study)
    return current


def locked_in_setup(plan: FaithfulnessPlan, otherwise: str) -> FaithfulnessPlan:
    current = locked_plan(plan)
    if current.state != FaithfulnessPlan.State.SETUP:
        raise StudyError(otherwise)
    return current


def require_running(study: Study) -> None:
    if study.phase == Study.Phase.CLOSED:
        raise StudyError("This study is closed; nothing can be checked in it any more.")


def asked_of_judges(plan: FaithfulnessPlan) -> set[int]:
    """Ids of the summaries about whose units a judge was asked, or is being asked."""
    judged = UnitVerdict.objects.filter(unit__plan=plan).order_by().values_list("unit__summary")
    asked = JobItem.objects.filter(
        job__kind=JUDGE_UNITS, job__parameters__study=plan.study_id, state__in=JobItem.UNFINISHED, summary__isnull=False
    )
    return {summary for (summary,) in judged.union(asked.order_by().values_list("summary"))}


def require_no_judge(plan: FaithfulnessPlan, *, summaries: Iterable[Summary] | None = None) -> None:
    """Raises StudyError where a judge was asked about units of `summaries`, by default of any: its verdicts are paid,
    and go with the units."""
    asked = asked_of_judges(plan)
    if asked if summaries is None else asked & {summary.pk for summary in summaries}:
        raise StudyError("A judge was asked about these units, so they stay as they are.")
