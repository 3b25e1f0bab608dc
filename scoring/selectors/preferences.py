"""Answers about pairs of summaries, from stored answers and from imported totals, in one form."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Sum

from annotation.models import ComparisonAnswer, ComparisonTally, Study


@dataclass(frozen=True)
class AnswerCount:
    """`system` is the chosen one, or the one that the question is about; "" for a draw and for yes or no alone."""

    round: str
    question: str
    system: str
    #: "chosen", "draw", "yes" or "no".
    answer: str
    count: int


@dataclass(frozen=True)
class PreferenceCounts:
    #: Pairs of summaries that a person answered about, by round.
    pairs: dict[str, int]
    answers: list[AnswerCount]


def preference_counts(study: Study) -> PreferenceCounts:
    """Three queries, whatever the number of answers."""
    return PreferenceCounts(_pairs(study), [*_answers(study), *_totals(study)])


def _pairs(study: Study) -> dict[str, int]:
    """A pair counts once for each person who answered about it, whatever the round asked."""
    answers = ComparisonAnswer.objects.filter(comparison__study=study).order_by()
    pairs: dict[str, int] = defaultdict(int)
    for round_name, *_ in answers.values_list("comparison__round", "comparison", "annotator").distinct():
        pairs[round_name] += 1
    totals = ComparisonTally.objects.filter(study=study, question="preference").order_by()
    for round_name, count in totals.values_list("round").annotate(total=Sum("count")):
        pairs[round_name] += count
    return dict(pairs)


def _answers(study: Study) -> list[AnswerCount]:
    grouped = (
        ComparisonAnswer.objects.filter(comparison__study=study)
        .order_by()
        .values_list(
            "comparison__round",
            "question",
            "answer",
            "comparison__first__system__name",
            "comparison__second__system__name",
        )
        .annotate(count=Count("id"))
    )
    return [
        AnswerCount(round_name, *_in_words(question, answer, {"first": first, "second": second}), count)
        for round_name, question, answer, first, second, count in grouped
    ]


def _in_words(question: str, answer: str, systems: dict[str, str]) -> tuple[str, str, str]:
    """Question, system and answer of an answer that names sides: ("omission-first", "yes") is about a system."""
    if answer in systems:
        return question, systems[answer], "chosen"
    name, _, side = question.rpartition("-")
    if side in systems:
        return name, systems[side], answer
    return question, "", answer


def _totals(study: Study) -> list[AnswerCount]:
    totals = ComparisonTally.objects.filter(study=study).order_by()
    grouped = totals.values_list("round", "question", "system__name", "answer").annotate(total=Sum("count"))
    return [
        AnswerCount(round_name, question, system or "", answer or "chosen", total)
        for round_name, question, system, answer, total in grouped
        if total
    ]
