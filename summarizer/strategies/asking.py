"""Asking until an answer keeps its token limit, with a word budget that falls by a fixed step and a bound on tries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Answer, Failure, Outcome, Step, Strategy, StrategyFailed
from summarizer.strategies.records import SummaryMaterial
from summarizer.tokens import count_tokens

#: How often one question is asked in all.
TRIES = 6
#: What an LLM can do something about when it is asked for less.
_ASKED_AGAIN = frozenset({FailureKind.TRUNCATED, FailureKind.EMPTY})


def words_for(tokens: int) -> int:
    """Word limit for a token limit: 0.65 words a token, rounded down (BooookScore's released setting)."""
    return tokens * 65 // 100


def word_budget(first: int, attempt: int) -> int:
    """Words to ask for at `attempt` (0 = first): 10 % of the first budget less each time, rounded down.

    585 words give 585, 526, 468, 409, 351, 292.
    """
    return first * (10 - attempt) // 10


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt to be answered within `limit` tokens; `prompt` makes it for a number of words."""

    name: str
    prompt: Callable[[int], str]
    limit: int
    temperature: float
    texts: tuple[str, ...]

    def step(self, attempt: int) -> Step:
        words = word_budget(words_for(self.limit), attempt)
        return Step(
            name=self.name if attempt == 0 else f"{self.name}, try {attempt + 1}",
            prompt=self.prompt(words),
            max_tokens=self.limit,
            temperature=self.temperature,
            material=SummaryMaterial(self.texts, words),
            expected_tokens=self.limit,
        )


@dataclass(frozen=True, slots=True)
class Accepted:
    text: str
    tokens: int
    call_id: int | None


def ask(questions: Sequence[Question]) -> Strategy[list[Accepted]]:
    """Asks all `questions` in one batch, then those whose answer was too long, cut off or empty again, together.

    An answer is complete when the server says so; its last character is not looked at. Every question is brought to an
    end before a failure is raised, so that a retry by hand has as little as possible left to do. Raises
    `StrategyFailed` for the first question that got no usable answer in `TRIES` tries.
    """
    accepted: dict[int, Accepted] = {}
    failed: dict[int, Failure] = {}
    waiting = list(range(len(questions)))
    for attempt in range(TRIES):
        outcomes = yield [questions[index].step(attempt) for index in waiting]
        for index, outcome in zip(waiting, outcomes, strict=True):
            judged = _judge(outcome, questions[index].limit)
            if isinstance(judged, Accepted):
                accepted[index] = judged
                failed.pop(index, None)
            else:
                failed[index] = judged
        waiting = [index for index in waiting if index in failed and failed[index].kind in _ASKED_AGAIN]
        if not waiting:
            break
    if failed:
        first, *others = sorted(failed)
        raise StrategyFailed(
            questions[first].name,
            _final(failed[first], questions[first].limit),
            [questions[index].name for index in others],
        )
    return [accepted[index] for index in range(len(questions))]


def _judge(outcome: Outcome, limit: int) -> Accepted | Failure:
    if isinstance(outcome, Failure):
        return outcome
    text = outcome.text.strip()
    tokens = count_tokens(text)
    if not text:
        return Failure(FailureKind.EMPTY, "The answer holds only white space.", call_id=outcome.call_id)
    if tokens > limit:
        return _too_long(outcome, tokens, limit)
    return Accepted(text, tokens, outcome.call_id)


def _too_long(outcome: Answer, tokens: int, limit: int) -> Failure:
    message = f"The answer has {tokens} tokens, {tokens - limit} more than the limit of {limit}."
    return Failure(FailureKind.TRUNCATED, message, partial_text=outcome.text, call_id=outcome.call_id)


def _final(failure: Failure, limit: int) -> Failure:
    if failure.kind not in _ASKED_AGAIN:
        return failure
    message = (
        f"No usable answer within {limit} tokens in {TRIES} tries, each asking for fewer words. "
        f"The last one: {failure.message}"
    )
    return Failure(failure.kind, message, partial_text=failure.partial_text, call_id=failure.call_id)
