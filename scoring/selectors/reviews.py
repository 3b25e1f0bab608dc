"""Decisions of reviewers, by the source of the mark: each with its book, the form of the mark and how it was shown."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotator, Assignment, ReviewDecision, ReviewItem, Span, Study
from annotation.places import Form, Place, form_of
from scoring.selectors.order import places_of_books
from scoring.statistics.precision import Decisions
from summarizer.models import Book, Sentence

Group = TypeVar("Group", bound=Hashable)


class Decided(NamedTuple):
    """What is told apart of a reviewer's decision on a mark. `reviewer` is a pseudonym."""

    #: Of the book, where books are resampled (`places_of_books`).
    book_place: int
    form: Form
    shown_as: str
    reviewer: str
    agreement: str


@dataclass
class SourceDecisions:
    """`source` is None for people, else the judge."""

    source: int | None
    #: Name of the judge, for one that is not in the study's list: its model, or its pseudonym if it has none.
    name: str = ""
    #: How many decisions there are of each kind.
    decided: Counter[Decided] = field(default_factory=Counter)
    #: Marks that nobody decided on yet.
    undecided: int = 0

    @property
    def total(self) -> Decisions:
        return self.by(lambda each: None).get(None, Decisions())

    def by(self, group: Callable[[Decided], Group]) -> dict[Group, Decisions]:
        """Counts of the decisions in each group, groups in their own order."""
        counts: dict[Group, Counter[str]] = defaultdict(Counter)
        for each, count in self.decided.items():
            counts[group(each)][each.agreement] += count
        return {key: Decisions(**count) for key, count in counts.items()}


def locked_decisions(study: Study) -> QuerySet[ReviewDecision]:
    """Decisions that were handed in: their reviewer submitted the task, or they were imported without one.

    A reviewer who left in the middle never said that the answers were final, and whoever took the task over answers
    for the same marks again. What a reviewer submitted before leaving stays.
    """
    unfinished_task = Assignment.objects.filter(
        ~Q(state=Assignment.State.SUBMITTED),
        study=study,
        task=Assignment.Task.REVIEW,
        annotator=OuterRef("reviewer"),
        summary=OuterRef("item__annotation__annotation_set__summary"),
    )
    return ReviewDecision.objects.filter(~Exists(unfinished_task), item__study=study)


def decisions_by_source(study: Study) -> list[SourceDecisions]:
    """People first, then judges by name; five queries."""
    mark = "item__annotation"
    annotator = f"{mark}__annotation_set__annotator"
    rows = list(
        locked_decisions(study)
        .order_by("pk")
        .values_list(
            f"{annotator}__kind",
            f"{annotator}_id",
            f"{annotator}__model",
            f"{annotator}__pseudonym",
            mark,
            f"{mark}__annotation_set__summary__book_id",
            "shown_as",
            "reviewer__pseudonym",
            "agreement",
        )
    )
    forms = forms_of_reviewed_marks(study)
    places = places_of_books(Book.objects.filter(pk__in={row[5] for row in rows}))
    found: dict[int | None, SourceDecisions] = {}
    names: dict[int | None, str] = {}
    for kind, annotator_id, model, pseudonym, annotation, book, shown_as, reviewer, agreement in rows:
        source = None if kind == Annotator.Kind.PERSON else annotator_id
        form = forms.get(annotation, Form.PART)
        decisions = found.setdefault(source, SourceDecisions(source, model or pseudonym))
        decisions.decided[Decided(places[book], form, shown_as, reviewer, agreement)] += 1
        names[source] = pseudonym
    for kind, annotator_id, model, pseudonym, count in _undecided(study):
        source = None if kind == Annotator.Kind.PERSON else annotator_id
        found.setdefault(source, SourceDecisions(source, model or pseudonym)).undecided += count
        names[source] = pseudonym
    return sorted(found.values(), key=lambda each: (each.source is not None, each.name, names[each.source]))


def judges_only_reviewed(study: Study, judges: list[Annotator]) -> list[str]:
    """Names, as above, of judges with reviewed marks that are not in the study's list."""
    found = Annotator.objects.filter(
        kind=Annotator.Kind.JUDGE, annotation_sets__annotations__review_items__in=ReviewItem.objects.filter(study=study)
    ).exclude(pk__in=[judge.pk for judge in judges])
    rows = found.order_by().values_list("model", "pseudonym").distinct()
    return sorted({model or pseudonym for model, pseudonym in rows})


def forms_of_reviewed_marks(study: Study) -> dict[int, Form]:
    """The form in which each mark of the study's review was marked, by its id; two queries."""
    reviewed = ReviewItem.objects.filter(study=study)
    sentences: dict[int, list[Place]] = defaultdict(list)
    rows = Sentence.objects.filter(summary__in=reviewed.values("annotation__annotation_set__summary"))
    for summary, start, end in rows.order_by("summary_id", "start").values_list("summary_id", "start", "end"):
        sentences[summary].append((start, end))
    spans = Span.objects.filter(annotation__in=reviewed.values("annotation")).order_by("annotation_id", "position")
    columns = ("annotation_id", "annotation__annotation_set__summary_id", "start", "end")
    by_mark = groupby(spans.values_list(*columns).iterator(5000), key=itemgetter(0, 1))
    return {
        annotation: form_of([(start, end) for *_, start, end in own], sentences[summary])
        for (annotation, summary), own in by_mark
    }


def _undecided(study: Study) -> QuerySet[ReviewItem, tuple[str, int, str, str, int]]:
    annotator = "annotation__annotation_set__annotator"
    decided = locked_decisions(study).filter(item=OuterRef("pk"))
    items = ReviewItem.objects.filter(~Exists(decided), study=study)
    grouped = items.order_by().values_list(
        f"{annotator}__kind", f"{annotator}_id", f"{annotator}__model", f"{annotator}__pseudonym"
    )
    return grouped.annotate(count=Count("id"))
