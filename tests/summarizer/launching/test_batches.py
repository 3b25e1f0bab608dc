"""Launching by batch: what the plan says of cost and time, the pages, and the command."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError
from django.test import Client

from summarizer.batches.watching import watch
from summarizer.models import Book, Job, JobItem, LLMAttempt, LLMBatch, Summary
from summarizer.services.launch import LaunchRefused, launch_summaries, plan_launch
from summarizer.services.systems import SystemParameters
from tests.llm_server import NAMED, LLMServer
from tests.summarizer.launching.conftest import launch_form, run
from tests.summarizer.launching.test_commands import _no_worker, command
from tests.summarizer.launching.test_pages import LAUNCH, PLAN, words

__all__ = ["_no_worker"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _looked_at_always(settings: Any) -> None:
    settings.BATCH_POLL_SECONDS = 0.0


@pytest.fixture
def job(parameters: SystemParameters, book: Book) -> Job:
    return launch_summaries(parameters=parameters, books=[book], run="batch")


def summarize(book: Book, *arguments: object) -> Any:
    chosen = ["--book", book.pk, "--endpoint", "scripted", "--chunk-size", 200, "--max-summary-tokens", 300]
    return command("summarize", *chosen, *arguments)


def test_a_plan_by_batch_costs_half_and_says_how_many_rounds_it_may_take(
    parameters: SystemParameters, book: Book
) -> None:
    at_once = plan_launch(parameters=parameters, books=[book])
    by_batch = plan_launch(parameters=parameters, books=[book], run="batch")
    assert by_batch.total.calls == at_once.total.calls
    assert by_batch.total.cost_usd == at_once.total.cost_usd / 2
    assert (by_batch.seconds, by_batch.total.rounds) == (None, len(by_batch.books[0].limits))
    assert by_batch.digest != at_once.digest
    with pytest.raises(LaunchRefused, match="no longer the one"):
        launch_summaries(parameters=parameters, books=[book], run="batch", planned_as=at_once.digest)


def test_rounds_are_counted_as_each_method_waits(parameters: SystemParameters, make_book: Callable[..., Book]) -> None:
    short, long = make_book("Short", 1), make_book("Long", 60)

    def rounds(*books: Book, **changes: Any) -> int:
        return plan_launch(parameters=replace(parameters, **changes), books=books, run="batch").total.rounds

    chunks = plan_launch(parameters=parameters, books=[long]).books[0].chunks
    assert rounds(short, strategy="one-pass", chunk_size=None) == 1
    assert rounds(short, strategy="one-pass", chunk_size=None, cleaned=True) == 2
    assert rounds(long, strategy="incremental") == chunks
    # Books go side by side: the longest counts.
    assert rounds(short, long, strategy="incremental") == chunks


def test_the_launch_page_shows_half_the_price_and_warns_of_the_rounds(
    admin: Client, book: Book, parameters: SystemParameters
) -> None:
    incremental = replace(parameters, strategy="incremental")
    planned = plan_launch(parameters=incremental, books=[book], run="batch")
    text = words(admin.post(PLAN, launch_form(book, incremental, run="batch")))
    assert f"Cost ${planned.total.cost_usd:.4f}"[:10] in text
    assert f"up to 24 hours a round, {planned.total.rounds} rounds" in text
    assert f"so this may take up to {planned.most.rounds} days" in text
    assert "roughly" not in text
    one_pass = replace(parameters, strategy="one-pass", max_summary_tokens=300)
    text = words(admin.post(PLAN, launch_form(book, one_pass, run="batch", chunk_size="")))
    assert "Time up to 24 hours If" in text
    assert "rounds" not in text


def test_a_launch_by_batch_from_the_page(admin: Client, book: Book, parameters: SystemParameters) -> None:
    response = admin.post(LAUNCH, launch_form(book, parameters, run="batch"))
    job = Job.objects.get()
    assert response.url == f"/jobs/{job.pk}/"
    assert job.run == "batch"


def test_the_page_refuses_a_baseline_by_batch(admin: Client, book: Book, baseline: SystemParameters) -> None:
    text = words(admin.post(PLAN, launch_form(book, baseline, run="batch")))
    assert "How to run: Only an LLM's server takes batches." in text
    assert admin.post(LAUNCH, launch_form(book, baseline, run="batch")).status_code == 200
    assert not Job.objects.exists()


def test_the_job_page_shows_each_batch(admin: Client, job: Job, llm_server: LLMServer) -> None:
    llm_server.batches.done_after = 2
    run(job)
    watch()
    calls = LLMBatch.objects.get().calls
    text = words(admin.get(f"/jobs/{job.pk}/"))
    assert "Waiting for the batch 0 of 1 done" in text
    assert f"Batch: 0 of {calls} answered, up to 24 h" in text
    assert (
        f"The Mill level 0, chunk 1 of {calls} and {calls - 1} more batch_1 On the server in progress {calls} 0 0"
        in text
    )
    assert "more for answers under way or lost" in text
    watch()
    text = words(admin.get(f"/jobs/{job.pk}/"))
    assert f"batch_1 Collected {calls} {calls} 0" in text


def test_a_server_without_batches_and_trying_again_at_once(admin: Client, job: Job, llm_server: LLMServer) -> None:
    llm_server.batches.enabled = False
    run(job)
    page = admin.get(f"/jobs/{job.pk}/")
    assert "This server has no Batch API" in words(page)
    assert 'name="run" value="direct"' in page.content.decode()
    admin.post(f"/jobs/{job.pk}/retry/", {"run": "direct"})
    run(job)
    assert Job.objects.get().run == "direct"
    assert JobItem.objects.get().state == "done"
    assert 'name="run"' not in admin.get(f"/jobs/{job.pk}/").content.decode()


def test_the_command_waits_for_its_batches_without_a_worker(
    book: Book, parameters: SystemParameters, llm_server: LLMServer
) -> None:
    """A word costs the endpoint's price of 10 or 20 USD a million, and half of it by batch."""
    printed = summarize(book, "--batch", "--wait")
    assert printed["state"] == "done"
    assert Summary.objects.get().pk == printed["summaries"][0]["summary"]
    assert llm_server.calls == printed["calls"] == sum(len(batch.lines) for batch in llm_server.batches.made)
    assert llm_server.highest_open == 0
    cost = (10 * printed["prompt_tokens"] + 20 * printed["completion_tokens"]) / 1_000_000 / 2
    assert printed["cost_usd"] == pytest.approx(cost)


def test_a_dry_run_by_batch(book: Book, parameters: SystemParameters) -> None:
    at_once, by_batch = summarize(book, "--dry-run"), summarize(book, "--dry-run", "--batch")
    assert by_batch["cost_usd"] == pytest.approx(at_once["cost_usd"] / 2)
    rounds = by_batch["rounds"]
    assert (by_batch["wall_s"], by_batch["wall_s_at_most"]) == (None, rounds * 86_400)
    assert rounds == len(by_batch["summaries"][0]["limits"])


def test_the_command_refuses_a_baseline_by_batch(book: Book) -> None:
    with pytest.raises(CommandError, match="Only an LLM's server takes batches"):
        command("summarize", "--book", book.pk, "--endpoint", "extractive", "--batch")


def test_the_command_names_a_batch_that_failed(book: Book, parameters: SystemParameters, llm_server: LLMServer) -> None:
    llm_server.batches.ends_as = "failed"
    with pytest.raises(CommandError, match=r"failed\. The Mill: The server refused the batch\. Enqueued token limit"):
        summarize(book, "--batch", "--wait")


def test_no_key_gets_into_the_records(
    parameters: SystemParameters, book: Book, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server quotes the key back in the words of a line and of a refusal."""
    monkeypatch.setenv("QUOTED_API_KEY", "sk-quoted-5678")
    parameters.endpoint.api_key_variable = "QUOTED_API_KEY"
    parameters.endpoint.save()
    words = "Incorrect API key provided: sk-quoted-5678."
    denied = replace(NAMED["401"](), body={"error": {"message": words, "code": "invalid_api_key"}})
    llm_server.script(lambda request: denied)
    first = launch_summaries(parameters=parameters, books=[book], run="batch")
    run(first)
    watch()
    assert first.items.get().error == "The server answered 401: Incorrect API key provided: [key]."
    assert not LLMAttempt.objects.filter(failure__contains="5678").exists()
    llm_server.batches.ends_as = "failed"
    llm_server.batches.errors = [{"code": "denied", "line": 3, "message": words, "param": None}]
    JobItem.objects.update(state="queued")
    run(first)
    watch()
    assert first.items.get().error == "The server refused the batch. Line 3: Incorrect API key provided: [key]."
    assert Decimal(0) == sum(attempt.cost_usd or 0 for attempt in LLMAttempt.objects.all())


def test_the_command_goes_on_with_a_job_whose_batch_is_up(job: Job, llm_server: LLMServer) -> None:
    run(job)
    assert command("job", job.pk)["state"] == "in batch"
    printed = command("job", job.pk, "--wait")
    assert (printed["state"], printed["run"]) == ("done", "batch")
    assert llm_server.calls == printed["calls"]


def test_the_command_tries_again_at_once(job: Job, llm_server: LLMServer) -> None:
    llm_server.batches.enabled = False
    run(job)
    with pytest.raises(CommandError, match="--no-batch goes with --retry"):
        command("job", job.pk, "--no-batch")
    printed = command("job", job.pk, "--retry", "--no-batch", "--wait")
    assert (printed["state"], printed["run"]) == ("done", "direct")
