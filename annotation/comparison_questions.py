"""The questions of a comparison, and the names of their answers. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CHOICE, YES_NO, EACH = "choice", "yes-no", "each"
#: What can be answered to a question of a kind, in the terms of the person who compares A and B.
ANSWERS = {CHOICE: ("a", "b", "draw"), YES_NO: ("yes", "no"), EACH: ("yes", "no")}
SIDES = ("a", "b")


@dataclass(frozen=True)
class Question:
    key: str
    words: str
    kind: str = CHOICE
    asks_comment: bool = True
    required: bool = True


#: What the published study asked (BooookScore, section 5 and table 4), in our own words.
DEFAULT_QUESTIONS = (
    Question("detail", "Which summary has the better level of detail?"),
    Question("structure", "Which summary is better structured and paced?"),
    Question("logic", "Which summary is more logical and easier to understand?"),
    Question("contradiction", "Do the two summaries contradict each other?", YES_NO),
    Question("omission", "Does this summary leave out something important that the other one tells?", EACH),
    Question("preference", "Which summary do you prefer overall?"),
)


def slots_of(key: str, kind: str) -> tuple[str, ...]:
    """The names under which a person answers a question: one, or one for each of A and B."""
    return tuple(f"{key}-{side}" for side in SIDES) if kind == EACH else (key,)


def stored_answer(slot: str, answer: str, *, kind: str, first_is_a: bool) -> tuple[str, str]:
    """Question and answer of a slot in terms of the comparison's first and second summary."""
    names = dict(zip(SIDES, ("first", "second") if first_is_a else ("second", "first"), strict=True))
    if kind == EACH:
        key, _, side = slot.rpartition("-")
        return f"{key}-{names[side]}", answer
    return slot, names.get(answer, answer)


@dataclass(frozen=True)
class SavedAnswer:
    """A draft of an answer; `slot` names what is answered: a question, or a question about A or B."""

    slot: str
    answer: str
    comment: str
    version: int


def saved_answer(answers: Mapping[str, Any], slot: str) -> SavedAnswer:
    """The draft of a slot on a sheet; empty and of version 0 where there is none yet."""
    kept = answers.get(slot, {"answer": "", "comment": "", "version": 0})
    return SavedAnswer(slot, kept["answer"], kept["comment"], kept["version"])
