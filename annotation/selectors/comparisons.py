"""Rounds of comparisons: their pairs, who has which, and what a round lacks before it can open."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.access import is_unblinded
from annotation.assignment import Item, Person, shortage
from annotation.deadlines import deadline_problem
from annotation.models import Assignment, Comparison, ComparisonRound, Study
from annotation.selectors.assignment import people_of
from summarizer.models import Book, Summary

#: How many pairs a sentence names before it counts the rest.
NAMED = 5


def items_to_compare(asked_in: ComparisonRound) -> list[Item]:
    return [Item(pk, book) for pk, book in asked_in.comparisons.values_list("pk", "first__book")]


def people_compared(asked_in: ComparisonRound) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Two maps from comparisons to people: who has the task or did it, and whose task ended unanswered."""
    taken: dict[int, set[int]] = defaultdict(set)
    declined: dict[int, set[int]] = defaultdict(set)
    rows = Assignment.objects.filter(comparison__asked_in=asked_in).values_list("comparison", "annotator", "state")
    for comparison, annotator, state in rows:
        (declined if state == Assignment.State.SKIPPED else taken)[comparison].add(annotator)
    return taken, declined


def reviewers_to_keep(study: Study) -> int:
    """How many people must stay free of each book to review the marks on it; 0 once the reviews are given out."""
    coming = study.phase == Study.Phase.ANNOTATING
    return study.review_overlap if coming else 0


@dataclass(frozen=True)
class RoundProgress:
    """Tasks of a round: what it asks for in all, and how many are given out and submitted."""

    asked: int
    given: int
    submitted: int

    @property
    def free(self) -> int:
        return max(0, self.asked - self.given)


def rounds_of(study: Study) -> list[tuple[ComparisonRound, RoundProgress]]:
    """The study's rounds, oldest first, each with `pair_count` and its progress."""
    rounds = study.comparison_rounds.order_by("pk").annotate(pair_count=Count("comparisons"))
    given: dict[int, int] = defaultdict(int)
    submitted: dict[int, int] = defaultdict(int)
    tasks = Assignment.objects.filter(comparison__asked_in__study=study).exclude(state=Assignment.State.SKIPPED)
    for pk, state, count in tasks.order_by().values_list("comparison__asked_in", "state").annotate(Count("pk")):
        given[pk] += count
        submitted[pk] += count if state == Assignment.State.SUBMITTED else 0
    return [
        (each, RoundProgress(each.pair_count * each.overlap, given[each.pk], submitted[each.pk])) for each in rounds
    ]


def pairs_of(asked_in: ComparisonRound) -> QuerySet[Comparison]:
    """The round's comparisons with book and systems, without the texts, by book."""
    pairs = asked_in.comparisons.select_related("first__book", "first__system", "second__system")
    pairs = pairs.defer("first__text", "second__text", "first__book__text")
    return pairs.order_by("first__book__title", "first__book", "first__system__name", "second__system__name")


def comparable_books(study: Study) -> list[tuple[Book, list[Summary]]]:
    """Books of which the study has summaries by two systems or more, with these summaries."""
    summaries = study.summaries.select_related("book", "system").defer("text", "book__text")
    by_book: dict[int, list[Summary]] = defaultdict(list)
    for summary in summaries.order_by("book__title", "book", "system__name", "pk"):
        by_book[summary.book_id].append(summary)
    return [(each[0].book, each) for each in by_book.values() if len({summary.system_id for summary in each}) > 1]


def round_problems(asked_in: ComparisonRound) -> list[str]:
    """Why a round can't be opened, as sentences that say what to do."""
    study = asked_in.study
    if is_unblinded(study):
        return ["This study is unblinded, so nobody compares its summaries any more. Make another study."]
    if late := deadline_problem(study, Assignment.Task.COMPARE):
        return [late]
    if not asked_in.comparisons.exists():
        return ["The round has no pairs yet. Choose two systems, or add pairs one by one."]
    if not asked_in.questions.exists():
        return ["The round has no questions. Add at least one."]
    if study.phase == Study.Phase.SETUP and study.members.filter(Q(annotates=True) | Q(reviews=True)).exists():
        return [
            "People also annotate or review in this study, and a comparison comes after a person’s annotating, so open "
            "annotating first."
        ]
    if not study.members.filter(compares=True).exists():
        return ["Nobody compares yet. Choose who does."]
    people = people_of(study)
    items = items_to_compare(asked_in)
    short = shortage(
        items,
        people,
        annotation_overlap=asked_in.overlap,
        review_overlap=reviewers_to_keep(study),
        may=Person.may_compare,
    )
    return [*_too_few(asked_in, short.annotators), *_no_reviewer(study, short.reviewers)]


def _too_few(asked_in: ComparisonRound, pairs: Sequence[int]) -> list[str]:
    if not pairs:
        return []
    people = _number(asked_in.overlap, "person", "people")
    return [
        f"{_number(len(pairs), 'pair has', 'pairs have')} fewer than {people} who may compare: "
        f"{pair_names(pairs)}. Nobody compares summaries of a book while they still have one of it to "
        "annotate, in this study or another, or if they reviewed or saw marks on it. Add people who compare, ask fewer "
        "people per pair, or wait until their annotating is submitted."
    ]


def _no_reviewer(study: Study, pairs: Sequence[int]) -> list[str]:
    if not pairs:
        return []
    reviewers = _number(study.review_overlap, "reviewer", "reviewers")
    return [
        f"{_number(len(pairs), 'pair', 'pairs')} would leave too few people to review the marks on the book, which "
        f"needs {reviewers} who did not compare its summaries: {pair_names(pairs)}. Add people who compare and do not "
        "review, or open the round after the review has been opened."
    ]


def pair_names(pairs: Sequence[int]) -> str:
    """The first few of these pairs by book and systems, and how many more there are."""
    named = Comparison.objects.filter(pk__in=pairs[:NAMED]).select_related(
        "first__book", "first__system", "second__system"
    )
    names = ", ".join(
        f"{each.first.book.title} ({each.first.system} / {each.second.system})" for each in named.order_by("pk")
    )
    rest = len(pairs) - NAMED
    return f"{names} and {rest} more" if rest > 0 else names


def _number(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
