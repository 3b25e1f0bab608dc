"""Under which versions of a study's guidelines its answers were given."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    ComparisonAnswer,
    GuidelinesVersion,
    ReviewDecision,
    Study,
)


@dataclass(frozen=True)
class VersionUse:
    """One version and the number of answers under it; `version` is None for answers that no version is known of."""

    version: int | None
    created_at: datetime | None
    note: str
    sets: int
    marks: int
    decisions: int
    comparison_answers: int


def guidelines_used(study: Study) -> list[VersionUse]:
    """All versions in order, then what no version is known of, if there is any. Drafts count nowhere."""
    sets = AnnotationSet.objects.filter(
        study=study, annotator__kind=Annotator.Kind.PERSON, state=AnnotationSet.State.SUBMITTED
    )
    submitted = study.assignments.filter(task=Assignment.Task.REVIEW, state=Assignment.State.SUBMITTED)
    counted = [
        _by_version(sets),
        _by_version(Annotation.objects.filter(annotation_set__in=sets)),
        _by_version(ReviewDecision.objects.filter(item__study=study, reviewer__in=submitted.values("annotator"))),
        _by_version(ComparisonAnswer.objects.filter(comparison__study=study)),
    ]
    used = [
        VersionUse(version.number, version.created_at, version.note, *(each.get(version.pk, 0) for each in counted))
        for version in GuidelinesVersion.objects.filter(study=study).defer("text").order_by("number")
    ]
    unknown = [each.get(None, 0) for each in counted]
    return [*used, VersionUse(None, None, "", *unknown)] if any(unknown) else used


def _by_version(answers: QuerySet[Any]) -> dict[int | None, int]:
    return dict(answers.order_by().values_list("guidelines").annotate(Count("pk")))
