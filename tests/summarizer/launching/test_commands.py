"""`endpoint` and `summarize`: what they print, and that they end with one clear line when they can't."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.services.studies import create_study
from summarizer.jobs import waiting
from summarizer.models import Book, Endpoint, Job, Section, Summary, System
from summarizer.services import launch
from summarizer.services.books import choose_sections
from summarizer.services.launch import plan_launch
from tests.llm_server import LLMServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker takes anything; the commands need not wait to find out."""
    monkeypatch.setattr(waiting, "WORKER_TAKES_SECONDS", 0.0)
    monkeypatch.setattr(waiting, "SECONDS_BETWEEN", 0.02)


def command(*arguments: object) -> Any:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return json.loads(out.getvalue())


def summarize(book: Book, *arguments: object) -> Any:
    return command("summarize", "--book", book.pk, "--endpoint", "extractive", "--chunk-size", 200, *arguments)


def test_endpoint_adds_and_changes() -> None:
    added = command("endpoint", "local", "--base-url", "http://host/v1", "--model", "m", "--context-window", 4096)
    assert (added["endpoint"], added["context_window"], added["price_prompt"]) == ("local", 4096, None)
    prices = ["--price-prompt", "2.5", "--price-cached", "1", "--price-completion", "10"]
    limits = ["--concurrency", 4, "--rpm", 60, "--tpm", 9000, "--api-key-env", "LOCAL_API_KEY"]
    changed = command("endpoint", "local", *prices, *limits)
    assert changed == {
        "endpoint": "local",
        "base_url": "http://host/v1",
        "model": "m",
        "context_window": 4096,
        "api_key_variable": "LOCAL_API_KEY",
        "concurrency": 4,
        "requests_per_minute": 60,
        "tokens_per_minute": 9000,
        "price_prompt": 2.5,
        "price_cached": 1.0,
        "price_completion": 10.0,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["local"], "base url: Enter the address"),
        (["local", "--base-url", "host", "--model", "m"], "must begin with http"),
        (["rules", "--base-url", "http://host/v1", "--model", "m"], "are the baselines"),
        (["local", "--base-url", "http://h/v1", "--model", "m", "--api-key-env", "sk-1"], "must end in _API_KEY"),
        (["local", "--base-url", "http://h/v1", "--model", "m", "--price-prompt", "cheap"], "is no price in dollars"),
    ],
)
def test_endpoint_refuses_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message) as refused:
        command("endpoint", *arguments)
    assert "\n" not in str(refused.value)
    assert not Endpoint.objects.filter(name="local").exists()


def test_a_dry_run_stores_nothing(book: Book) -> None:
    printed = summarize(book, "--dry-run")
    (row,) = printed["summaries"]
    assert (printed["job"], printed["state"], printed["system"]) == (None, "planned", "extractive-200-hier")
    assert (row["book"], row["summary"], row["tokens"]) == (book.pk, None, None)
    assert printed["calls"] == row["calls"] > row["chunks"]
    assert (printed["attempts"], printed["cost_usd"]) == (0, 0.0)
    assert not Job.objects.exists()


def test_without_waiting_the_job_is_queued(book: Book, sent: list[int]) -> None:
    printed = summarize(book)
    assert printed["state"] == "queued"
    assert sent == [Job.objects.get().items.get().pk]


def test_waiting_without_a_worker_does_the_work_here(book: Book) -> None:
    printed = summarize(book, "--wait")
    summary = Summary.objects.get()
    assert printed["state"] == "done"
    assert printed["summaries"] == [
        {"book": book.pk, "summary": summary.pk, "tokens": summary.tokens, "calls": printed["calls"]}
    ]
    assert printed["calls"] == printed["attempts"] > 0
    keys = "job state system summaries calls attempts prompt_tokens cached_tokens completion_tokens cost_usd wall_s"
    assert set(keys.split()) <= printed.keys()


def test_incremental_with_cleaning_prints_both_versions(book: Book) -> None:
    printed = summarize(book, "--strategy", "incremental", "--clean", "--wait")
    (row,) = printed["summaries"]
    cleaned = Summary.objects.get(pk=row["summary"])
    assert printed["system"] == "extractive-200-inc-cleaned" == cleaned.system.name
    assert row["uncleaned"] == cleaned.cleaned_from_id
    assert row["calls"] == printed["calls"]


def test_one_pass_prints_what_was_read(book: Book) -> None:
    (planned,) = summarize(book, "--strategy", "one-pass", "--dry-run")["summaries"]
    (row,) = summarize(book, "--strategy", "one-pass", "--wait")["summaries"]
    assert planned["calls"] == row["calls"] == 1
    assert planned["source_tokens_read"] == row["source_tokens_read"] == row["source_tokens"] == book.tokens


def test_a_job_that_fails_prints_its_figures_and_ends_with_a_line(
    llm_server: LLMServer, endpoint: Endpoint, book: Book
) -> None:
    llm_server.then(*["401"] * 20)
    arguments = [
        "--book",
        book.pk,
        "--endpoint",
        "scripted",
        "--chunk-size",
        200,
        "--max-summary-tokens",
        300,
        "--wait",
    ]
    out = StringIO()
    with pytest.raises(CommandError, match=r"^Job \d+ failed\. The Mill: The server answered 401"):
        call_command("summarize", *map(str, arguments), stdout=out)
    printed = json.loads(out.getvalue())
    assert printed["state"] == "failed"
    assert printed["summaries"][0]["summary"] is None


def test_summaries_go_into_a_study(book: Book) -> None:
    study = create_study(name="pilot", title="Pilot")
    summarize(book, "--study", "pilot", "--wait")
    assert list(study.summaries.all()) == [Summary.objects.get()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--study", "pilot"], "--study needs --wait"),
        (["--study", "pilot", "--wait"], "There is no study called 'pilot'"),
        (["--endpoint", "rules"], "The rule baseline judges summaries"),
        (["--endpoint", "gpt"], "There is no endpoint called 'gpt'"),
        (["--prompts", "nothing"], "There is no prompt set or folder called 'nothing'"),
        (["--strategy", "magic"], "invalid choice"),
        (["--prompts", "simple", "--clean"], r"simple can't be used .* with cleaning\. It lacks remove_artifacts\.txt"),
        (["--budget", "lots"], "is no number of dollars"),
        (["--budget", "-1"], "budget must be more than 0"),
        (["--budget", "NaN"], "is no number of dollars"),
        (["--book", "999"], "There is no book 999"),
        (["--book", str(2**63)], "is no number of a row"),
        (["--chunk-size", str(2**31)], "is too large a number"),
        (["--max-summary-tokens", "many"], "is no whole number"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_stored(book: Book, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        summarize(book, *arguments)
    assert not Job.objects.exists()


def test_sections_that_change_while_the_plan_is_worked_out_stop_the_launch(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody leaves out a section between the plan and the launch: nothing is launched on a text nobody planned."""
    Section.objects.create(book=book, index=1, title="Notes", start=book.sections.get().end - 20, end=len(book.text))
    book.sections.filter(index=0).update(end=len(book.text) - 20)

    def slow_plan(**values: Any) -> launch.LaunchPlan:
        planned = plan_launch(**values)
        choose_sections(book=book, included=[0], chosen_by="rosa")
        return planned

    monkeypatch.setattr(launch, "plan_launch", slow_plan)
    with pytest.raises(
        CommandError, match=r"^The choice of sections of The Mill changed while the plan was worked out"
    ):
        summarize(book)
    assert not Job.objects.exists()
    assert not System.objects.exists()
    # The new choice is planned from its start, and nothing changes it any more.
    assert summarize(book)["state"] == "queued"
