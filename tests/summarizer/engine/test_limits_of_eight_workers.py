"""One limit for the engines of eight workers, against a server that refuses, or says what is left."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from summarizer.engine.arrivals import Arrivals
from summarizer.engine.loop import Engine
from summarizer.engine.shared_limits import SharedLimits
from summarizer.engine.work import Work
from summarizer.jobs.claims import claim_item
from summarizer.ledger.calls import prepare
from summarizer.models import Job
from summarizer.strategies.base import Answer, Failure, Outcome
from tests.llm_server import LLMServer, Request, Scripted, completion, rate_limited
from tests.summarizer.engine.conftest import calls_in
from tests.summarizer.engine.kind import step


@pytest.fixture
def workers(settings: Any, redis_url: str) -> Iterator[list[Engine]]:
    """Eight engines, as eight workers have them, on one Redis."""
    settings.REDIS_URL = redis_url
    engines = [Engine() for _ in range(8)]
    yield engines
    for each in engines:
        each.close()


def work_on(job: Job, engines: list[Engine], steps: int = 1) -> list[list[Outcome]]:
    """Each engine works on an item of `job` in a thread of its own."""

    def send(engine: Engine, item_id: int) -> list[Outcome]:
        try:
            claim = claim_item(item_id)
            assert claim
            work = Work(claim.holder, claim.item.job.endpoint)
            wanted = [step(f"chunk {number}", f"Chunk {number}.", 1) for number in range(steps)]
            arrivals = Arrivals()
            engine.start(work, calls_in(prepare(item_id, work.endpoint, wanted)), arrivals)
            return [outcome for outcome in arrivals.take([each.name for each in wanted]) if outcome]
        finally:
            connection.close()

    with ThreadPoolExecutor(len(engines)) as pool:
        items = job.items.order_by("index").values_list("pk", flat=True)
        return [each.result(60) for each in [pool.submit(send, *pair) for pair in zip(engines, items, strict=True)]]


@pytest.mark.django_db(transaction=True)
def test_a_storm_of_429_over_eight_workers(llm_server: LLMServer, make_endpoint, launch, workers) -> None:
    def rule(request: Request) -> Scripted | None:
        if request.number > 8:
            return None
        return replace(rate_limited(retry_after=2), wait=1.5)

    llm_server.script(rule)
    outcomes = work_on(launch(make_endpoint(concurrency=8), books=8, chunks=1), workers)
    assert all(isinstance(outcome, Answer) for (outcome,) in outcomes)
    assert llm_server.calls == 16
    refused, answered = llm_server.requests[:8], llm_server.requests[8:]
    # The last 429 left the server 1.5 s after its request had come in; none comes back before its two seconds.
    assert min(request.at for request in answered) >= refused[-1].at + 1.5 + 2
    assert len({round(request.at, 2) for request in answered}) > 1


@pytest.mark.django_db(transaction=True)
def test_a_lasting_429_is_asked_five_times_a_call_over_eight_workers(
    llm_server: LLMServer, make_endpoint, launch, workers
) -> None:
    llm_server.script(lambda request: rate_limited())
    outcomes = work_on(launch(make_endpoint(concurrency=8), books=8, chunks=1), workers)
    assert [outcome.kind for (outcome,) in outcomes if isinstance(outcome, Failure)] == ["rate limited"] * 8
    assert llm_server.calls == 40


@pytest.mark.django_db(transaction=True)
def test_eight_workers_keep_one_limit_of_calls_in_flight(llm_server: LLMServer, make_endpoint, launch, workers) -> None:
    llm_server.latency = 0.2
    work_on(launch(make_endpoint(concurrency=6), books=8, chunks=1), workers, steps=5)
    assert llm_server.calls == 40
    assert 4 <= llm_server.highest_open <= 6


@pytest.mark.django_db(transaction=True)
def test_the_headers_of_one_workers_answer_hold_back_the_others(
    llm_server: LLMServer, make_endpoint, launch, workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server takes three requests, then asks for patience; nobody runs into a 429."""

    def rule(request: Request) -> Scripted:
        left = max(0, 3 - request.number) if request.number <= 3 else 100
        headers = {"x-ratelimit-remaining-requests": str(left), "x-ratelimit-reset-requests": "2s"}
        return replace(completion("A summary."), headers=headers)

    llm_server.script(rule)
    rounds: list[tuple[float, int]] = []
    ask = SharedLimits._ask

    async def noted(self: SharedLimits, costs: Any, learned: Any = None) -> list[Any]:
        begun = time.monotonic()
        answer = await ask(self, costs, learned)
        rounds.append((begun, answer[1]))
        return answer

    monkeypatch.setattr(SharedLimits, "_ask", noted)
    work_on(launch(make_endpoint(concurrency=1), books=8, chunks=1), workers)
    times = [request.at for request in llm_server.requests]
    assert len(times) == 8
    assert times[3] - times[2] >= 1.95
    # Once the limit was reset, none is told to wait for more than its place: it looks for that every 50 ms.
    assert max(wait for begun, wait in rounds if begun > times[3]) <= 50
