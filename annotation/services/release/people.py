"""Marks of people. The release gives spans as text: each is placed where that text first occurs."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.models import Annotation, AnnotationSet, Annotator, ErrorType, Study, StudyMember
from annotation.release.files import ReleaseFiles
from annotation.release.marks import (
    PLACE_BY_HAND,
    SAME_SPAN_TWICE,
    MarkedSummary,
    Place,
    ReleasedMark,
    carry_over,
    locate,
    read_marks,
)
from annotation.services.release.record import Record, counted
from annotation.services.release.systems import SummaryImport
from annotation.services.release.writing import NewMark, imported_annotator, note_unknown_types, write_marks
from summarizer.models import Summary

#: The release does not say which of its people marked which summary: one annotator stands for all.
PEOPLE = "release annotators"


def person(
    pseudonym: str, study: Study, record: Record, *, annotates: bool = False, reviews: bool = False
) -> Annotator:
    """The annotator without a login that stands for people of the release, as a member of the study."""
    annotator, created = imported_annotator(pseudonym, Annotator.Kind.PERSON)
    record.created["people"] += created
    StudyMember.objects.get_or_create(
        study=study, annotator=annotator, defaults={"annotates": annotates, "reviews": reviews}
    )
    return annotator


@dataclass(frozen=True)
class MarkImport:
    study: Study
    summaries: SummaryImport
    types: dict[str, ErrorType]
    #: Marks whose text occurs more than once are flagged for somebody to place by hand.
    queue_ambiguous: bool
    record: Record

    def take_files(self, files: ReleaseFiles) -> None:
        for system, path in files.marks.items():
            annotator = person(PEOPLE, self.study, self.record, annotates=True)
            marked = set(
                AnnotationSet.objects.filter(study=self.study, annotator=annotator).values_list("summary_id", flat=True)
            )
            for book, entry in read_marks(path).items():
                known = self.summaries.found.get(system, {}).get(book)
                summary = known or self.summaries.take(system, book, entry.summary)
                marks = self._placed(summary, entry, f"{files.name(path)}, {book}")
                if summary.pk not in marked:
                    self._write(annotator, summary, marks)
                elif self._stored_marks(annotator, summary) != [_said(summary, mark) for mark in marks]:
                    self.record.note(
                        f"{files.name(path)}, {book}",
                        "Other marks were imported before: those stay, these are left out.",
                    )

    def _placed(self, summary: Summary, entry: MarkedSummary, where: str) -> list[NewMark]:
        marks = []
        for index, mark in enumerate(entry.marks):
            if placed := self.place(summary, mark, f"mark {index}", where, entry.summary):
                marks.append(placed)
        note_unknown_types(where, marks, self.types, self.record)
        if summary.text.split() != entry.summary.split():
            self.record.note(where, "The marked text differs from the stored summary: marks stand at the same words.")
        if ambiguous := sum(any("occurs" in flag for flag in mark.flags) for mark in marks):
            rule = "placed at the first, to be placed by hand" if self.queue_ambiguous else "placed at the first"
            self.record.note(where, f"{counted(ambiguous, 'mark')} on text that occurs more than once: {rule}.")
        return marks

    def place(self, summary: Summary, mark: ReleasedMark, name: str, where: str, marked: str) -> NewMark | None:
        """The mark at its place in the summary, with what had to be guessed as flags; None (noted) if it has none.

        `marked` is the text that was marked, which may be another version of the stored one.
        """
        places = [locate(summary.text, quote) or _elsewhere(summary.text, quote, marked) for quote in mark.quotes]
        found = [place for place in places if place is not None]
        if len(found) < len(mark.quotes):
            quote = next(quote for quote, place in zip(mark.quotes, places, strict=True) if place is None)
            self.record.note(where, f"“{quote}” does not occur in the summary: a mark is left out.")
            return None
        return NewMark(
            name=name,
            spans=tuple((place.start, place.end) for place in found),
            questions=mark.questions,
            types=mark.types,
            flags=self._flags(mark, found),
        )

    def _flags(self, mark: ReleasedMark, places: list[Place]) -> tuple[str, ...]:
        flags = [f"span occurs {place.occurrences} times" for place in places if place.occurrences > 1]
        if flags and self.queue_ambiguous:
            flags.append(PLACE_BY_HAND)
        if any(place.carried_over for place in places):
            flags.append("another version of the summary was marked")
        if any(place.loosely for place in places):
            flags.append("white space of the span differs")
        if len(mark.quotes) == 2 and mark.quotes[0] == mark.quotes[1]:
            flags.append(SAME_SPAN_TWICE)
        return tuple(dict.fromkeys(flags))

    def _stored_marks(self, annotator: Annotator, summary: Summary) -> list[tuple[list[str], str]]:
        """What the stored marks say (`_said`), wherever they have been placed since."""
        stored = Annotation.objects.filter(
            annotation_set__study=self.study, annotation_set__annotator=annotator, annotation_set__summary=summary
        )
        return [
            ([span.quote for span in mark.spans.all()], mark.questions)
            for mark in stored.order_by("pk").prefetch_related("spans")
        ]

    def _write(self, annotator: Annotator, summary: Summary, marks: list[NewMark]) -> None:
        annotation_set = AnnotationSet.objects.create(
            study=self.study,
            annotator=annotator,
            summary=summary,
            state=AnnotationSet.State.SUBMITTED,
            submitted_at=timezone.now(),
        )
        write_marks(annotation_set, summary.text, marks, self.types, self.record)


def _said(summary: Summary, mark: NewMark) -> tuple[list[str], str]:
    """Quotes and questions."""
    return [summary.text[start:end] for start, end in mark.spans], mark.questions


def _elsewhere(stored: str, quote: str, marked: str) -> Place | None:
    """The place of a quote that only the marked version of the text has."""
    place = locate(marked, quote)
    return carry_over(marked, stored, place) if place else None
