"""Asking until an answer keeps its token limit, with a word budget that falls by a fixed step and a bound on tries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Answer, Failure, Outcome, Step, Strategy, StrategyFailed
from summarizer.strategies.records import SummaryMaterial
from summarizer.strategies.repair import Repair, Repaired
from summarizer.tokens import count_tokens

#: How often one question is asked in all.
TRIES = 6
#: What an LLM can do something about when it is asked again.
_ASKED_AGAIN = frozenset({FailureKind.TRUNCATED, FailureKind.EMPTY, FailureKind.UNUSABLE})


def words_for(tokens: int) -> int:
    """Word limit for a token limit: 0.65 words a token, rounded down (BooookScore's released setting)."""
    return tokens * 65 // 100


def tokens_for(words: int) -> int:
    """Tokens that an answer of so many words is expected to have, rounded up: the inverse of `words_for`."""
    return -(-words * 100 // 65)


def word_budget(first: int, attempt: int) -> int:
    """Words to ask for at `attempt` (0 = first): 10 % of the first budget less each time, rounded down.

    585 words give 585, 526, 468, 409, 351, 292.
    """
    return first * (10 - attempt) // 10


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt to be answered within `limit` tokens; `prompt` makes it for a number of words.

    What is usual can be left out: `words` asked for at first are those of `limit`, `expected` tokens in the plan all
    of them, `material` the `texts` in order. `fault` says what is wrong with a complete answer within the limit (or
    nothing); `repair` mends an answer before it is judged.
    """

    name: str
    prompt: Callable[[int], str]
    limit: int
    temperature: float
    texts: tuple[str, ...]
    words: int | None = None
    expected: int | None = None
    material: Callable[[int], Any] | None = None
    fault: Callable[[str], str] | None = None
    repair: Repair | None = None

    @property
    def first_words(self) -> int:
        return words_for(self.limit) if self.words is None else self.words

    def step(self, attempt: int, shortened: int | None = None) -> Step:
        """The step of a try (0 = first), after `shortened` answers (all tries before it, if not said) were too long."""
        words = word_budget(self.first_words, attempt if shortened is None else shortened)
        return Step(
            name=step_name(self.name, attempt),
            prompt=self.prompt(words),
            max_tokens=self.limit,
            temperature=self.temperature,
            material=self.material(words) if self.material else SummaryMaterial(self.texts, words),
            expected_tokens=self.limit if self.expected is None else self.expected,
        )


def step_name(question: str, attempt: int) -> str:
    """The name of a try (0 = first) of a question, as the ledger takes it apart again."""
    return question if attempt == 0 else f"{question}, try {attempt + 1}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """An answer that serves, after so many `tries`; `removed` is what was cut from it (see `strategies.repair`)."""

    text: str
    tokens: int
    call_id: int | None
    removed: str = ""
    tries: int = 1


def ask(questions: Sequence[Question], tries: int = TRIES) -> Strategy[list[Accepted]]:
    """Asks all `questions` in one batch, then those whose answer was too long, cut off or empty again, together.

    An answer is complete when the server says so; its last character is not looked at. Every question is brought to an
    end before a failure is raised, so that a retry by hand has as little as possible left to do. Raises
    `StrategyFailed` for the first question that got no usable answer in `tries` tries.
    """
    accepted: dict[int, Accepted] = {}
    failed: dict[int, Failure] = {}
    shortened = [0] * len(questions)
    waiting = list(range(len(questions)))
    for attempt in range(tries):
        outcomes = yield [questions[index].step(attempt, shortened[index]) for index in waiting]
        for index, outcome in zip(waiting, outcomes, strict=True):
            question = questions[index]
            judged = judge(outcome, question.limit, fault=question.fault, repair=question.repair)
            if isinstance(judged, Accepted):
                accepted[index] = replace(judged, tries=attempt + 1)
                failed.pop(index, None)
            else:
                failed[index] = judged
                shortened[index] += judged.kind is not FailureKind.UNUSABLE
        waiting = [index for index in waiting if index in failed and failed[index].kind in _ASKED_AGAIN]
        if not waiting:
            break
    if failed:
        first, *others = sorted(failed)
        raise StrategyFailed(
            questions[first].name,
            _final(failed[first], questions[first].limit, tries),
            [questions[index].name for index in others],
        )
    return [accepted[index] for index in range(len(questions))]


def judge(
    outcome: Outcome, limit: int, *, fault: Callable[[str], str] | None = None, repair: Repair | None = None
) -> Accepted | Failure:
    """What becomes of an answer: taken, or why not. One that was cut off is looked at only where it can be mended."""
    if isinstance(outcome, Failure) and not (repair and outcome.kind is FailureKind.TRUNCATED):
        return outcome
    came = outcome.partial_text if isinstance(outcome, Failure) else outcome.text
    mended = repair(came) if repair else Repaired(came.strip())
    tokens = count_tokens(mended.text)
    if not mended.text:
        return outcome if isinstance(outcome, Failure) else _empty(outcome, mended)
    if tokens > limit:
        message = f"The answer has {tokens:,} tokens, {tokens - limit:,} more than the limit of {limit:,}."
        return Failure(FailureKind.TRUNCATED, message, partial_text=came, call_id=outcome.call_id)
    if fault and (wrong := fault(mended.text)):
        return Failure(FailureKind.UNUSABLE, wrong, partial_text=came, call_id=outcome.call_id)
    return Accepted(mended.text, tokens, outcome.call_id, mended.removed)


def _empty(outcome: Answer, mended: Repaired) -> Failure:
    if mended.removed:
        message = "Nothing is left of the answer without what it copied from the prompt or left unfinished."
    else:
        message = "The answer holds only white space."
    return Failure(FailureKind.EMPTY, message, partial_text=outcome.text, call_id=outcome.call_id)


def _final(failure: Failure, limit: int, tries: int) -> Failure:
    if failure.kind not in _ASKED_AGAIN:
        return failure
    asking = "" if failure.kind is FailureKind.UNUSABLE else ", each asking for fewer words"
    message = f"No usable answer within {limit:,} tokens in {tries} tries{asking}. The last one: {failure.message}"
    return Failure(failure.kind, message, partial_text=failure.partial_text, call_id=failure.call_id)
