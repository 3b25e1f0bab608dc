"""Marks in bulk: a release holds tens of thousands."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Annotation, AnnotationErrorType, AnnotationSet, Annotator, ErrorType, Span
from annotation.release.files import ReleaseError
from annotation.services.release.record import Record

#: Makes the keys of imported rows: the same entry of the same file always has the same key.
NAMESPACE = uuid.UUID("6d3f2c1e-5b0a-4c8e-9f27-b0a4c8e95b0a")
UNKNOWN_TYPE = "unknown error type: "


@dataclass(frozen=True)
class NewMark:
    """`name` tells the mark from others in its set; `spans` are one or two ranges into the summary's text."""

    name: str
    spans: tuple[tuple[int, int], ...]
    questions: str = ""
    types: tuple[str, ...] = ()
    flags: tuple[str, ...] = field(default=())


def imported_annotator(pseudonym: str, kind: Annotator.Kind, **fields: Any) -> tuple[Annotator, bool]:
    """The annotator that stands for a source of the release, and whether it is new.

    Raises ReleaseError where a person with a login, or a judge that runs here, goes by that name: its own marks and the
    imported ones must never be taken for one another's.
    """
    annotator, created = Annotator.objects.get_or_create(pseudonym=pseudonym, defaults={"kind": kind, **fields})
    if annotator.kind != kind or annotator.user_id or annotator.endpoint_id:
        raise ReleaseError(f"“{pseudonym}” is the name of somebody else here, so nothing can be imported under it.")
    return annotator, created


def write_marks(
    annotation_set: AnnotationSet, text: str, marks: Sequence[NewMark], types: dict[str, ErrorType], record: Record
) -> list[Annotation]:
    """Store marks on a summary with the given text, in order. An error type that is not one of ours becomes a flag."""
    annotations = Annotation.objects.bulk_create(
        Annotation(
            annotation_set=annotation_set,
            client_key=uuid.uuid5(NAMESPACE, mark.name),
            questions=mark.questions,
            flags=[*mark.flags, *(f"{UNKNOWN_TYPE}{name}" for name in mark.types if name not in types)],
        )
        for mark in marks
    )
    Span.objects.bulk_create(
        Span(annotation=annotation, position=position, start=start, end=end, quote=text[start:end])
        for annotation, mark in zip(annotations, marks, strict=True)
        for position, (start, end) in enumerate(mark.spans)
    )
    AnnotationErrorType.objects.bulk_create(
        AnnotationErrorType(annotation_id=annotation.pk, errortype_id=types[name].pk)
        for annotation, mark in zip(annotations, marks, strict=True)
        for name in mark.types
        if name in types
    )
    record.created["marks"] += len(annotations)
    return annotations


def note_unknown_types(where: str, marks: Sequence[NewMark], types: dict[str, ErrorType], record: Record) -> None:
    for name in sorted({name for mark in marks for name in mark.types if name not in types}):
        record.note(where, f"“{name}” is none of the error types: kept as a flag of the marks.")
