"""Answers about pairs of summaries, from stored answers and from imported totals, in one form."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

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
class ChoiceCount:
    """How often a person chose one of two systems (`chosen`; "" for a draw) in a round, asked a question."""

    round: str
    question: str
    #: By name.
    systems: tuple[str, str]
    person: str
    chosen: str
    count: int


@dataclass(frozen=True)
class PreferenceCounts:
    #: Pairs of summaries that a person answered about, by round.
    pairs: dict[str, int]
    answers: list[AnswerCount]
    #: The answers among them that choose between two systems, person by person.
    choices: list[ChoiceCount]
    #: Choices that an imported round has as totals of more than two systems, so that it is unknown between which.
    choices_without_pair: int


def preference_counts(study: Study) -> PreferenceCounts:
    """Four queries, whatever the number of answers."""
    answers, totals = list(_answers(study)), list(_totals(study))
    choices, without_pair = _choices_of_totals(totals)
    return PreferenceCounts(
        pairs=_pairs(study),
        answers=_summed([*map(_as_answer, answers), *map(_as_total, totals)]),
        choices=[*filter(None, map(_as_choice, answers)), *choices],
        choices_without_pair=without_pair,
    )


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


class _Answered(NamedTuple):
    """Equal answers of one person about summaries of the same two systems."""

    round: str
    question: str
    answer: str
    first: str
    second: str
    person: str
    times: int


class _Total(NamedTuple):
    round: str
    question: str
    system: str | None
    answer: str
    person: str
    times: int


def _answers(study: Study) -> Iterator[_Answered]:
    answers = ComparisonAnswer.objects.filter(comparison__study=study).order_by()
    grouped = answers.values_list(
        "comparison__round",
        "question",
        "answer",
        "comparison__first__system__name",
        "comparison__second__system__name",
        "annotator__pseudonym",
    )
    return (_Answered(*row) for row in grouped.annotate(count=Count("id")))


def _totals(study: Study) -> Iterator[_Total]:
    totals = ComparisonTally.objects.filter(study=study).order_by()
    grouped = totals.values_list("round", "question", "system__name", "answer", "annotator__pseudonym")
    return (total for row in grouped.annotate(total=Sum("count")) if (total := _Total(*row)).times)


def _summed(answers: Iterable[AnswerCount]) -> list[AnswerCount]:
    """Equal answers of several people as one."""
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for each in answers:
        counts[each.round, each.question, each.system, each.answer] += each.count
    return [AnswerCount(*words, count) for words, count in counts.items()]


def _as_answer(given: _Answered) -> AnswerCount:
    words = in_words(given.question, given.answer, {"first": given.first, "second": given.second})
    return AnswerCount(given.round, *words, given.times)


def _as_total(total: _Total) -> AnswerCount:
    return AnswerCount(total.round, total.question, total.system or "", total.answer or "chosen", total.times)


def _as_choice(given: _Answered) -> ChoiceCount | None:
    """None for yes and no, and for two summaries by one system."""
    if given.answer not in ("first", "second", "draw") or given.first == given.second:
        return None
    chosen = {"first": given.first, "second": given.second}.get(given.answer, "")
    systems = (min(given.first, given.second), max(given.first, given.second))
    return ChoiceCount(given.round, given.question, systems, given.person, chosen, given.times)


def _choices_of_totals(totals: list[_Total]) -> tuple[list[ChoiceCount], int]:
    """The choices in totals of a round with two systems; and how many others there are."""
    named: dict[str, set[str]] = defaultdict(set)
    for total in totals:
        named[total.round] |= {total.system} if total.system else set()
    found, without_pair = [], 0
    for total in totals:
        if total.answer not in ("", "draw"):
            continue
        if len(named[total.round]) == 2:
            first, second = sorted(named[total.round])
            chosen = total.system or ""
            found.append(ChoiceCount(total.round, total.question, (first, second), total.person, chosen, total.times))
        else:
            without_pair += total.times
    return found, without_pair


def in_words(question: str, answer: str, systems: dict[str, str]) -> tuple[str, str, str]:
    """Question, system and answer of an answer that names sides: ("omission-first", "yes") is about a system."""
    if answer in systems:
        return question, systems[answer], "chosen"
    name, _, side = question.rpartition("-")
    if side in systems:
        return name, systems[side], answer
    return question, "", answer
