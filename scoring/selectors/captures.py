"""Which sources found which confusing sentences, by marks that reviewers upheld."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef

from annotation.models import Annotator, ReviewDecision, ReviewItem, Span
from scoring.selectors.marks import MarkedSummary, StudyMarks
from scoring.selectors.reviews import locked_decisions
from scoring.statistics.booookscore import SentenceGrid

UPHOLDING = (ReviewDecision.Agreement.AGREE, ReviewDecision.Agreement.PARTIAL)


@dataclass(frozen=True)
class CapturedSummary:
    """Sources are ids of annotators: `people` and `judges` who looked, and for a sentence those who found it."""

    #: Of the book, where books are resampled (`places_of_books`).
    book_place: int
    splitter: str
    #: By pseudonym.
    people: tuple[int, ...]
    judges: frozenset[int]
    found: Mapping[int, frozenset[int]]


@dataclass(frozen=True)
class Captures:
    #: Decisions that count; with none there is nothing to estimate from.
    decisions: int
    #: Marks in the review that nobody decided on: they count as not upheld.
    undecided: int
    summaries: list[CapturedSummary]


def captures(marks: StudyMarks) -> Captures:
    """A mark is upheld if more of its reviewers agreed, at least partially, than disagreed. Three queries."""
    decided = list(
        locked_decisions(marks.study)
        .order_by()
        .values_list(
            "item__annotation",
            "item__annotation__annotation_set__annotator",
            "item__annotation__annotation_set__annotator__kind",
            "item__annotation__annotation_set__annotator__model",
            "item__annotation__annotation_set__summary",
            "agreement",
        )
        .annotate(Count("pk"))
    )
    balance: dict[tuple[int, int, str, str, int], int] = defaultdict(int)
    for *mark, agreement, count in decided:
        balance[tuple(mark)] += count if agreement in UPHOLDING else -count
    upheld = {
        mark: (annotator, kind, model, summary)
        for (mark, annotator, kind, model, summary), more in balance.items()
        if more > 0
    }
    found = _found(marks, upheld)
    return Captures(
        decisions=sum(row[-1] for row in decided),
        undecided=_undecided(marks),
        summaries=[_captured(summary, found[summary.id]) for summary in marks.summaries],
    )


def _undecided(marks: StudyMarks) -> int:
    decisions = locked_decisions(marks.study).filter(item=OuterRef("pk"))
    return ReviewItem.objects.filter(~Exists(decisions), study=marks.study).count()


def _found(marks: StudyMarks, upheld: Mapping[int, tuple[int, str, str, int]]) -> dict[int, dict[int, set[int]]]:
    """Summary -> position -> sources with an upheld mark on it."""
    summaries = {summary.id: summary for summary in marks.summaries}
    grids = {summary.id: SentenceGrid(summary.ranges) for summary in marks.summaries}
    found: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    reviewed = ReviewItem.objects.filter(study=marks.study)
    spans = Span.objects.filter(annotation__in=reviewed.order_by().values("annotation")).order_by()
    for mark, start, end in spans.values_list("annotation_id", "start", "end").iterator(5000):
        if mark not in upheld or upheld[mark][3] not in summaries:
            continue
        annotator, kind, model, summary_id = upheld[mark]
        source = _source(summaries[summary_id], annotator, kind, model, marks.judges)
        for position in grids[summary_id].touched((start, end)):
            found[summary_id][position].add(source)
    return found


def _source(summary: MarkedSummary, annotator: int, kind: str, model: str, judges: Iterable[Annotator]) -> int:
    """The annotator; where a released review alone knows the mark, whoever of the study it can only be from.

    Those are the one person who marked the summary, or the judge of the same model.
    """
    people = [person.annotator_id for person in summary.people]
    if kind == Annotator.Kind.PERSON:
        return people[0] if annotator not in people and len(people) == 1 else annotator
    if annotator in summary.judges:
        return annotator
    same = [judge.pk for judge in judges if model and judge.model == model and judge.pk in summary.judges]
    return same[0] if len(same) == 1 else annotator


def _captured(summary: MarkedSummary, found: Mapping[int, set[int]]) -> CapturedSummary:
    """Who did not submit the summary is no source on it: nobody knows what they would have left clean."""
    people = tuple(person.annotator_id for person in summary.people)
    judges = frozenset(judge for judge, judged in summary.judges.items() if not judged.unparsed)
    looked = judges.union(people)
    kept = {position: frozenset(sources & looked) for position, sources in found.items()}
    return CapturedSummary(
        book_place=summary.book_place,
        splitter=summary.splitter,
        people=people,
        judges=judges,
        found={position: sources for position, sources in kept.items() if sources},
    )
