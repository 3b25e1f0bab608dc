"""Endpoints, jobs and their runs for the tests of the engine. All calls go over real HTTP to the scripted server."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from summarizer.engine import retries
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.jobs.services import launch_job
from summarizer.ledger.calls import Call
from summarizer.models import Book, Endpoint, Job, JobItem
from summarizer.strategies.base import Outcome
from tests.llm_server import LLMServer, Request, Rule, Scripted, completion
from tests.summarizer.engine import kind  # registers the kind of job "test"

__all__ = ["kind"]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The items for which a message was sent; none reaches a broker."""
    items: list[int] = []
    monkeypatch.setattr(queue, "send", items.extend)
    return items


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 0.02)
    settings.JOB_LEASE_SECONDS = 5.0


@pytest.fixture
def make_endpoint(llm_server: LLMServer) -> Callable[..., Endpoint]:
    def make(**values: Any) -> Endpoint:
        defaults = {"name": "scripted", "base_url": llm_server.base_url, "model": "test-1", "concurrency": 8}
        return Endpoint.objects.create(**{**defaults, **values})

    return make


@pytest.fixture
def endpoint(make_endpoint: Callable[..., Endpoint]) -> Endpoint:
    return make_endpoint()


@pytest.fixture
def priced(make_endpoint: Callable[..., Endpoint]) -> Endpoint:
    """10,000 USD per million tokens: a word of the scripted server costs one cent."""
    return make_endpoint(price_prompt=Decimal(10_000), price_cached=Decimal(5_000), price_completion=Decimal(10_000))


@pytest.fixture
def launch() -> Callable[..., Job]:
    def make(
        endpoint: Endpoint,
        *,
        books: int = 1,
        plan: Any = None,
        budget_usd: Any = None,
        run: str = "direct",
        **parameters: Any,
    ) -> Job:
        titles = [f"Book {number}" for number in range(1, books + 1)]
        subjects = [Book.objects.create(title=title, source_format=Book.Format.NO_TEXT) for title in titles]
        return launch_job(
            kind="test",
            endpoint=endpoint,
            subjects=subjects,
            parameters={"chunks": 4, **parameters},
            plan=plan,
            budget_usd=budget_usd,
            run=run,
        )

    return make


def run(job: Job) -> None:
    """Run the items of a job one after the other, in this thread."""
    for item in job.items.order_by("index"):
        run_item(item.pk)


@pytest.fixture
def in_thread() -> Iterator[Callable[[int], Any]]:
    """Run an item in a thread of its own, as a worker does; returns its future."""

    def work(item_id: int) -> None:
        try:
            run_item(item_id)
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        yield lambda item_id: pool.submit(work, item_id)


def calls_in(known: Sequence[Outcome | Call]) -> list[Call]:
    """What is to be asked, of what `prepare` returned."""
    return [entry for entry in known if isinstance(entry, Call)]


def item_of(job: Job) -> JobItem:
    return job.items.get()


def slow_from(first: int) -> Rule:
    """A rule for the scripted server: requests from the `first`-th on take a second."""

    def rule(request: Request) -> Scripted | None:
        if request.number < first:
            return None
        return Scripted(body=completion("A late answer.").body, wait=1.0)

    return rule


def expire_lease(item: JobItem) -> None:
    JobItem.objects.filter(pk=item.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
