"""What a strategy will cost: its own generator, run on answers of the expected length."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any, Protocol

from summarizer.providers.base import BATCH_PRICE_SHARE
from summarizer.strategies.base import Ahead, Answer, Step, Strategy
from summarizer.tokens import count_tokens

#: Rough speed of an LLM, for the time shown: seconds until the first token, and completion tokens a second.
FIRST_TOKEN_SECONDS = 1.0
TOKENS_PER_SECOND = 50
#: One call of a baseline.
BASELINE_SECONDS = 0.1

_SENTENCE_TOKENS = 16


class PricedEndpoint(Protocol):
    """What a plan needs to know of an endpoint. Prices are USD per million tokens, None where not known."""

    @property
    def is_llm(self) -> bool: ...

    price_prompt: Decimal | None
    price_completion: Decimal | None
    concurrency: int
    requests_per_minute: int | None
    tokens_per_minute: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls and tokens of one or more strategies if every answer has its full length and none is asked for again.

    A baseline reads and writes no tokens. `cost_usd` is None when a price is unknown; cached prompt tokens are not
    counted on. `batch_seconds` is the time of the longest strategy alone, `call_seconds` that of all calls one after
    another. `rounds` is how often the longest strategy waits for answers before it can ask on.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal | None
    batch_seconds: float = 0.0
    call_seconds: float = 0.0
    rounds: int = 0
    #: What the strategy returned on the expected answers, for one strategy (None for a sum).
    result: Any = None

    def seconds(self, endpoint: PricedEndpoint) -> float:
        """Estimated time in seconds under the endpoint's limits, when nothing else uses it."""
        bounds = [self.batch_seconds, self.call_seconds / max(1, endpoint.concurrency)]
        if endpoint.requests_per_minute:
            bounds.append(60 * self.calls / endpoint.requests_per_minute)
        if endpoint.tokens_per_minute:
            bounds.append(60 * (self.prompt_tokens + self.completion_tokens) / endpoint.tokens_per_minute)
        return max(bounds)

    def by_batch(self) -> "Plan":
        """The same at the price of calls in batches."""
        return replace(self, cost_usd=None if self.cost_usd is None else self.cost_usd * BATCH_PRICE_SHARE)

    def without_result(self) -> "Plan":
        """The figures alone, small enough to keep."""
        return replace(self, result=None)

    def as_json(self) -> dict[str, Any]:
        """Plain values to keep with a job; the cost as a string, so that no digit is lost."""
        values = asdict(self.without_result())
        values.pop("result")
        values["cost_usd"] = None if self.cost_usd is None else str(self.cost_usd)
        return values


def plan(strategy: Strategy[Any], endpoint: PricedEndpoint, answer: Callable[[Step], str] | None = None) -> Plan:
    """Drives `strategy` to its end on expected answers and adds up what it asked for.

    `answer` makes the expected text of a step (default: prose of its `expected_tokens`). Raises what the strategy
    raises, for example `DoesNotFit`.
    """
    expected = answer or (lambda step: expected_text(step.expected_tokens))
    calls = prompt_tokens = completion_tokens = rounds = 0
    batch_seconds = call_seconds = 0.0
    ahead: set[str] = set()
    try:
        steps = next(strategy)
        while True:
            new = [step for step in steps if step.name not in ahead]
            durations = [_seconds(step, endpoint) for step in new]
            batch_seconds += max(max(durations, default=0.0), sum(durations) / max(1, endpoint.concurrency))
            call_seconds += sum(durations)
            calls += len(new)
            rounds += bool(new)
            if endpoint.is_llm:
                prompt_tokens += sum(count_tokens(step.prompt) for step in new)
                completion_tokens += sum(step.expected_tokens for step in new)
            if isinstance(steps, Ahead):
                ahead.update(step.name for step in new)
            steps = strategy.send([Answer(expected(step)) for step in steps])
    except StopIteration as end:
        result = end.value
    cost = cost_of(endpoint, prompt_tokens, completion_tokens)
    return Plan(calls, prompt_tokens, completion_tokens, cost, batch_seconds, call_seconds, rounds, result)


def total(plans: Iterable[Plan]) -> Plan:
    """The sum of several plans; its cost is None as soon as one is. No plan gives zeros."""
    parts = list(plans)
    costs = [part.cost_usd for part in parts]
    return Plan(
        calls=sum(part.calls for part in parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        completion_tokens=sum(part.completion_tokens for part in parts),
        cost_usd=None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0)),
        batch_seconds=max((part.batch_seconds for part in parts), default=0.0),
        call_seconds=sum(part.call_seconds for part in parts),
        rounds=max((part.rounds for part in parts), default=0),
    )


def cost_of(endpoint: PricedEndpoint, prompt_tokens: int, completion_tokens: int) -> Decimal | None:
    """USD for that many tokens; 0 for a baseline, None when a price is unknown."""
    if not endpoint.is_llm:
        return Decimal(0)
    if endpoint.price_prompt is None or endpoint.price_completion is None:
        return None
    return (endpoint.price_prompt * prompt_tokens + endpoint.price_completion * completion_tokens) / 1_000_000


def expected_text(tokens: int) -> str:
    """Prose of exactly `tokens` cl100k tokens, in sentences, to stand for an answer that is not there yet."""
    # "story" is one token with and without the space before it.
    whole, rest = divmod(tokens, _SENTENCE_TOKENS)
    text = (" story" * (_SENTENCE_TOKENS - 1) + ".") * whole + " story" * rest
    return text[1:] if text else ""


def expected_words(tokens: int, words: int) -> str:
    """The same with so many words too, at least half as many as tokens, in one sentence: some words have two tokens."""
    doubled = max(0, tokens - words)
    return " ".join(["story's"] * doubled + ["story"] * (words - doubled))


def _seconds(step: Step, endpoint: PricedEndpoint) -> float:
    if not endpoint.is_llm:
        return BASELINE_SECONDS
    return FIRST_TOKEN_SECONDS + step.expected_tokens / TOKENS_PER_SECOND
