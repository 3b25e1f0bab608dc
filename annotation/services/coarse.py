"""A person's rating of a summary as a whole: a draft with each change, counted once it is submitted; and the second
look at all ratings of a book's summaries, which keeps what they were at first."""

from django.db import transaction
from django.utils import timezone

from annotation.faithfulness.scales import SCALES
from annotation.models import Assignment, Rating
from annotation.selectors.coarse import rated_together
from annotation.selectors.faithfulness_tasks import is_open, plan_of
from annotation.services.faithfulness_errors import (
    FaithfulnessConflict,
    FaithfulnessError,
    FaithfulnessIncomplete,
    FaithfulnessLocked,
)
from annotation.services.faithfulness_tasks import end, locked, open_again, require_open

NOT_TOGETHER = "These ratings can't be changed together now. Look at your tasks to see where they stand."


@transaction.atomic
def save_rating(
    *, assignment: Assignment, base_version: int, value: int | None, comment: str, guidelines_id: int | None = None
) -> Rating:
    """Keep a rating as a draft; `value` is None while there is no answer. A repeated send changes nothing.

    Raises FaithfulnessError, FaithfulnessConflict or FaithfulnessLocked.
    """
    current = locked(assignment)
    require_open(current)
    _check(current, value)
    rating, _ = Rating.objects.get_or_create(assignment=current)
    if (rating.value, rating.comment) == (value, comment):
        return rating
    if base_version != rating.version:
        raise FaithfulnessConflict(rating)
    if value != rating.value:
        rating.rated_at = None if value is None else timezone.now()
    if value is None:
        rating.first_value = rating.recalibrated_at = None
    rating.value, rating.comment, rating.guidelines_id = value, comment, guidelines_id
    rating.version += 1
    rating.save()
    return rating


@transaction.atomic
def submit_rating(*, assignment: Assignment) -> Assignment:
    """Make the rating count. A second submit changes nothing. Raises FaithfulnessIncomplete or FaithfulnessLocked."""
    current = locked(assignment)
    if current.state == Assignment.State.SUBMITTED:
        return current
    require_open(current)
    if not Rating.objects.filter(assignment=current, value__isnull=False).exists():
        raise FaithfulnessIncomplete("There is no rating yet.", ["rating"])
    return end(current)


@transaction.atomic
def reopen_rating(*, assignment: Assignment) -> Assignment:
    """Take a submission back while the plan is open: its rating is a draft again."""
    return open_again(assignment)


@transaction.atomic
def recalibrate(
    *, assignment: Assignment, base_version: int, value: int | None, comment: str, guidelines_id: int | None = None
) -> Rating:
    """Change a submitted rating beside those of the book's other summaries; the first value is kept with it.

    Raises FaithfulnessError, FaithfulnessConflict, or FaithfulnessLocked while another summary of the book is still to
    be rated and once the plan is closed.
    """
    current = locked(assignment)
    if current.state != Assignment.State.SUBMITTED or not is_open(current) or not rated_together(current):
        raise FaithfulnessLocked("closed", NOT_TOGETHER)
    if value is None:
        raise FaithfulnessError("A submitted rating stays a rating. Choose another value.")
    _check(current, value)
    rating = Rating.objects.get(assignment=current)
    if (rating.value, rating.comment) == (value, comment):
        return rating
    if base_version != rating.version:
        raise FaithfulnessConflict(rating)
    if value != rating.value:
        rating.first_value = rating.value if rating.first_value is None else rating.first_value
        rating.recalibrated_at = timezone.now()
    rating.value, rating.comment, rating.guidelines_id = value, comment, guidelines_id
    rating.version += 1
    rating.save()
    return rating


@transaction.atomic
def record_rating_time(*, assignment: Assignment, known_seconds: int, total_seconds: int) -> int:
    """Set the active time to `total_seconds` if it still is the `known_seconds` that the page last heard of.

    Compare-and-set, so that a repeated send adds nothing twice. Returns the time stored now, in seconds.
    """
    if total_seconds < known_seconds:
        raise FaithfulnessError("Active time can only grow.")
    current = locked(assignment)
    rating, _ = Rating.objects.get_or_create(assignment=current)
    if current.state == Assignment.State.OPEN and rating.active_seconds == known_seconds:
        rating.active_seconds = total_seconds
        rating.save(update_fields=["active_seconds"])
    return rating.active_seconds


def _check(current: Assignment, value: int | None) -> None:
    scale = SCALES[plan_of(current).scale]
    if value is not None and not scale.holds(value):
        raise FaithfulnessError(f"Choose a whole number from {scale.lowest} to {scale.highest}.")
