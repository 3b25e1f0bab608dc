"""A comparison as the person who does it may see it: two texts, A and B, and the person's own answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.comparison_questions import ANSWERS, EACH, Question, SavedAnswer, saved_answer, slots_of
from annotation.models import Assignment, ComparisonQuestion, ComparisonSheet


@dataclass(frozen=True)
class AskedAnswer:
    """One answer that a question asks for; `label` says about which summary, if about one."""

    slot: str
    label: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class AskedQuestion:
    words: str
    asks_comment: bool
    required: bool
    answers: tuple[AskedAnswer, ...]


WORDS = {"a": "Summary A", "b": "Summary B", "draw": "Draw", "yes": "Yes", "no": "No"}


def texts_of(assignment: Assignment) -> tuple[str, str]:
    """The two texts, A first."""
    sheet = ComparisonSheet.objects.get(assignment=assignment)
    pair = assignment.compared
    texts = (pair.first.text, pair.second.text)
    return texts if sheet.first_is_a else (texts[1], texts[0])


def questions_asked(assignment: Assignment) -> list[AskedQuestion]:
    rows = ComparisonQuestion.objects.filter(round__comparisons=assignment.comparison_id).order_by("order")
    return as_asked(rows)


def as_asked(questions: Iterable[ComparisonQuestion | Question]) -> list[AskedQuestion]:
    return [_asked(each) for each in questions]


def sheet_content(assignment: Assignment) -> dict[str, Any]:
    """{state, active_seconds, answers: [{slot, answer, comment, version}]}; no answer that was not touched yet."""
    sheet = ComparisonSheet.objects.get(assignment=assignment)
    slots = [answer.slot for question in questions_asked(assignment) for answer in question.answers]
    answers: list[SavedAnswer] = [saved_answer(sheet.answers, slot) for slot in slots if slot in sheet.answers]
    return {"state": assignment.state, "active_seconds": sheet.active_seconds, "answers": answers}


def _asked(row: ComparisonQuestion | Question) -> AskedQuestion:
    choices = tuple((answer, WORDS[answer]) for answer in ANSWERS[row.kind])
    answers = tuple(
        AskedAnswer(slot, WORDS[slot[-1]] if row.kind == EACH else "", choices) for slot in slots_of(row.key, row.kind)
    )
    return AskedQuestion(row.words, row.asks_comment, row.required, answers)
