"""Plans: a strategy's own run on expected answers, and sums and prices worked out by hand."""

from dataclasses import dataclass
from decimal import Decimal

import pytest

from summarizer.strategies.base import Step, Strategy
from summarizer.strategies.hierarchical import hierarchical
from summarizer.strategies.plan import Plan, cost_of, expected_text, expected_words, plan, total
from summarizer.tokens import count_tokens
from tests.summarizer.strategies.playing import chunks, play, settings


@dataclass
class Endpoint:
    is_llm: bool = True
    price_prompt: Decimal | None = Decimal("2.5")
    price_completion: Decimal | None = Decimal(10)
    concurrency: int = 2
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


def two_batches() -> Strategy[str]:
    """Three calls at once, then one: prompts of 2 tokens, answers of 50."""
    outcomes = yield [Step(f"step {number}", "a a", 100, 0.5, expected_tokens=50) for number in range(3)]
    yield [Step("last", "a a", 100, 0.5, expected_tokens=50)]
    return outcomes[0].text


@pytest.mark.parametrize("tokens", [0, 1, 15, 16, 17, 32, 900])
def test_expected_text_has_the_wanted_number_of_tokens(tokens: int) -> None:
    assert count_tokens(expected_text(tokens)) == tokens


@pytest.mark.parametrize(("tokens", "words"), [(154, 100), (20, 20), (30, 19)])
def test_expected_words_have_the_wanted_numbers_of_both(tokens: int, words: int) -> None:
    text = expected_words(tokens, words)
    assert (count_tokens(text), len(text.split())) == (tokens, words)


def test_calls_tokens_cost_and_time() -> None:
    planned = plan(two_batches(), Endpoint())
    assert (planned.calls, planned.prompt_tokens, planned.completion_tokens) == (4, 8, 200)
    # 8 x 2.50 + 200 x 10 dollars, by the million.
    assert planned.cost_usd == Decimal("0.00202")
    # A call takes 1 s and 50 tokens at 50 a second: 2 s. Two at once: 3 calls take 3 s, the last one 2 s.
    assert (planned.batch_seconds, planned.call_seconds) == (5.0, 8.0)
    assert planned.result == expected_text(50)


def test_limits_of_the_endpoint_bound_the_time() -> None:
    planned = plan(two_batches(), Endpoint())
    assert planned.seconds(Endpoint()) == 5.0
    assert planned.seconds(Endpoint(requests_per_minute=8)) == 30.0
    assert planned.seconds(Endpoint(tokens_per_minute=104)) == 120.0


@pytest.mark.parametrize("missing", ["price_prompt", "price_completion"])
def test_an_unknown_price_gives_no_cost(missing: str) -> None:
    assert plan(two_batches(), Endpoint(**{missing: None})).cost_usd is None


def test_a_baseline_reads_no_tokens_and_costs_nothing() -> None:
    planned = plan(two_batches(), Endpoint(is_llm=False, price_prompt=None))
    assert (planned.calls, planned.prompt_tokens, planned.completion_tokens, planned.cost_usd) == (4, 0, 0, 0)


def test_sums() -> None:
    one = Plan(1, 10, 20, Decimal("0.5"), batch_seconds=3, call_seconds=4)
    two = Plan(2, 30, 40, Decimal("0.25"), batch_seconds=5, call_seconds=6)
    assert total([one, two]) == Plan(3, 40, 60, Decimal("0.75"), batch_seconds=5, call_seconds=10)
    assert total([one, Plan(1, 1, 1, None)]).cost_usd is None
    assert total([]) == Plan(0, 0, 0, Decimal(0))


def test_cost_of_a_million_tokens_is_the_price() -> None:
    assert cost_of(Endpoint(), 1_000_000, 0) == Decimal("2.5")
    assert cost_of(Endpoint(), 0, 1_000_000) == 10


def test_the_plan_is_what_a_run_with_answers_of_full_length_asks_for() -> None:
    planned = plan(hierarchical(chunks(30), settings(window=500)), Endpoint())
    _, batches = play(hierarchical(chunks(30), settings(window=500)), lambda step: expected_text(step.max_tokens))
    steps = [step for batch in batches for step in batch]
    assert planned.calls == len(steps)
    assert planned.prompt_tokens == sum(count_tokens(step.prompt) for step in steps)
    assert planned.completion_tokens == sum(step.max_tokens for step in steps)


def test_as_json_keeps_every_digit_of_the_cost() -> None:
    assert Plan(1, 2, 3, Decimal("0.0000001"), result=object()).as_json()["cost_usd"] == "1E-7"
    assert Plan(1, 2, 3, None).as_json() == {
        "calls": 1,
        "prompt_tokens": 2,
        "completion_tokens": 3,
        "cost_usd": None,
        "batch_seconds": 0.0,
        "call_seconds": 0.0,
        "rounds": 0,
    }
