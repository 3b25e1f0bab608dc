"""Two summaries of one book that one person annotates are read in their stored order: the first answers the second."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import AnnotationSet, Assignment, Study
from annotation.sides import Reading


def with_waiting(tasks: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """The tasks with `waits`: an earlier one on the same book is still open, and this one was not begun."""
    same = {"study": OuterRef("study"), "annotator": OuterRef("annotator")}
    earlier = Assignment.objects.filter(
        **same,
        task=Assignment.Task.ANNOTATE,
        state=Assignment.State.OPEN,
        summary__book=OuterRef("summary__book"),
        order__lt=OuterRef("order"),
    )
    begun = AnnotationSet.objects.filter(**same, summary=OuterRef("summary"))
    return tasks.annotate(waits=Exists(earlier) & ~Exists(begun))


def readings_of(study: Study) -> list[Reading]:
    """Who annotates which summary, in each person's order, without what ended unread."""
    rows = study.assignments.filter(task=Assignment.Task.ANNOTATE).exclude(state=Assignment.State.SKIPPED)
    values = rows.order_by("annotator", "order", "pk").values_list(
        "summary", "annotator", "summary__book", "summary__system"
    )
    return [Reading(*row) for row in values]


def as_readings(study: Study, tasks: list[tuple[int, int]]) -> list[Reading]:
    """Dealt annotate tasks, as (summary, person), with book and system."""
    about = {
        pk: (book, system)
        for pk, book, system in study.summaries.filter(pk__in={summary for summary, _ in tasks}).values_list(
            "pk", "book", "system"
        )
    }
    return [Reading(summary, person, *about[summary]) for summary, person in tasks]
