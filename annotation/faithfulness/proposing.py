"""Asking an LLM for changes of statements, as a pure strategy. Like those of rules they are proposals, and no more.

One step a statement, all in one batch; an answer that can't be used is asked for once more (a refusal is not), and then
there is none.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotation.faithfulness.perturbing import says_the_same
from annotation.judge.strategy import ASKED_AGAIN, require_an_endpoint_that_can_judge
from summarizer.prompts import render
from summarizer.strategies.base import Failure, Outcome, Step, Strategy

PROMPT = Path(__file__).with_name("change_statement.txt")
#: Name and version of the prompt: another text gets another one.
PROMPT_NAME = "change-statement-1"
TRIES = 2
TEMPERATURE = 0.0
LONGEST = 1000
#: Tokens of the answer besides the statement, for the plan.
ANSWER_TOKENS = 10
REMINDER = "\n\nGive one line and nothing else. It begins with “Changed:”, and says something else than the statement."

_TAG = re.compile(r"<(?=/?\s*(?:summary|statement)\s*/?>)", re.IGNORECASE)
_ANSWER = re.compile(r"^[*_`>\s]*changed[*_`\s]*:[*_`\s]*(.*?)[*_`\s]*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToChange:
    """A summary, and of its statements those that are to be changed: (key, as it stands, its number of tokens)."""

    summary: str
    statements: tuple[tuple[int, str, int], ...]
    max_answer_tokens: int


@dataclass(frozen=True, slots=True)
class Proposed:
    """What came of a statement: its change, or why there is none."""

    key: int
    text: str = ""
    problem: str = ""


def propose(material: ToChange) -> Strategy[list[Proposed]]:
    """One for every statement, in order. Raises `StrategyFailed` for an endpoint that can't answer at all."""
    found: dict[int, Proposed] = {}
    waiting = list(range(len(material.statements)))
    for attempt in range(TRIES):
        steps = [_step(material, index, attempt) for index in waiting]
        outcomes = yield steps
        require_an_endpoint_that_can_judge(steps, outcomes)
        asked, waiting = waiting, []
        for index, outcome in zip(asked, outcomes, strict=True):
            found[index] = _read(material, index, outcome)
            refused = isinstance(outcome, Failure) and outcome.kind not in ASKED_AGAIN
            if found[index].problem and not refused:
                waiting.append(index)
        if not waiting:
            break
    return [found[index] for index in range(len(material.statements))]


def read_change(reply: str, statement: str) -> tuple[str, str]:
    """The changed statement in one line, or an empty text and why it can't be used.

    The last line that begins with “Changed:” counts, because models that reason first may try some before.
    """
    lines = _ANSWER.findall(reply)
    text = " ".join(lines[-1].split()) if lines else ""
    if not text:
        return "", "The answer has no line that begins with “Changed:”."
    if len(text) > LONGEST:
        return "", f"The answer has more than {LONGEST} characters."
    if says_the_same(text, statement):
        return "", "The answer says what the statement said."
    return text, ""


def _step(material: ToChange, index: int, attempt: int) -> Step:
    _, statement, tokens = material.statements[index]
    texts = {"summary": _without_tags(material.summary), "statement": _without_tags(statement)}
    name = f"statement {index + 1}"
    return Step(
        name=name if attempt == 0 else f"{name}, try {attempt + 1}",
        prompt=render(_template(), texts, "named", ()) + (REMINDER if attempt else ""),
        max_tokens=material.max_answer_tokens,
        temperature=TEMPERATURE,
        expected_tokens=min(tokens + ANSWER_TOKENS, material.max_answer_tokens),
    )


def _read(material: ToChange, index: int, outcome: Outcome) -> Proposed:
    key, statement, _ = material.statements[index]
    if isinstance(outcome, Failure):
        return Proposed(key, problem=f"{outcome.kind.capitalize()}: {outcome.message}")
    text, problem = read_change(outcome.text, statement)
    return Proposed(key, text, problem)


def expected_answer(step: Step) -> str:
    """For a plan: an answer that is read at once."""
    return "Changed: something else"


def _without_tags(text: str) -> str:
    return _TAG.sub("‹", text)


@cache
def _template() -> str:
    return PROMPT.read_text(encoding="utf-8")
