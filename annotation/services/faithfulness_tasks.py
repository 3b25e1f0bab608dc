"""What both kinds of faithfulness tasks share: when one takes answers, and how it is submitted and taken back."""

from django.utils import timezone

from annotation.access import GONE, NoSuchTask
from annotation.models import Assignment, Purpose, Study
from annotation.selectors.faithfulness_tasks import is_open
from annotation.services.faithfulness_errors import FaithfulnessLocked

CLOSED = "The study has stopped taking answers. What was saved before is kept; nothing was changed now."
TEST_DONE = "You submitted this test, so your answers stay as they are."


def locked(assignment: Assignment) -> Assignment:
    """The task as it is now, its row locked: whoever ends tasks locks it too, so no answer crosses the end.

    Raises NoSuchTask where it is gone.
    """
    tasks = Assignment.all_purposes.select_related("study").select_for_update(of=("self",))
    if (current := tasks.filter(pk=assignment.pk).first()) is None:
        raise NoSuchTask(GONE)
    return current


def require_open(current: Assignment) -> None:
    """Raises FaithfulnessLocked for a task that takes no answers."""
    if current.state == Assignment.State.SUBMITTED:
        if current.purpose == Purpose.QUALIFICATION:
            raise FaithfulnessLocked("submitted", TEST_DONE)
        raise FaithfulnessLocked("submitted", "You submitted this task. Take it back to change your answers.")
    if current.state != Assignment.State.OPEN or not is_open(current):
        raise FaithfulnessLocked("closed", CLOSED)


def end(current: Assignment) -> Assignment:
    current.state, current.ended_at = Assignment.State.SUBMITTED, timezone.now()
    current.save(update_fields=["state", "ended_at"])
    return current


def open_again(assignment: Assignment) -> Assignment:
    """Take a submission back while the plan is open: its answers are a draft again. Call it in a transaction."""
    # In this order everywhere: study, then task.
    Study.objects.select_for_update().get(pk=assignment.study_id)
    current = locked(assignment)
    if current.state == Assignment.State.OPEN:
        return current
    if current.purpose == Purpose.QUALIFICATION:
        raise FaithfulnessLocked("closed", TEST_DONE)
    if current.state != Assignment.State.SUBMITTED or not is_open(current):
        raise FaithfulnessLocked("closed", "This task is closed, so your answers stay as you submitted them.")
    current.state, current.ended_at = Assignment.State.OPEN, None
    current.save(update_fields=["state", "ended_at"])
    return current
