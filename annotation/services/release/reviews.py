"""Decisions about marks, each given to the stored mark with the same spans and questions."""

import uuid
from collections import defaultdict
from dataclasses import dataclass, field

from annotation.models import Annotation, AnnotationSet, Annotator, ReviewDecision, ReviewItem
from annotation.release.files import ReleaseFiles
from annotation.release.marks import ReleasedDecision, ReviewedSummary, read_reviews
from annotation.services.release.judges import MODEL
from annotation.services.release.people import PEOPLE, MarkImport, person
from annotation.services.release.record import counted
from annotation.services.release.writing import NAMESPACE, imported_annotator, write_marks
from summarizer.models import Summary

REVIEWERS = "release reviewers"
#: Marks that only the review shows hang on annotators of their own, in sets that count as skipped: they have a
#: decision, and change no score.
ONLY_REVIEWED = "known only from the review"

Key = tuple[tuple[str, ...], str]


@dataclass
class ReviewImport:
    marks: MarkImport
    _order: int = field(default=0)

    def take_files(self, files: ReleaseFiles) -> None:
        study = self.marks.study
        taken = ReviewItem.objects.filter(study=study)
        known = set(taken.values_list("key", flat=True))
        self._order = taken.count()
        for system, path in files.reviews.items():
            reviewer = person(REVIEWERS, study, self.marks.record, reviews=True)
            for book, entry in read_reviews(path).items():
                where = f"{files.name(path)}, {book}"
                summary = self.marks.summaries.found.get(system, {}).get(book)
                summary = summary or self.marks.summaries.take(system, book, entry.summary)
                self._take_summary(summary, entry, reviewer, where, known)

    def _take_summary(
        self, summary: Summary, entry: ReviewedSummary, reviewer: Annotator, where: str, known: set[uuid.UUID]
    ) -> None:
        keys = [
            uuid.uuid5(NAMESPACE, f"{self.marks.study.pk} {summary.pk} {index}")
            for index in range(len(entry.decisions))
        ]
        if not known.isdisjoint(keys):
            return
        stored = self._stored(summary)
        found = [self._match(stored, decision) for decision in entry.decisions]
        self._add_unmatched(summary, entry, found, where)
        items = ReviewItem.objects.bulk_create(
            ReviewItem(key=key, study=self.marks.study, annotation=annotation, order=self._order + index)
            for index, (key, annotation) in enumerate(
                (key, annotation) for key, annotation in zip(keys, found, strict=True) if annotation is not None
            )
        )
        self._order += len(items)
        decided = [
            decision for decision, annotation in zip(entry.decisions, found, strict=True) if annotation is not None
        ]
        decisions = ReviewDecision.objects.bulk_create(
            ReviewDecision(
                item=item,
                reviewer=reviewer,
                agreement=decision.agreement,
                reasons=list(decision.reasons),
                comment=decision.comment,
            )
            for item, decision in zip(items, decided, strict=True)
        )
        self.marks.record.created["decisions"] += len(decisions)

    def _stored(self, summary: Summary) -> dict[tuple[bool, Key], list[Annotation]]:
        """Marks of the study on a summary by source (judge or not), quotes and questions; each is used once."""
        study = self.marks.study
        people = Annotation.objects.filter(annotation_set__study=study, annotation_set__summary=summary)
        judges = Annotation.objects.filter(
            annotation_set__annotator__in=study.judges.all(), annotation_set__summary=summary
        )
        stored: dict[tuple[bool, Key], list[Annotation]] = defaultdict(list)
        for by_judge, annotations in ((False, people), (True, judges)):
            for annotation in annotations.prefetch_related("spans"):
                quotes = tuple(span.quote for span in annotation.spans.all())
                stored[by_judge, (quotes, annotation.questions)].append(annotation)
        return stored

    def _match(self, stored: dict[tuple[bool, Key], list[Annotation]], decision: ReleasedDecision) -> Annotation | None:
        candidates = stored.get((decision.by_judge, decision.mark.key), [])
        return candidates.pop(0) if candidates else None

    def _add_unmatched(
        self, summary: Summary, entry: ReviewedSummary, found: list[Annotation | None], where: str
    ) -> None:
        """Fill the gaps in `found` with marks made for the review alone."""
        gaps: dict[bool, list[tuple[int, ReleasedDecision]]] = defaultdict(list)
        for index, (decision, annotation) in enumerate(zip(entry.decisions, found, strict=True)):
            if annotation is None:
                gaps[decision.by_judge].append((index, decision))
        for by_judge, entries in gaps.items():
            placed = [
                (index, mark)
                for index, decision in entries
                if (mark := self.marks.place(summary, decision.mark, f"reviewed {index}", where, entry.summary))
            ]
            whose = "the judge" if by_judge else "people"
            self.marks.record.note(
                where,
                f"{counted(len(entries), 'reviewed mark')} of {whose} not among the stored ones: "
                f"{len(placed)} kept for the decision alone, without a part in any score.",
            )
            if placed:
                annotations = write_marks(
                    self._set_for_review(summary, by_judge),
                    summary.text,
                    [mark for _, mark in placed],
                    self.marks.types,
                    self.marks.record,
                )
                for (index, _), annotation in zip(placed, annotations, strict=True):
                    found[index] = annotation

    def _set_for_review(self, summary: Summary, by_judge: bool) -> AnnotationSet:
        study = self.marks.study
        if by_judge:
            annotator, _ = imported_annotator(f"{MODEL} ({ONLY_REVIEWED})", Annotator.Kind.JUDGE, model=MODEL)
        else:
            annotator, _ = imported_annotator(f"{PEOPLE} ({ONLY_REVIEWED})", Annotator.Kind.PERSON)
        return AnnotationSet.objects.get_or_create(
            study=study, annotator=annotator, summary=summary, defaults={"state": AnnotationSet.State.SKIPPED}
        )[0]
