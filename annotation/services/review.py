"""A reviewer's decisions: saved one by one as they are made, locked when the task is submitted."""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.access import GONE, NoSuchTask, is_unblinded
from annotation.models import Assignment, ReviewDecision, ReviewItem, Study
from annotation.selectors.review import items_of, undecided

#: What a reviewer is told whose task an unblinding ended or froze.
UNBLINDED = "The researchers have opened the sources of these marks, so all answers are final. Nothing was changed."

Agreement = ReviewDecision.Agreement
Reason = ReviewDecision.Reason


class ReviewError(Exception):
    """The decision can't be stored as it is."""

    code = "invalid"


class ReviewIncomplete(ReviewError):
    """Marks without an answer are left."""

    code = "incomplete"


class ReviewLocked(ReviewError):
    """The task was submitted, or its study has moved on."""

    code = "locked"


@transaction.atomic
def decide(
    *,
    assignment: Assignment,
    item_key: UUID,
    agreement: str,
    reasons: Collection[str] = (),
    comment: str = "",
    guidelines_id: int | None = None,
) -> ReviewDecision:
    """Store what the reviewer thinks of a mark; sent again, it is simply stored again.

    Reasons are required for partial agreement and dropped otherwise; the reason "other" needs a comment.
    Raises ReviewError, ReviewLocked, or Http404 for an item that is not part of the task.
    """
    current = locked_task(assignment)
    require_open(current)
    decision, _ = ReviewDecision.with_planted.update_or_create(
        item=_item(assignment, item_key),
        reviewer_id=assignment.annotator_id,
        defaults={
            "agreement": agreement,
            "reasons": _checked_reasons(agreement, reasons, comment),
            "comment": comment,
            "guidelines_id": guidelines_id,
            "shown_as": current.study.review_shown_as,
        },
    )
    return decision


@transaction.atomic
def withdraw(*, assignment: Assignment, item_key: UUID) -> None:
    """Take back the answer on a mark of the task; without one nothing changes. Raises ReviewLocked."""
    require_open(locked_task(assignment))
    items = items_of(assignment).filter(key=item_key)
    ReviewDecision.with_planted.filter(item__in=items.values("pk"), reviewer=assignment.annotator_id).delete()


def record_reviewing_time(*, assignment: Assignment, known_seconds: int, total_seconds: int) -> int:
    """Set the active time to `total_seconds` if it still is the `known_seconds` that the page last heard of.

    Compare-and-set, so that a repeated send adds nothing twice. Returns the time stored now, in seconds.
    """
    if total_seconds < known_seconds:
        raise ReviewError("Active time can only grow.")
    task = Assignment.objects.filter(pk=assignment.pk)
    task.filter(state=Assignment.State.OPEN, active_seconds=known_seconds).update(active_seconds=total_seconds)
    if (seconds := task.values_list("active_seconds", flat=True).first()) is None:
        raise NoSuchTask(GONE)
    return seconds


@transaction.atomic
def submit_review(*, assignment: Assignment) -> Assignment:
    """Lock the decisions. A second submit changes nothing. Raises ReviewIncomplete while marks have no answer."""
    current = locked_task(assignment)
    if current.state == Assignment.State.SUBMITTED:
        return current
    require_open(current)
    if left := undecided(current).count():
        raise ReviewIncomplete(f"{left} {'mark has' if left == 1 else 'marks have'} no answer yet.")
    current.state = Assignment.State.SUBMITTED
    current.ended_at = timezone.now()
    current.save(update_fields=["state", "ended_at"])
    return current


def _item(assignment: Assignment, key: UUID) -> ReviewItem:
    item = items_of(assignment).filter(key=key).first()
    if item is None:
        raise Http404("This mark is not part of your task.")
    return item


def _checked_reasons(agreement: str, reasons: Collection[str], comment: str) -> list[str]:
    if agreement not in Agreement.values:
        raise ReviewError("Answer with agree, partially agree or disagree.")
    if agreement != Agreement.PARTIAL:
        return []
    if unknown := set(reasons) - set(Reason.values):
        raise ReviewError(f"There is no reason {', '.join(sorted(unknown))}.")
    if not reasons:
        raise ReviewError("Choose what is wrong with the question.")
    if Reason.OTHER in reasons and not comment.strip():
        raise ReviewError("Say in the comment what else is wrong with the question.")
    return [reason for reason in Reason.values if reason in reasons]


def require_open(current: Assignment) -> None:
    """Raises ReviewLocked for a task that is submitted, or that its study no longer takes answers for."""
    if is_unblinded(current.study):
        raise ReviewLocked(UNBLINDED)
    if current.state == Assignment.State.SUBMITTED:
        raise ReviewLocked("You submitted this task, so its answers are locked.")
    if current.state != Assignment.State.OPEN or current.study.phase != Study.Phase.REVIEWING:
        raise ReviewLocked("This task is closed. Nothing was changed; ask the researchers if you need to.")


def locked_task(assignment: Assignment) -> Assignment:
    """The task as it is now, its row locked: whoever ends tasks locks it too, so no answer crosses the end.

    Raises NoSuchTask where it is gone.
    """
    tasks = Assignment.objects.select_related("study").select_for_update(of=("self",))
    if (current := tasks.filter(pk=assignment.pk).first()) is None:
        raise NoSuchTask(GONE)
    return current
