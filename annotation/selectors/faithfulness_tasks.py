"""The plan that a faithfulness task belongs to, and whether it still asks."""

from annotation.models import Assignment, FaithfulnessPlan, Purpose, Study


def plan_of(assignment: Assignment) -> FaithfulnessPlan:
    return FaithfulnessPlan.objects.get(study=assignment.study_id)


def is_open(assignment: Assignment) -> bool:
    """Whether the study still asks such questions."""
    plans = FaithfulnessPlan.objects.filter(study=assignment.study_id, state=FaithfulnessPlan.State.OPEN)
    return plans.exclude(study__phase=Study.Phase.CLOSED).exists()


def task_state(assignment: Assignment) -> dict[str, str | bool]:
    """{state, editable, reopenable} as pages have it."""
    asks = is_open(assignment)
    is_test = assignment.purpose == Purpose.QUALIFICATION
    return {
        "state": assignment.state,
        "editable": asks and assignment.state == Assignment.State.OPEN,
        "reopenable": asks and assignment.state == Assignment.State.SUBMITTED and not is_test,
    }
