"""Placing imported marks whose text occurs more than once in its summary."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.models import Annotation, AnnotationSet, Study
from annotation.release.marks import PLACE_BY_HAND, PLACED_BY_HAND, SAME_SPAN_TWICE
from annotation.selectors.placing import MarkToPlace, mark_to_place


class PlacingError(Exception):
    """The mark was not placed; the text says why and what to do."""


@transaction.atomic
def place_mark(*, study: Study, mark: int, starts: Sequence[int], base_version: int) -> Annotation:
    """Put each span of the mark at the occurrence of its text that begins at `starts` (code points).

    `base_version` is the version of the mark that was looked at. A repeated send changes nothing. Raises PlacingError.
    """
    found = _locked(study, mark)
    current = [span.start for span, _ in found.spans]
    if found.is_placed and current == list(starts):
        transaction.set_rollback(True)  # the turn taken above is given back
        return found.annotation
    if found.annotation.version != base_version:
        raise PlacingError("Somebody placed this mark in the meantime. Here is where it stands now.")
    _check(found, starts)
    for (span, places), start in zip(found.spans, starts, strict=True):
        place = next(place for place in places if place.start == start)
        span.start, span.end, span.quote = place.start, place.end, place.quote
        span.save(update_fields=["start", "end", "quote"])
    return _note_placed(found.annotation, are_apart=len(set(starts)) == len(starts))


def _locked(study: Study, mark: int) -> MarkToPlace:
    """The mark, with the turn on its set taken, so that two people never place it at once."""
    sets = AnnotationSet.objects.filter(study=study, annotations=mark)
    AnnotationSet.objects.filter(pk__in=sets.values("pk")).update(version=F("version") + 1)
    if found := mark_to_place(study, mark):
        return found
    raise PlacingError("This study has no such mark to place. It may be gone: go back to the list.")


def _check(found: MarkToPlace, starts: Sequence[int]) -> None:
    if len(starts) != len(found.spans):
        raise PlacingError("Choose a place for each span of the mark.")
    for (_, places), start in zip(found.spans, starts, strict=True):
        if start not in {place.start for place in places}:
            raise PlacingError("The text does not stand at the place that was chosen. Choose one of those shown.")
    if len(set(starts)) < len(starts):
        raise PlacingError("The two spans of this mark can't be the same place. Choose another one for one of them.")


def _note_placed(annotation: Annotation, *, are_apart: bool) -> Annotation:
    dropped = {PLACE_BY_HAND, PLACED_BY_HAND} | ({SAME_SPAN_TWICE} if are_apart else set())
    annotation.flags = [*(flag for flag in annotation.flags if flag not in dropped), PLACED_BY_HAND]
    # An imported mark may be ahead of its set.
    turn = AnnotationSet.objects.values_list("version", flat=True).get(pk=annotation.annotation_set_id)
    annotation.version = max(turn, annotation.version + 1)
    AnnotationSet.objects.filter(pk=annotation.annotation_set_id).update(version=annotation.version)
    annotation.updated_at = timezone.now()
    annotation.save(update_fields=["flags", "version", "updated_at"])
    return annotation
