"""Cost of a summary, its system and its book: known and possible apart, the estimate beside it."""

from decimal import Decimal

import pytest

from summarizer.models import LLMAttempt, Summary
from summarizer.selectors.costs import cost_of_book, cost_of_summary, cost_of_system
from summarizer.services.endpoints import endpoint_named
from tests.llm_server import LLMServer, completion
from tests.summarizer.engine.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


def test_costs_of_a_summary_its_system_and_its_book(llm_server: LLMServer, priced, launch) -> None:
    llm_server.script(lambda request: completion("An answer.", usage={"prompt_tokens": 40, "completion_tokens": 10}))
    job = launch(priced, books=2, chunks=3, plan={"items": [{"calls": 3, "cost_usd": "1.75"}, {"calls": 3}]})
    run(job)
    first, second = Summary.objects.order_by("job_item__index")
    # A cent a token: three calls of 50 tokens.
    assert cost_of_summary(first).spent.cost_usd == Decimal("1.50")
    assert cost_of_summary(first).planned_usd == Decimal("1.75")
    assert cost_of_summary(second).planned_usd is None
    job.kind = "summarize"
    job.parameters = {"system": first.system_id}
    job.save()
    assert cost_of_system(first.system).spent.cost_usd == Decimal("3.00")
    assert cost_of_book(first.book).spent.cost_usd == Decimal("1.50")
    assert cost_of_book(first.book).planned_usd == Decimal("1.75")
    assert cost_of_book(second.book).planned_usd is None
    # An answer that got lost may have cost a dollar.
    lost = LLMAttempt.objects.filter(call__item=first.job_item_id).first()
    LLMAttempt.objects.filter(pk=lost.pk).update(state="unknown", cost_usd=None, possible_cost_usd=Decimal(1))
    assert cost_of_summary(first).spent.cost_usd == Decimal("1.00")
    assert cost_of_summary(first).spent.possible_usd == Decimal("1.00")
    assert cost_of_book(second.book).spent.possible_usd == Decimal(0)


def test_a_book_that_no_llm_summarized_has_no_cost(launch) -> None:
    job = launch(endpoint_named("extractive"))
    assert cost_of_book(job.items.get().book) is None
