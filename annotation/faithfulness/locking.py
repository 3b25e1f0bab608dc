"""The plan as it is now, held until the transaction ends: whoever changes a plan or gives out its tasks asks here."""

from annotation.models import FaithfulnessPlan, Study
from annotation.services.studies import StudyError


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
