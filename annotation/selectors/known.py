"""Attention checks of a study, and what each person made of them: for researchers, in no figure of the study."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotation.known import Found, compare_with_known
from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    GoldSet,
    KnownPlace,
    KnownSummary,
    PlantedMark,
    Purpose,
    ReviewDecision,
    Span,
    Study,
)
from annotation.places import Place
from summarizer.models import Sentence, Summary

AGREE, PARTIAL = ReviewDecision.Agreement.AGREE, ReviewDecision.Agreement.PARTIAL


@dataclass(frozen=True)
class PersonChecks:
    """What one person made of the attention checks that they submitted."""

    pseudonym: str
    summaries: int = 0
    places: int = 0
    touched: int = 0
    marks_elsewhere: int = 0
    sentences_elsewhere: int = 0
    #: Known summaries that the person left out.
    left_out: int = 0
    #: Planted marks answered in submitted reviews.
    planted: int = 0
    as_expected: int = 0
    partly: int = 0

    @property
    def per_hundred(self) -> float | None:
        """Marks per 100 sentences outside the known places; None where there are no such sentences."""
        return 100 * self.marks_elsewhere / self.sentences_elsewhere if self.sentences_elsewhere else None

    @property
    def opposite(self) -> int:
        return self.planted - self.as_expected - self.partly

    def with_summary(self, found: Found) -> "PersonChecks":
        return replace(
            self,
            summaries=self.summaries + 1,
            places=self.places + len(found.touched),
            touched=self.touched + sum(found.touched),
            marks_elsewhere=self.marks_elsewhere + found.marks_elsewhere,
            sentences_elsewhere=self.sentences_elsewhere + found.sentences_elsewhere,
        )

    def with_decision(self, agreement: str, expected: str) -> "PersonChecks":
        return replace(
            self,
            planted=self.planted + 1,
            as_expected=self.as_expected + (agreement == expected),
            partly=self.partly + (agreement == PARTIAL),
        )


def check_results(study: Study) -> list[PersonChecks]:
    """Everybody with a submitted or left out check, by pseudonym; the number of queries does not grow with them."""
    if not (study.known_summaries.filter(purpose=Purpose.CHECK).exists() or planted_in(study).exists()):
        return []
    people: dict[int, PersonChecks] = {}
    names = dict(Annotator.objects.filter(assignments__study=study).values_list("pk", "pseudonym"))

    def of(annotator: int) -> PersonChecks:
        return people.get(annotator, PersonChecks(names.get(annotator, "")))

    sets = AnnotationSet.all_purposes.filter(study=study, purpose=Purpose.CHECK)
    for annotator, found in found_in(sets.filter(state=AnnotationSet.State.SUBMITTED)):
        people[annotator] = of(annotator).with_summary(found)
    left = Assignment.all_purposes.filter(study=study, purpose=Purpose.CHECK, state=Assignment.State.SKIPPED).order_by()
    for annotator, count in left.values_list("annotator").annotate(Count("pk")):
        people[annotator] = replace(of(annotator), left_out=count)
    for annotator, agreement, expected in _planted_decisions(study):
        people[annotator] = of(annotator).with_decision(agreement, expected)
    return sorted(people.values(), key=lambda person: person.pseudonym)


def found_in(sets: QuerySet[AnnotationSet]) -> Iterable[tuple[int, Found]]:
    """For each set on a known summary of its study: its annotator, and what the marks touch."""
    rows = list(sets.order_by("pk").values_list("pk", "annotator", "study", "summary"))
    summaries = {summary for *_, summary in rows}
    places: dict[tuple[int, int], list[Place]] = defaultdict(list)
    known = KnownPlace.objects.filter(known__summary__in=summaries).order_by("start", "end")
    for study, summary, start, end in known.values_list("known__study", "known__summary", "start", "end"):
        places[study, summary].append((start, end))
    sentences: dict[int, list[Place]] = defaultdict(list)
    for summary, start, end in Sentence.objects.filter(summary__in=summaries).values_list("summary", "start", "end"):
        sentences[summary].append((start, end))
    marks: dict[int, dict[int, list[Place]]] = defaultdict(lambda: defaultdict(list))
    spans = Span.objects.filter(annotation__annotation_set__in=sets).order_by("annotation", "position")
    for key, mark, start, end in spans.values_list("annotation__annotation_set", "annotation", "start", "end"):
        marks[key][mark].append((start, end))
    for key, annotator, study, summary in rows:
        if study is not None:
            yield (
                annotator,
                compare_with_known(places[study, summary], list(marks[key].values()), sentences[summary]),
            )


def _planted_decisions(study: Study) -> Iterable[tuple[int, str, str]]:
    submitted = Assignment.objects.filter(
        study=study,
        task=Assignment.Task.REVIEW,
        state=Assignment.State.SUBMITTED,
        annotator=OuterRef("reviewer"),
        summary=OuterRef("item__annotation__annotation_set__summary"),
    )
    decisions = ReviewDecision.with_planted.filter(Exists(submitted), item__study=study, item__planted=True)
    return decisions.order_by("pk").values_list("reviewer", "agreement", "item__annotation__planted__expected")


def checks_of(study: Study) -> QuerySet[KnownSummary]:
    known = study.known_summaries.filter(purpose=Purpose.CHECK).select_related("summary__book", "summary__system")
    return known.defer("summary__text", "summary__book__text").prefetch_related("places")


def checks_to_give(study: Study) -> list[tuple[int, int]]:
    """(summary, book) of the known summaries that have places: one without tells nothing of anybody."""
    known = study.known_summaries.filter(purpose=Purpose.CHECK, places__isnull=False).distinct().order_by("pk")
    return list(known.values_list("summary", "summary__book"))


def gold_sets_for(known: KnownSummary) -> QuerySet[GoldSet]:
    """Finished gold sets of the summary, in any study, from which its places can be taken."""
    gold = GoldSet.objects.filter(summary=known.summary_id, state=GoldSet.State.FINISHED)
    return gold.select_related("study").order_by("pk")


def planted_in(study: Study) -> QuerySet[PlantedMark]:
    planted = PlantedMark.objects.filter(annotation__annotation_set__study=study)
    return planted.select_related("annotation__annotation_set__summary__book").prefetch_related("annotation__spans")


def planted_marks(study: Study, summaries: Sequence[int]) -> list[int]:
    """The planted marks on these summaries."""
    planted = Annotation.objects.filter(
        planted__isnull=False, annotation_set__study=study, annotation_set__summary__in=summaries
    )
    return list(planted.order_by("pk").values_list("pk", flat=True))


def may_be_known(study: Study, words: str) -> QuerySet[Summary]:
    """Summaries of books that the study has no summary of, whose book or system is named so."""
    books = study.summaries.values("book__title")
    known = study.known_summaries.values("summary__book__title")
    others = Summary.objects.exclude(book__title__in=books).exclude(book__title__in=known)
    if words:
        others = others.filter(book__title__icontains=words) | others.filter(system__name__icontains=words)
    return others.select_related("book", "system").defer("text", "book__text").order_by("book__title", "pk")
