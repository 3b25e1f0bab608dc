"""A COARSE task as its person may see it: a summary and their own rating; and their ratings of one book together."""

from typing import Any

from django.db.models import QuerySet

from annotation.models import Assignment, Rating
from annotation.selectors.faithfulness_tasks import is_open, task_state

NOTHING: dict[str, Any] = {"value": None, "comment": "", "first_value": None, "active_seconds": 0, "version": 0}


def coarse_state(assignment: Assignment) -> dict[str, Any]:
    """{state, editable, reopenable, ratings: [the one rating]}."""
    rating = Rating.objects.filter(assignment=assignment).first()
    content = rating_content(rating, "rating") if rating else {"key": "rating"} | NOTHING
    return {**task_state(assignment), "ratings": [content]}


def together_state(assignment: Assignment) -> dict[str, Any]:
    """The same of all summaries of the book that the person rated; a rating's key is that of its task."""
    tasks = rated_together(assignment)
    return {
        "state": assignment.state,
        "editable": bool(tasks) and is_open(assignment),
        "reopenable": False,
        "ratings": [rating_content(task.rating, str(task.key)) for task in tasks],
    }


def rating_content(rating: Rating, key: str) -> dict[str, Any]:
    return {
        "key": key,
        "value": rating.value,
        "comment": rating.comment,
        "first_value": rating.first_value,
        "active_seconds": rating.active_seconds,
        "version": rating.version,
    }


def rated_together(assignment: Assignment) -> list[Assignment]:
    """The person's submitted COARSE tasks on the summaries of the book, in their order.

    Empty while one is open, and where there is only one: then there is nothing to hold against each other.
    """
    tasks = _of_the_book(assignment)
    if tasks.filter(state=Assignment.State.OPEN).exists():
        return []
    submitted = tasks.filter(state=Assignment.State.SUBMITTED, rating__value__isnull=False)
    found = list(submitted.select_related("rating", "summary").order_by("order", "pk"))
    return found if len(found) > 1 else []


def _of_the_book(assignment: Assignment) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        study=assignment.study_id,
        annotator=assignment.annotator_id,
        task=Assignment.Task.COARSE,
        summary__book=assignment.only_summary.book_id,
    )
