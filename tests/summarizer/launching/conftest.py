"""Books, endpoints and people for the tests of launches and their pages."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from booookweb.models import Role
from summarizer.engine import retries
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Book, Endpoint, Job
from summarizer.services.books import add_book
from summarizer.services.endpoints import endpoint_named
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.systems import SystemParameters
from tests.factories import make_user
from tests.llm_server import LLMServer

#: About 12 tokens; every sentence is another one.
SENTENCE = "On day {} Emma rowed the old boat to the harbour of Rolf."


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The items for which a message was sent; none reaches a broker. Waits between tries are short."""
    items: list[int] = []
    monkeypatch.setattr(queue, "send", items.extend)
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 0.01)
    return items


@pytest.fixture
def make_book(db: None) -> Callable[..., Book]:
    def make(title: str = "The Mill", sentences: int = 60) -> Book:
        text = f"{title} begins. " + " ".join(SENTENCE.format(number) for number in range(sentences))
        return add_book(data=text.encode(), filename="book.txt", title=title)

    return make


@pytest.fixture
def book(make_book: Callable[..., Book]) -> Book:
    return make_book()


@pytest.fixture
def endpoint(db: None, llm_server: LLMServer) -> Endpoint:
    return Endpoint.objects.create(
        name="scripted",
        base_url=llm_server.base_url,
        model="test-1",
        context_window=2000,
        price_prompt=Decimal(10),
        price_completion=Decimal(20),
    )


@pytest.fixture
def parameters(endpoint: Endpoint) -> SystemParameters:
    return SystemParameters(endpoint, load_prompt_set("default"), chunk_size=200, max_summary_tokens=300)


@pytest.fixture
def baseline(db: None) -> SystemParameters:
    return SystemParameters(endpoint_named("extractive"), load_prompt_set("default"), chunk_size=200)


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    client.force_login(make_user(Role.ADMIN))
    return client


@pytest.fixture
def researcher(db: None) -> Client:
    client = Client()
    client.force_login(make_user(Role.RESEARCHER))
    return client


def run(job: Job) -> None:
    """Run the items of a job one after the other, in this thread."""
    for item in job.items.order_by("index"):
        run_item(item.pk)


def launch_form(book: Book, parameters: SystemParameters, **values: Any) -> dict[str, Any]:
    """What the launch page sends for one book and a new system."""
    return {
        "client_key": "6f4ac0a2-6f43-4a3e-9f3a-0a7c0a6f1f01",
        "books": [book.pk],
        "system": "",
        "endpoint": parameters.endpoint.pk,
        "strategy": parameters.strategy,
        "prompt_set": parameters.prompt_set.pk,
        "chunk_size": parameters.chunk_size,
        "max_summary_tokens": parameters.max_summary_tokens,
        "temperature": parameters.temperature,
        **values,
    }
