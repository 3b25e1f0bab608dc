"""Calls that share a long beginning start after the first has answered, where cached tokens are cheaper."""

from decimal import Decimal

import pytest

from summarizer.engine.arrivals import Arrivals
from summarizer.engine.prefixes import first_goes_ahead
from summarizer.engine.work import Work
from summarizer.jobs.claims import claim_item
from summarizer.jobs.selectors import job_progress
from summarizer.ledger.calls import prepare
from summarizer.ledger.costs import Prices
from summarizer.strategies.base import Answer, Step
from tests.llm_server import LLMServer, Request, Scripted, completion
from tests.summarizer.engine.conftest import calls_in, item_of

CHEAPER = Prices(Decimal(2), Decimal(1), Decimal(8))
LONG = "The same instructions. " * 200  # 4600 characters


@pytest.mark.parametrize(
    ("prompts", "prices", "ahead"),
    [
        ([LONG + "one", LONG + "two", LONG + "three"], CHEAPER, True),
        # Too short to be cached; or only one other would gain.
        (["Short. one", "Short. two", "Short. three"], CHEAPER, False),
        ([LONG + "one", LONG + "two"], CHEAPER, False),
        (["other " + LONG, LONG + "two", LONG + "three"], CHEAPER, False),
        # Nothing to save.
        ([LONG + "one", LONG + "two", LONG + "three"], Prices(Decimal(2), None, Decimal(8)), False),
        ([LONG + "one", LONG + "two", LONG + "three"], Prices(Decimal(2), Decimal(2), Decimal(8)), False),
        ([LONG + "one", LONG + "two", LONG + "three"], Prices(None, None, None), False),
    ],
)
def test_when_the_first_goes_ahead(prompts: list[str], prices: Prices, ahead: bool) -> None:
    assert first_goes_ahead(prompts, prices) is ahead


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("cached_price", [5_000, None])
def test_the_others_start_after_the_first_answer_and_cached_tokens_are_cheaper(
    llm_server: LLMServer, make_endpoint, launch, cached_price: int | None
) -> None:
    from summarizer.engine.loop import engine

    def rule(request: Request) -> Scripted:
        cached = 0 if request.number == 1 else 500
        usage = {
            "prompt_tokens": 600,
            "completion_tokens": 10,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        return Scripted(body=completion("A verdict.", usage=usage).body, wait=0.3)

    llm_server.script(rule)
    priced = make_endpoint(price_prompt=10_000, price_cached=cached_price, price_completion=10_000)
    job = launch(priced)
    claim = claim_item(item_of(job).pk)
    work = Work(claim.holder, claim.item.job.endpoint)
    steps = [Step(f"sentence {n}", f"{LONG}Sentence {n}.", 100, 0.0) for n in range(1, 5)]
    arrivals = Arrivals()
    engine().start(work, calls_in(prepare(claim.item.pk, work.endpoint, steps)), arrivals)
    outcomes = arrivals.take([step.name for step in steps])
    assert all(isinstance(outcome, Answer) for outcome in outcomes)
    assert "Sentence 1." in llm_server.prompts[0]
    times = [request.at for request in llm_server.requests]
    if cached_price:
        assert min(times[1:]) >= times[0] + 0.3
        assert max(times[1:]) < min(times[1:]) + 0.25
        # A cent a token, half a cent a cached one: 610 cents, then three of 110 and 500 halves.
        assert job_progress(job).spent.cost_usd == Decimal("6.10") + 3 * Decimal("3.60")
        assert job_progress(job).spent.cached_tokens == 1500
