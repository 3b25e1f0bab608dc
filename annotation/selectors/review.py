"""Marks as a reviewer may see them: what was marked and asked, and nothing that tells who did it."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    Purpose,
    ReviewDecision,
    ReviewItem,
    ShownAs,
    Span,
    Study,
)
from annotation.places import Place, snapped

LIST_MARKER = re.compile(r"^(?:[-*•–]|\d{1,2}[.)])\s+")


def marks_to_review(study: Study) -> QuerySet[Annotation]:
    """The marks in all submitted sets of the study's people and judges on its summaries, as they are now."""
    return Annotation.objects.filter(
        Exists(Span.objects.filter(annotation=OuterRef("pk"))),
        _sets_of(study, prefix="annotation_set__"),
        annotation_set__state=AnnotationSet.State.SUBMITTED,
        annotation_set__summary__in=study.summaries.values("pk"),
    )


def marks_without_place(study: Study) -> int:
    """Imported marks that have no span: nobody can be asked about them."""
    return (
        Annotation.objects.filter(
            _sets_of(study, prefix="annotation_set__"),
            annotation_set__state=AnnotationSet.State.SUBMITTED,
            annotation_set__summary__in=study.summaries.values("pk"),
            spans__isnull=True,
        )
        .distinct()
        .count()
    )


def judge_gaps(study: Study) -> list[tuple[Annotator, int]]:
    """Judges of the study that have not finished all of its summaries, with the number that is missing."""
    summaries = study.summaries.count()
    judges = study.judges.annotate(
        done=Count(
            "annotation_sets__summary",
            filter=Q(
                annotation_sets__state=AnnotationSet.State.SUBMITTED,
                annotation_sets__study=None,
                annotation_sets__summary__studies=study,
            ),
            distinct=True,
        )
    )
    return [(judge, summaries - judge.done) for judge in judges if judge.done < summaries]


def items_of(assignment: Assignment) -> QuerySet[ReviewItem]:
    """The items of a review task in their stored order."""
    items = ReviewItem.with_planted.filter(study=assignment.study_id)
    return items.filter(annotation__annotation_set__summary=assignment.summary_id).order_by("order")


def undecided(assignment: Assignment) -> QuerySet[ReviewItem]:
    return items_of(assignment).exclude(decisions__reviewer=assignment.annotator_id)


def review_content(assignment: Assignment) -> dict[str, Any]:
    """All that a reviewer gets to see of a task; what it depends on is only what was marked, asked and decided.

    `items` come in their stored order: {key, spans: [[start, end], ..], questions: [..], types: [..], decision}.
    Spans are in the order of the text, as marked or snapped to sentences as the study says; snapped, nothing depends on
    where in its sentences a mark began and ended. `types` is empty unless the study shows them to its reviewers.
    """
    places = places_shown(assignment)
    items = items_of(assignment).prefetch_related(
        Prefetch("annotation__spans", queryset=Span.objects.order_by("start", "end")),
        "annotation__error_types",
        Prefetch(
            "decisions",
            queryset=ReviewDecision.with_planted.filter(reviewer=assignment.annotator_id),
            to_attr="own_decisions",
        ),
    )
    return {
        "text": assignment.only_summary.text,
        "items": [_item(item, places, types_shown=assignment.study.types_shown_in_review) for item in items],
    }


def places_shown(assignment: Assignment) -> Callable[[Sequence[Place]], list[Place]]:
    """What the reviewer of a task is shown of the spans of a mark, in the order of the text."""
    if assignment.study.review_shown_as == ShownAs.MARKED:
        return sorted
    sentences = list(assignment.only_summary.sentences.order_by("start").values_list("start", "end"))
    return lambda spans: snapped(spans, sentences)


def _item(item: ReviewItem, places: Callable[[Sequence[Place]], list[Place]], *, types_shown: bool) -> dict[str, Any]:
    decisions: list[ReviewDecision] = item.own_decisions  # type: ignore[attr-defined]
    return {
        "key": str(item.key),
        "spans": places([(span.start, span.end) for span in item.annotation.spans.all()]),
        "questions": question_lines(item.annotation.questions),
        "types": [each.name for each in item.annotation.error_types.all()] if types_shown else [],
        "decision": decision_content(decisions[0]) if decisions else None,
    }


def decision_content(decision: ReviewDecision) -> dict[str, Any]:
    return {"agreement": decision.agreement, "reasons": decision.reasons, "comment": decision.comment}


def question_lines(questions: str) -> list[str]:
    """Questions line by line, without what people and judges lay out differently: margins, empty lines, bullets."""
    lines = (LIST_MARKER.sub("", line.strip()) for line in questions.splitlines())
    return [line for line in lines if line]


def _sets_of(study: Study, *, prefix: str = "") -> Q:
    """A person's set belongs to a study; a judge's to none, and counts where the study names the judge."""
    people = Q(
        **{
            f"{prefix}study": study,
            f"{prefix}annotator__kind": Annotator.Kind.PERSON,
            f"{prefix}purpose": Purpose.STUDY,
        }
    )
    judges = Q(**{f"{prefix}study": None, f"{prefix}annotator__in": study.judges.values("pk")})
    return people | judges
