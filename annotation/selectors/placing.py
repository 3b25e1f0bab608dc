"""Imported marks whose text occurs more than once in its summary: which there are, and where each could stand."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.models import Annotation, Span, Study
from annotation.release.marks import PLACE_BY_HAND, PLACED_BY_HAND, occurrences

#: Characters shown before and after a place.
AROUND = 160


@dataclass(frozen=True, slots=True)
class PossiblePlace:
    """One occurrence of a span's text, with what stands around it; `number` counts from 1."""

    number: int
    start: int
    end: int
    before: str
    quote: str
    after: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class MarkToPlace:
    """A mark with the possible places of each of its spans; a span whose text occurs once has one."""

    annotation: Annotation
    is_placed: bool
    spans: list[tuple[Span, list[PossiblePlace]]]


def marks_to_place(study: Study) -> list[tuple[int, bool]]:
    """(id of the mark, whether it was placed) of all marks to be placed by hand, in the order of the summaries."""
    marks = Annotation.objects.filter(annotation_set__study=study).exclude(flags=[])
    rows = marks.order_by("annotation_set__summary", "pk").values_list("pk", "flags")
    return [(pk, PLACED_BY_HAND in flags) for pk, flags in rows if {PLACE_BY_HAND, PLACED_BY_HAND} & set(flags)]


def mark_to_place(study: Study, pk: int) -> MarkToPlace | None:
    """None where the study has no such mark to place."""
    marks = Annotation.objects.select_related("annotation_set__summary__book", "annotation_set__summary__system")
    marks = marks.prefetch_related("spans", "error_types")
    annotation = marks.filter(annotation_set__study=study, pk=pk).first()
    if annotation is None or not {PLACE_BY_HAND, PLACED_BY_HAND} & set(annotation.flags):
        return None
    text = annotation.annotation_set.summary.text
    spans = [(span, list(_possible_places(text, span))) for span in annotation.spans.all()]
    return MarkToPlace(annotation, PLACED_BY_HAND in annotation.flags, spans)


def _possible_places(text: str, span: Span) -> Iterator[PossiblePlace]:
    for number, (start, end) in enumerate(occurrences(text, span.quote), start=1):
        yield PossiblePlace(
            number,
            start,
            end,
            before=("…" if start > AROUND else "") + text[max(0, start - AROUND) : start],
            quote=text[start:end],
            after=text[end : end + AROUND] + ("…" if end + AROUND < len(text) else ""),
            is_current=start == span.start,
        )
