"""Writing marks: every change of a person's annotation set goes through here.

A change takes its turn with one UPDATE that raises the set's version, and only if the set is still its owner's draft in
a study that is annotating: lock and check in one, the same on SQLite and PostgreSQL. The new number is also the
version of the mark that changed, so a mark's version never stands for two contents, not even after delete and undo.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.db import transaction
from django.db.models import BigAutoField, Exists, F, OuterRef, QuerySet, UUIDField
from django.utils import timezone

from annotation.access import GONE, NoSuchTask
from annotation.models import (
    Annotation,
    AnnotationErrorType,
    AnnotationSet,
    Assignment,
    ErrorType,
    MarksSeen,
    Purpose,
    Span,
    Study,
)
from annotation.services.mark_errors import (
    IncompleteMarks,
    InvalidMark,
    MarkConflict,
    Missing,
    NotEditable,
    NothingMarked,
)
from annotation.services.mark_types import error_types_named
from annotation.services.spans import (
    SpanInput,
    check_quotes,
    check_shapes,
    places,
    quote_parameters,
    quoted_summary,
    span_rows,
)
from annotation.services.training import record_attempt
from annotation.statements import Parameter, Statement


@dataclass(frozen=True)
class SavedMark:
    """What is stored now. `error_types` are keys, in the order of the types."""

    client_key: UUID
    version: int
    questions: str
    error_types: list[str]
    spans: Sequence[SpanInput]
    created: bool
    set_version: int


@transaction.atomic
def annotation_set_of(assignment: Assignment) -> AnnotationSet:
    """The set that an annotate task fills; made as an empty draft when the person first changes something.

    A task that ended before that has an empty set that counts nowhere. Raises NoSuchTask for one that is gone.
    """
    if assignment.summary_id is None:
        raise InvalidMark("Two summaries that are compared take no marks.")
    # A withdrawal holds the study too: either it finds this set, or the task is gone here.
    Study.objects.select_for_update(no_key=True).get(pk=assignment.study_id)
    if not Assignment.all_purposes.filter(pk=assignment.pk).exists():
        raise NoSuchTask(GONE)
    ended = assignment.state == Assignment.State.SKIPPED
    annotation_set, _ = AnnotationSet.all_purposes.get_or_create(
        study_id=assignment.study_id,
        annotator_id=assignment.annotator_id,
        summary_id=assignment.summary_id,
        defaults={
            "state": AnnotationSet.State.SKIPPED if ended else AnnotationSet.State.DRAFT,
            "purpose": assignment.purpose,
        },
    )
    return annotation_set


@transaction.atomic
def save_annotation(
    *,
    annotation_set: AnnotationSet,
    client_key: UUID,
    base_version: int,
    questions: str,
    error_type_keys: Collection[str],
    spans: Sequence[SpanInput],
    guidelines_id: int | None = None,
) -> SavedMark:
    """Create a mark (`base_version` 0) or change the one with this `client_key`.

    A repeated send, whatever its base version, changes nothing. Questions and error types may still be missing.
    `guidelines_id` is the version that the person had before them.
    Raises `InvalidMark`, `MarkConflict` (with the current mark, or None if it was deleted) or `NotEditable`.
    """
    check_shapes(spans)
    version = _take_turn(annotation_set, spans)
    current = _find(annotation_set, client_key)
    kept = current.error_types.all() if current else ()
    error_types = error_types_named(error_type_keys, kept=list(kept))

    def saved(as_version: int, set_version: int) -> SavedMark:
        keys = [error_type.key for error_type in error_types]
        return SavedMark(client_key, as_version, questions, keys, spans, current is None, set_version)

    if current is not None and _same(current, questions, error_types, spans):
        transaction.set_rollback(True)  # the turn taken above is given back
        return saved(current.version, version - 1)
    if base_version != (current.version if current else 0):
        raise _conflict(current)
    annotation = current or Annotation(annotation_set=annotation_set, client_key=client_key)
    annotation.questions = questions
    annotation.version = version
    annotation.guidelines_id = guidelines_id
    annotation.save()
    _set_content(annotation, error_types, spans, is_new=current is None)
    return saved(version, version)


@transaction.atomic
def delete_annotation(*, annotation_set: AnnotationSet, client_key: UUID, base_version: int) -> None:
    """Delete a mark; a relation is one mark, so both its spans go. One that is gone already stays gone.

    Raises `MarkConflict` if the mark changed since `base_version`, or `NotEditable`.
    """
    _take_turn(annotation_set)
    current = _find(annotation_set, client_key)
    if current is None:
        transaction.set_rollback(True)
    elif current.version != base_version:
        raise _conflict(current)
    else:
        current.delete()


@transaction.atomic
def submit_annotation_set(
    *, annotation_set: AnnotationSet, nothing_found: bool = False, guidelines_id: int | None = None
) -> AnnotationSet:
    """End the task. A second submit changes nothing.

    Raises `IncompleteMarks` (which marks lack what), `NothingMarked` (an empty set needs `nothing_found`: "looked and
    found nothing" is a result) or `NotEditable`.
    """
    _hold_study(annotation_set)
    _refresh(annotation_set)
    if annotation_set.state == AnnotationSet.State.SUBMITTED:
        return annotation_set
    _take_turn(annotation_set)
    missing = list(_missing(annotation_set))
    if missing:
        raise IncompleteMarks(missing)
    if not nothing_found and not annotation_set.annotations.exists():
        raise NothingMarked
    ended = _end(
        annotation_set,
        AnnotationSet.State.SUBMITTED,
        Assignment.State.SUBMITTED,
        submitted_at=timezone.now(),
        guidelines=guidelines_id,
    )
    if ended.purpose == Purpose.TRAINING:
        record_attempt(ended)
    return ended


@transaction.atomic
def skip_annotation_set(*, annotation_set: AnnotationSet, reason: str = "") -> AnnotationSet:
    """Leave this summary out, with an optional reason for the researchers. Its marks stay, but count nowhere."""
    _hold_study(annotation_set)
    _refresh(annotation_set)
    if annotation_set.state == AnnotationSet.State.SKIPPED:
        return annotation_set
    if annotation_set.purpose == Purpose.TRAINING:
        raise NotEditable("training", "The training can't be left out. Ask the researchers if you can't do it.")
    _take_turn(annotation_set)
    return _end(annotation_set, AnnotationSet.State.SKIPPED, Assignment.State.SKIPPED, skip_reason=reason)


@transaction.atomic
def reopen_annotation_set(*, annotation_set: AnnotationSet) -> AnnotationSet:
    """Make a submitted or skipped set a draft again, while its study is annotating. An open one stays as it is."""
    study = _hold_study(annotation_set)
    _refresh(annotation_set)
    if annotation_set.state == AnnotationSet.State.DRAFT:
        return annotation_set
    if annotation_set.purpose == Purpose.TRAINING:
        raise NotEditable("training", "You were told what was expected here, so this training stays as it is.")
    if study is None or study.phase != Study.Phase.ANNOTATING:
        raise _closed()
    _require_reopenable(annotation_set, study)
    AnnotationSet.all_purposes.filter(pk=annotation_set.pk).update(
        state=AnnotationSet.State.DRAFT, submitted_at=None, skip_reason="", version=F("version") + 1
    )
    _assignments(annotation_set).update(state=Assignment.State.OPEN, ended_at=None)
    annotation_set.refresh_from_db()
    return annotation_set


def record_active_time(*, annotation_set: AnnotationSet, known_seconds: int, total_seconds: int) -> int:
    """Set the active time to `total_seconds` if it still is the `known_seconds` that the page last heard of.

    Compare-and-set, so that a repeated send adds nothing twice. Returns the time stored now, in seconds.
    Raises `InvalidMark` if the time would go back.
    """
    if total_seconds < known_seconds:
        raise InvalidMark("Active time can only grow.")
    AnnotationSet.all_purposes.filter(
        pk=annotation_set.pk, state=AnnotationSet.State.DRAFT, active_seconds=known_seconds
    ).update(active_seconds=total_seconds)
    own = AnnotationSet.all_purposes.filter(pk=annotation_set.pk)
    if (seconds := own.values_list("active_seconds", flat=True).first()) is None:
        raise NoSuchTask(GONE)
    return seconds


def _take_turn(annotation_set: AnnotationSet, spans: Sequence[SpanInput] = ()) -> int:
    """Lock the set and return its new version, or raise `NotEditable`; `InvalidMark` if spans do not quote the text."""
    own = {"set": annotation_set.pk, "annotator": annotation_set.annotator_id, "summary": annotation_set.summary_id}
    # A slice at the end of the text would be shorter than its span says.
    lengths_agree = all(len(span.quote) == span.end - span.start for span in spans)
    if lengths_agree and (changed := _turn(len(spans)).row(**own, **quote_parameters(spans))):
        return int(changed[0])
    if spans:
        check_quotes(summary_id=annotation_set.summary_id, spans=spans)
    states = AnnotationSet.all_purposes.filter(pk=annotation_set.pk).values_list("state", flat=True)
    raise _closed(states.first())


@cache
def _turn(spans: int) -> Statement:
    """Raises the version of a set that takes marks now, if so many spans quote its summary."""

    def drafts() -> QuerySet[AnnotationSet]:
        open_task = Assignment.all_purposes.filter(
            study=OuterRef("study"),
            annotator=OuterRef("annotator"),
            summary=OuterRef("summary"),
            task=Assignment.Task.ANNOTATE,
            state=Assignment.State.OPEN,
            study__phase=Study.Phase.ANNOTATING,
        )
        conditions = [Exists(open_task)]
        if spans:
            conditions.append(Exists(quoted_summary(spans)))
        return AnnotationSet.all_purposes.filter(
            *conditions,
            pk=Parameter("set", BigAutoField()),
            annotator=Parameter("annotator", BigAutoField()),
            state=AnnotationSet.State.DRAFT,
        )

    return Statement(drafts, returning="version", version=F("version") + 1)


def _closed(state: str | None = None) -> NotEditable:
    if state == AnnotationSet.State.SUBMITTED:
        return NotEditable("submitted", "You submitted this task. Reopen it to change your marks.")
    if state == AnnotationSet.State.SKIPPED:
        return NotEditable("skipped", "You left this summary out. Reopen it to mark it.")
    return NotEditable(
        "closed", "This task takes no marks now. Nothing was changed; ask the researchers if you need to."
    )


def _conflict(current: Annotation | None) -> MarkConflict:
    what = "deleted" if current is None else "changed"
    return MarkConflict(current, f"This mark was {what} in another window. Your version was not stored.")


def _hold_study(annotation_set: AnnotationSet) -> Study | None:
    """Lock the study's row, so that its phase can't move on while a set is submitted."""
    return Study.objects.select_for_update(of=("self",)).filter(annotation_sets=annotation_set).first()


def _refresh(annotation_set: AnnotationSet) -> None:
    try:
        annotation_set.refresh_from_db()
    except AnnotationSet.DoesNotExist as error:
        raise NoSuchTask(GONE) from error


def _require_reopenable(annotation_set: AnnotationSet, study: Study) -> None:
    """Reopening must not undo what happened since: the task went to others, the person left, or saw others' marks."""
    annotator = annotation_set.annotator
    if not study.members.filter(annotator=annotator, annotates=True).exists():
        raise NotEditable("left", "You no longer annotate in this study, so this can't be reopened.")
    if annotation_set.state == AnnotationSet.State.SKIPPED and _given_to_others(annotation_set, study):
        raise NotEditable("taken", "Somebody else has this summary now, so it can't be reopened.")
    if Assignment.objects.filter(
        annotator=annotator, comparison__first__book__summaries=annotation_set.summary_id
    ).exists():
        raise NotEditable(
            "compared", "You have been given summaries of this book to compare since, so your marks stay as they are."
        )
    if MarksSeen.objects.filter(user=annotator.user_id, summary=annotation_set.summary_id).exists():
        raise NotEditable(
            "seen", "You have seen what others marked on this summary, so your own marks stay as you submitted them."
        )


def _given_to_others(annotation_set: AnnotationSet, study: Study) -> bool:
    """The place that was given back is filled: reopening would give the summary to more people than it should have."""
    tasks = study.assignments.filter(summary=annotation_set.summary_id, task=Assignment.Task.ANNOTATE)
    return tasks.exclude(state=Assignment.State.SKIPPED).count() >= study.annotation_overlap


def _assignments(annotation_set: AnnotationSet) -> QuerySet[Assignment]:
    return Assignment.all_purposes.filter(
        study__annotation_sets=annotation_set,
        annotator_id=annotation_set.annotator_id,
        summary_id=annotation_set.summary_id,
        task=Assignment.Task.ANNOTATE,
    )


def _end(
    annotation_set: AnnotationSet, state: AnnotationSet.State, task_state: Assignment.State, **fields: object
) -> AnnotationSet:
    AnnotationSet.all_purposes.filter(pk=annotation_set.pk).update(state=state, **fields)
    _assignments(annotation_set).update(state=task_state, ended_at=timezone.now())
    annotation_set.refresh_from_db()
    return annotation_set


def _find(annotation_set: AnnotationSet, client_key: UUID) -> Annotation | None:
    if _MARK.row(set=annotation_set.pk, key=client_key) is None:  # most saves are of new marks
        return None
    return annotation_set.annotations.filter(client_key=client_key).prefetch_related("spans", "error_types").first()


_MARK = Statement(
    lambda: Annotation.objects.filter(
        annotation_set=Parameter("set", BigAutoField()), client_key=Parameter("key", UUIDField())
    ).values_list("pk")
)


def _same(current: Annotation, questions: str, error_types: Iterable[ErrorType], spans: Sequence[SpanInput]) -> bool:
    return (
        current.questions == questions
        and set(current.error_types.all()) == set(error_types)
        and _same_spans(current, spans)
    )


def _set_content(
    annotation: Annotation, error_types: Sequence[ErrorType], spans: Sequence[SpanInput], *, is_new: bool
) -> None:
    if is_new:
        _add_error_types(annotation, error_types)
        _add_spans(annotation, spans)
        return
    annotation.error_types.set(error_types)
    if not _same_spans(annotation, spans):
        annotation.spans.all().delete()
        _add_spans(annotation, spans)


def _add_error_types(annotation: Annotation, error_types: Iterable[ErrorType]) -> None:
    AnnotationErrorType.objects.bulk_create(
        AnnotationErrorType(annotation=annotation, errortype=error_type) for error_type in error_types
    )


def _add_spans(annotation: Annotation, spans: Sequence[SpanInput]) -> None:
    Span.objects.bulk_create(Span(annotation=annotation, **fields) for fields in span_rows(spans))


def _same_spans(current: Annotation, spans: Sequence[SpanInput]) -> bool:
    return places(current.spans.all()) == places(spans)


def _missing(annotation_set: AnnotationSet) -> Iterable[Missing]:
    for annotation in annotation_set.annotations.prefetch_related("error_types"):
        lacks = {"questions": not annotation.questions.strip(), "error_types": not annotation.error_types.all()}
        if any(lacks.values()):
            yield Missing(annotation.client_key, tuple(field for field, lacking in lacks.items() if lacking))
