"""Exports of Label Studio: annotations become marks of annotators by pseudonym."""

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.error_types import ensure_error_types
from annotation.models import Annotation, AnnotationSet, Annotator, ErrorType, Study
from annotation.release.files import ReleaseError
from annotation.services.release.record import Record
from annotation.services.release.writing import NewMark, imported_annotator, write_marks
from scoring.exports.label_studio import NO_TYPE
from scoring.imports.context import ImportRefused
from summarizer.identifiers import LARGEST_ID
from summarizer.models import Summary
from summarizer.text import canonical_text, storable, text_sha256

PREFIX = "Label Studio"
#: Its whole file is one JSON list, so it is read at once.
LONGEST_LABEL = 200
LARGEST_BYTES = 200 * 1024 * 1024


def import_label_studio(*, data: bytes, filename: str, study: Study) -> dict[str, Any]:
    """Take the annotations of a Label Studio export (JSON) into a study whose summaries it has, matched by their text.

    Submitted annotations become submitted sets, also empty ones; cancelled ones become skipped sets; drafts and
    predictions are left out. Names and mail addresses are not stored: whoever annotated becomes “Label Studio 7”, after
    the number there, or a code made from the address. A second import changes nothing.
    Returns {"study", "people", "sets", "marks", "unchanged"}. Raises ImportRefused, and then nothing is stored.
    """
    if study.phase == Study.Phase.REVIEWING:
        raise ImportRefused("The study is being reviewed, so its marks can't become more.")
    tasks = _read(data, filename)
    taking = _Taking(study, {each.key: each for each in ensure_error_types()}, _summaries_by_text(study))
    try:
        with transaction.atomic():
            for number, task in enumerate(tasks, start=1):
                taking.take(
                    _Place(f"Task {task.get('id', number)}" if isinstance(task, dict) else f"Task {number}"), task
                )
    except ReleaseError as error:
        raise ImportRefused(str(error)) from error
    return {
        "study": study.name,
        "people": taking.record.created["people"],
        "sets": taking.record.created["sets"],
        "marks": taking.record.created["marks"],
        "unchanged": taking.unchanged,
    }


def _read(data: bytes, filename: str) -> list[Any]:
    if len(data) > LARGEST_BYTES:
        raise ImportRefused(f"{filename} is larger than {LARGEST_BYTES // 2**20} MB. Export it in parts.")
    try:
        tasks = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ImportRefused(f"{filename} is no JSON: {error}.") from error
    if not isinstance(tasks, list):
        raise ImportRefused(f"{filename} is no list of tasks. Export from Label Studio as JSON.")
    return tasks


def _summaries_by_text(study: Study) -> dict[str, list[Summary]]:
    found: dict[str, list[Summary]] = {}
    for summary in study.summaries.select_related("book", "system").defer("book__text"):
        found.setdefault(summary.text_sha256, []).append(summary)
    return found


@dataclass(frozen=True)
class _Place:
    """Where in the file something stands, for messages."""

    words: str

    def refuse(self, message: str) -> NoReturn:
        raise ImportRefused(f"{self.words}: {message}")


@dataclass
class _Region:
    span: tuple[int, int]
    types: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)


@dataclass
class _Taking:
    study: Study
    types: dict[str, ErrorType]
    summaries: dict[str, list[Summary]]
    record: Record = field(default_factory=Record)
    unchanged: int = 0

    def take(self, place: _Place, task: Any) -> None:
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict) or not isinstance(data.get("text"), str):
            place.refuse("it has no data.text.")
        summary = self._summary(place, data)
        annotations = task.get("annotations", [])
        if not isinstance(annotations, list) or not all(isinstance(each, dict) for each in annotations):
            place.refuse("its annotations are no list. Export from Label Studio as JSON, not as JSON-MIN.")
        for annotation in annotations:
            self._take_annotation(place, summary, data["text"], annotation)

    def _summary(self, place: _Place, data: dict[str, Any]) -> Summary:
        found = self.summaries.get(text_sha256(canonical_text(data["text"])[0]), [])
        if len(found) > 1:
            found = [
                each for each in found if (each.book.title, each.system.name) == (data.get("book"), data.get("system"))
            ]
        if len(found) != 1:
            words = "several summaries" if found else "no summary"
            place.refuse(f"{words} of the study {self.study.name} has this text: “{data['text'][:60]}…”.")
        return found[0]

    def _take_annotation(self, place: _Place, summary: Summary, text: str, annotation: dict[str, Any]) -> None:
        marks = self._marks(place, summary, text, annotation.get("result", []))
        pseudonym = _pseudonym(place, annotation)
        stored = AnnotationSet.objects.filter(study=self.study, summary=summary, annotator__pseudonym=pseudonym).first()
        if stored:
            self._require_same(place, stored, marks)
            self.unchanged += 1
            return
        annotator, created = imported_annotator(pseudonym, Annotator.Kind.PERSON)
        self.record.created["people"] += created
        skipped = annotation.get("was_cancelled") is True
        seconds = annotation.get("lead_time")
        new = AnnotationSet.objects.create(
            study=self.study,
            annotator=annotator,
            summary=summary,
            state=AnnotationSet.State.SKIPPED if skipped else AnnotationSet.State.SUBMITTED,
            submitted_at=None if skipped else timezone.now(),
            active_seconds=round(seconds) if isinstance(seconds, (int, float)) and 0 <= seconds < 10**6 else 0,
        )
        self.record.created["sets"] += 1
        write_marks(new, summary.text, marks, self.types, self.record)

    def _require_same(self, place: _Place, stored: AnnotationSet, marks: list[NewMark]) -> None:
        placed = Annotation.objects.filter(annotation_set=stored, spans__isnull=False).distinct()
        own = [
            (tuple((span.start, span.end) for span in mark.spans.all()), mark.questions)
            for mark in placed.order_by("pk").prefetch_related("spans")
        ]
        if own != [(mark.spans, mark.questions) for mark in marks]:
            place.refuse(f"{stored.annotator} has other marks on this summary here already.")

    def _marks(self, place: _Place, summary: Summary, text: str, result: Any) -> list[NewMark]:
        if not isinstance(result, list) or not all(isinstance(each, dict) for each in result):
            place.refuse("an annotation's result is no list of regions.")
        regions = _regions(place, summary, text, result)
        partner = _relations(place, result, regions)
        seconds = set(partner.values())
        return [self._mark(name, regions, partner.get(name)) for name in regions if name not in seconds]

    def _mark(self, name: str, regions: dict[str, _Region], other: str | None) -> NewMark:
        parts = [regions[name], *([regions[other]] if other else [])]
        types = list(dict.fromkeys(key for part in parts for key in part.types))
        questions = list(dict.fromkeys(each for part in parts for each in part.questions))
        return NewMark(
            name=f"label studio {name}",
            spans=tuple(part.span for part in parts),
            questions="\n".join(questions),
            types=tuple(self._key(each) for each in types if each != NO_TYPE),
        )

    def _key(self, label: str) -> str:
        """A type by its key or its name, whatever the case; an unknown one stays as a flag of the mark."""
        for key, row in self.types.items():
            if label.casefold() in (key, row.name.casefold()):
                return key
        return label


def _regions(place: _Place, summary: Summary, text: str, result: list[dict[str, Any]]) -> dict[str, _Region]:
    """Regions by id: a span with its labels and the texts that were written about it."""
    regions: dict[str, _Region] = {}
    for each in result:
        value = each.get("value")
        if not isinstance(value, dict) or "start" not in value:
            continue  # a relation, or an answer about the whole text
        name = storable(str(each.get("id", len(regions))))
        if name not in regions:
            regions[name] = _Region(_span(_Place(f"{place.words}, region {name}"), summary, text, value, each))
        labels = value.get("labels", [])
        if not isinstance(labels, list):
            place.refuse(f"the labels of the region {name} are no list.")
        regions[name].types += [storable(str(label))[:LONGEST_LABEL] for label in labels]
        if each.get("type") == "textarea":
            written = value.get("text", [])
            lines = written if isinstance(written, list) else [written]
            regions[name].questions += [canonical_text(str(line))[0] for line in lines]
    return regions


def _span(place: _Place, summary: Summary, text: str, value: dict[str, Any], each: dict[str, Any]) -> tuple[int, int]:
    """The place in our text. Label Studio counts code points of its own text; versions before 2022, UTF-16 units."""
    start, end = value.get("start"), value.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        place.refuse(f"start and end must be whole numbers in order, not {start!r} and {end!r}.")
    quote = value.get("text") if each.get("type") != "textarea" else None
    for count in (_code_points, _utf16_units):
        found = count(text, start, end)
        if found and (quote is None or text[found[0] : found[1]] == quote):
            own_start, own_end = (len(canonical_text(text[:offset])[0]) for offset in found)
            if own_start < own_end:
                return own_start, own_end
    return place.refuse(f"its text “{quote or ''}” does not stand at {start} to {end}.")


def _code_points(text: str, start: int, end: int) -> tuple[int, int] | None:
    return (start, end) if end <= len(text) else None


def _utf16_units(text: str, start: int, end: int) -> tuple[int, int] | None:
    units = text.encode("utf-16-le", "surrogatepass")
    if end * 2 > len(units):
        return None
    before, inside = (
        units[: 2 * start].decode("utf-16-le", "replace"),
        units[2 * start : 2 * end].decode("utf-16-le", "replace"),
    )
    return len(before), len(before) + len(inside)


def _relations(place: _Place, result: list[dict[str, Any]], regions: dict[str, _Region]) -> dict[str, str]:
    partner: dict[str, str] = {}
    taken: set[str] = set()
    for each in result:
        if each.get("type") != "relation":
            continue
        one, other = storable(str(each.get("from_id"))), storable(str(each.get("to_id")))
        if one not in regions or other not in regions:
            place.refuse(f"a relation names a region that is not there ({one} to {other}).")
        if one == other or {one, other} & taken:
            place.refuse(f"the region {one} is in two relations; a mark has two spans at most.")
        partner[one] = other
        taken |= {one, other}
    return partner


def _pseudonym(place: _Place, annotation: dict[str, Any]) -> str:
    if isinstance(named := annotation.get("annotator"), str) and named.strip():
        if storable(named) != named or len(named) > LONGEST_LABEL:
            place.refuse(f"the name of an annotator has at most {LONGEST_LABEL} characters, none of them NUL or half.")
        return named
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("id", by.get("email"))
    if type(by) is int and 0 <= by <= LARGEST_ID:
        return f"{PREFIX} {by}"
    if isinstance(by, str) and by:
        return f"{PREFIX} {salted_hmac('label studio annotator', storable(by.casefold())).hexdigest()[:8]}"
    return place.refuse("an annotation does not say who made it (completed_by).")
