"""Reading a person's own marks on the summary of a task."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import (
    BEFORE_TASKS,
    Annotation,
    AnnotationSet,
    Assignment,
    ErrorType,
    GoldDecision,
    Purpose,
    Study,
)
from annotation.models.marks import TextSpan


@dataclass(frozen=True)
class Workspace:
    """What the annotate page shows of a task, besides the text."""

    state: str
    version: int
    active_seconds: int
    submitted_at: datetime | None
    #: The study takes marks and the set is a draft.
    editable: bool
    #: The study takes marks, so a submitted set can be reopened.
    reopenable: bool
    annotations: list[Annotation]


def workspace(assignment: Assignment) -> Workspace:
    """The state of an annotate task; a set that was not started yet reads as an empty draft."""
    annotation_set = AnnotationSet.all_purposes.filter(
        study_id=assignment.study_id, annotator_id=assignment.annotator_id, summary=assignment.only_summary
    ).first()
    annotating = assignment.study.phase == Study.Phase.ANNOTATING
    if annotation_set is None:
        if assignment.state == Assignment.State.SKIPPED:  # ended before it was begun
            return Workspace(AnnotationSet.State.SKIPPED.value, 0, 0, None, False, annotating, [])
        return Workspace(AnnotationSet.State.DRAFT.value, 0, 0, None, annotating, False, [])
    draft = annotation_set.state == AnnotationSet.State.DRAFT
    return Workspace(
        state=annotation_set.state,
        version=annotation_set.version,
        active_seconds=annotation_set.active_seconds,
        submitted_at=annotation_set.submitted_at,
        editable=draft and annotating,
        reopenable=annotating and not draft and annotation_set.purpose != Purpose.TRAINING,
        annotations=list(annotation_set.annotations.prefetch_related("spans", "error_types")),
    )


def span_content(span: TextSpan) -> dict[str, Any]:
    """A span as pages, API and exports have it."""
    return {"start": span.start, "end": span.end, "quote": span.quote}


def mark_content(mark: Annotation | GoldDecision) -> dict[str, Any]:
    """What a mark says, be it a person's or one of a gold set."""
    return {
        "questions": mark.questions,
        "error_types": [error_type.key for error_type in mark.error_types.all()],
        "spans": [span_content(span) for span in mark.spans.all()],
    }


def offered_error_types() -> list[ErrorType]:
    """All types in order; retired ones are shown on marks that have them but not offered."""
    return list(ErrorType.objects.all())


def error_types_shown(error_types: list[ErrorType]) -> list[dict[str, str]]:
    """What the scripts of a span workspace show of each type; its definition is on the form's chips."""
    return [
        {"key": each.key, "slug": each.key.replace(" ", "-"), "name": each.name, "tag": each.tag}
        for each in error_types
    ]


def next_task(assignment: Assignment) -> Assignment | None:
    """The person's next open annotate task in the same study, if there is one."""
    others = _tasks_like(assignment).filter(state=Assignment.State.OPEN)
    return others.exclude(pk=assignment.pk).order_by("order", "id").first()


def place_in_list(assignment: Assignment) -> tuple[int, int]:
    """Which of the person's annotate tasks in this study it is, counted from 1, and how many there are."""
    ids = list(_tasks_like(assignment).order_by("order", "id").values_list("id", flat=True))
    return ids.index(assignment.pk) + 1, len(ids)


def _tasks_like(assignment: Assignment) -> QuerySet[Assignment]:
    """The person's tasks of this kind in the study; training and tests stand apart from the others."""
    tasks = Assignment.all_purposes.filter(
        study_id=assignment.study_id, annotator_id=assignment.annotator_id, task=assignment.task
    )
    if assignment.purpose in BEFORE_TASKS:
        return tasks.filter(purpose=assignment.purpose)
    return tasks.exclude(purpose__in=BEFORE_TASKS)
