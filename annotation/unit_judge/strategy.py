"""Judging the units of a summary beside passages of its book, as a pure strategy.

One step a unit, all in one batch. An answer that cannot be read is asked for again a bounded number of times and then
stays unparsed, which counts neither as supported nor as unsupported.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.judge.strategy import ASKED_AGAIN, TRIES, one_line, require_an_endpoint_that_can_judge
from annotation.unit_judge.parsing import (
    ANSWER_FORMAT,
    State,
    UnitAnswer,
    begins_like_an_answer,
    parse_unit_answer,
    reads_like_an_answer,
    unparsed,
)
from summarizer.prompts import PromptFiles
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Failure, Outcome, Step, Strategy, StrategyFailed

PROMPT_FILE = "judge_unit.txt"
#: Tokens of a usual answer, for the plan.
EXPECTED_ANSWER_TOKENS = 10
#: Added to the prompt when the answer before could not be read. It says nothing about the verdict.
REMINDER = '\n\nAnswer with JSON and nothing else: {"supported": ...}, its value being true or false.'

_TAG = re.compile(r"<(?=/?\s*(?:summary|passages?|unit)\b)", re.IGNORECASE)
#: A reply of so many characters says more than a verdict: one that stands in the prompt was copied from there.
_LONGEST_VERDICT = 40
_QUOTES = " *_`\"'“”‘’"


@dataclass(frozen=True, slots=True)
class AskedUnit:
    """A unit with the passages that it is judged by, as they stand in the book; `number` counts from 1."""

    number: int
    text: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitSettings:
    prompts: PromptFiles
    temperature: float
    max_answer_tokens: int

    @property
    def has_tags(self) -> bool:
        """Whether the template has tags around the texts, as our own does."""
        return "<unit>" in self.prompts.files[PROMPT_FILE]


@dataclass(frozen=True, slots=True)
class UnitFinding:
    """The verdict on the unit at this place of those that were asked; `call_id` is the ledger's row of its answer."""

    place: int
    state: State
    problem: str = ""
    call_id: int | None = None


def judge_units(summary: str, units: Sequence[AskedUnit], settings: UnitSettings) -> Strategy[list[UnitFinding]]:
    """One finding for every one of `units` of the text `summary`, in order.

    Raises `StrategyFailed` for a failure that says nothing about the unit (the key is refused, the server is down, the
    prompt does not fit), and when the endpoint never gave an answer in the protocol's form.
    """
    findings: dict[int, UnitFinding] = {}
    failures: dict[int, Failure] = {}
    waiting = list(range(len(units)))
    for attempt in range(TRIES):
        if not waiting:
            break
        steps = [_step(summary, units[place], settings, attempt, failures.get(place)) for place in waiting]
        outcomes = yield steps
        require_an_endpoint_that_can_judge(steps, outcomes)
        for place, step, outcome in zip(waiting, steps, outcomes, strict=True):
            answer = _answer(summary, units[place], step, outcome)
            findings[place] = UnitFinding(place, answer.state, answer.problem, outcome.call_id)
            failures.pop(place, None)
            if isinstance(outcome, Failure):
                failures[place] = outcome
        waiting = [place for place in waiting if _worth_another_try(findings[place], failures.get(place))]
    _require_an_endpoint_that_answers(units, failures)
    return [findings[place] for place in range(len(units))]


def unit_prompt(summary: str, unit: AskedUnit, settings: UnitSettings) -> str:
    """The prompt about one unit. In a template with tags around the texts, the texts cannot hold such tags."""
    texts: Mapping[str, str] = {"summary": summary, "unit": unit.text}
    if settings.has_tags:
        texts = {name: _without_tags(text) for name, text in texts.items()}
    passages = listed(unit.passages, has_tags=settings.has_tags)
    return settings.prompts.render(PROMPT_FILE, passages=passages, **texts)


def listed(passages: Sequence[str], *, has_tags: bool) -> str:
    """The passages under the numbers 1, 2, 3, ..., or a word that there is none."""
    if not passages:
        return "(Nothing in the book has to do with the unit.)"
    numbered = enumerate(passages, 1)
    if has_tags:
        return "\n".join(f'<passage number="{n}">\n{_without_tags(text)}\n</passage>' for n, text in numbered)
    return "\n\n".join(f"[{n}] {text}" for n, text in numbered)


def _step(summary: str, unit: AskedUnit, settings: UnitSettings, attempt: int, last_failure: Failure | None) -> Step:
    cut_off = last_failure is not None and last_failure.kind is FailureKind.TRUNCATED
    name = f"unit {unit.number}"
    return Step(
        name=name if attempt == 0 else f"{name}, try {attempt + 1}",
        prompt=unit_prompt(summary, unit, settings) + (REMINDER if attempt else ""),
        max_tokens=settings.max_answer_tokens * (2**attempt if cut_off else 1),
        temperature=settings.temperature,
        expected_tokens=min(EXPECTED_ANSWER_TOKENS, settings.max_answer_tokens),
        response_format=ANSWER_FORMAT,
    )


def _answer(summary: str, unit: AskedUnit, step: Step, outcome: Outcome) -> UnitAnswer:
    if isinstance(outcome, Failure):
        return unparsed(f"{outcome.kind.capitalize()}: {outcome.message}")
    if is_echo(outcome.text, step.prompt):
        return unparsed("The reply repeats the prompt.")
    own_words = _without_quoted_answers(outcome.text, (unit.text, summary, *unit.passages))
    if outcome.text.strip() and not own_words.strip():
        return unparsed("The reply repeats the texts and says nothing of its own.")
    return parse_unit_answer(own_words)


def is_echo(reply: str, prompt: str) -> bool:
    """Whether the reply is a part of the prompt, longer than a verdict, or holds all of it."""
    said, asked = one_line(reply), one_line(prompt)
    return (len(said) > _LONGEST_VERDICT and said in asked) or asked in said


def _without_quoted_answers(reply: str, texts: Sequence[str]) -> str:
    """The reply without those lines of the texts under test that themselves read like an answer, and without those of
    its own that are a piece of such a text (“Yes, said Emma.”)."""
    for text in texts:
        for line in text.split("\n"):
            if reads_like_an_answer(line):
                reply = re.sub(r"\s+".join(map(re.escape, line.split())), " ", reply)
    under_test = [one_line(text) for text in texts]
    lines = reply.split("\n")
    return "\n".join(line for line in lines if not (begins_like_an_answer(line) and _stands_in(line, under_test)))


def _stands_in(line: str, texts: Sequence[str]) -> bool:
    said = one_line(line).strip(_QUOTES)
    return any(said in text for text in texts)


def _worth_another_try(finding: UnitFinding, failure: Failure | None) -> bool:
    return finding.state is State.UNPARSED and (failure is None or failure.kind in ASKED_AGAIN)


def _require_an_endpoint_that_answers(units: Sequence[AskedUnit], failures: Mapping[int, Failure]) -> None:
    malformed = [place for place, failure in failures.items() if failure.kind is FailureKind.MALFORMED]
    if malformed and len(failures) == len(units):
        raise StrategyFailed(f"unit {units[malformed[0]].number}", failures[malformed[0]])


def _without_tags(text: str) -> str:
    return _TAG.sub("‹", text)
