"""Decisions of reviewers, counted by the source of the mark and by book."""

from collections import defaultdict
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotator, Assignment, ReviewDecision, ReviewItem, Study
from scoring.statistics.precision import Decisions


@dataclass
class SourceDecisions:
    """`source` is None for people, else the judge."""

    source: int | None
    #: Name of the judge, for one that is not in the study's list.
    name: str = ""
    by_book: dict[int, Decisions] = field(default_factory=dict)
    #: Marks that nobody decided on yet.
    undecided: int = 0

    @property
    def total(self) -> Decisions:
        books = self.by_book.values()
        return Decisions(
            sum(book.agree for book in books), sum(book.partial for book in books), sum(book.disagree for book in books)
        )


def locked_decisions(study: Study) -> QuerySet[ReviewDecision]:
    """Decisions that were handed in: their reviewer submitted the task, or they were imported without one.

    A reviewer who left in the middle never said that the answers were final, and whoever took the task over answers
    for the same marks again.
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
    """People first, then judges by name; two queries."""
    annotator = "item__annotation__annotation_set__annotator"
    book = "item__annotation__annotation_set__summary__book_id"
    grouped = (
        locked_decisions(study)
        .order_by()
        .values_list(f"{annotator}__kind", f"{annotator}_id", f"{annotator}__model", book, "agreement")
        .annotate(count=Count("id"))
    )
    found: dict[int | None, SourceDecisions] = {}
    counts: dict[int | None, dict[int, dict[str, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for kind, annotator_id, model, book_id, agreement, count in grouped:
        source = None if kind == Annotator.Kind.PERSON else annotator_id
        found.setdefault(source, SourceDecisions(source, model))
        counts[source][book_id][agreement] += count
    for source, decisions in found.items():
        decisions.by_book = {book_id: Decisions(**given) for book_id, given in counts[source].items()}
    for kind, annotator_id, model, count in _undecided(study):
        source = None if kind == Annotator.Kind.PERSON else annotator_id
        found.setdefault(source, SourceDecisions(source, model)).undecided += count
    return sorted(found.values(), key=lambda each: (each.source is not None, each.name, each.source or 0))


def _undecided(study: Study) -> QuerySet[ReviewItem, tuple[str, int, str, int]]:
    annotator = "annotation__annotation_set__annotator"
    decided = locked_decisions(study).filter(item=OuterRef("pk"))
    items = ReviewItem.objects.filter(~Exists(decided), study=study)
    grouped = items.order_by().values_list(f"{annotator}__kind", f"{annotator}_id", f"{annotator}__model")
    return grouped.annotate(count=Count("id"))
