"""`manage.py job`: how a job stands, and steering it without a browser."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from summarizer.jobs import waiting
from summarizer.models import Book, Job, Summary
from summarizer.services.launch import launch_summaries
from summarizer.services.systems import SystemParameters
from tests.llm_server import LLMServer
from tests.summarizer.launching.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "WORKER_TAKES_SECONDS", 0.0)
    monkeypatch.setattr(waiting, "SECONDS_BETWEEN", 0.02)


@pytest.fixture
def job(book: Book, parameters: SystemParameters) -> Job:
    return launch_summaries(parameters=parameters, books=[book])


def command(*arguments: object) -> Any:
    out = StringIO()
    call_command("job", *map(str, arguments), stdout=out)
    return json.loads(out.getvalue())


def test_a_job_is_paused_resumed_cancelled_and_retried(llm_server: LLMServer, job: Job) -> None:
    printed = command(job.pk)
    assert (printed["state"], printed["note"]) == ("queued", "")
    assert printed["planned_cost_usd"] == pytest.approx(float(job.plan["cost_usd"]))
    assert command(job.pk, "--pause")["state"] == "paused"
    with pytest.raises(CommandError, match=r"is paused, so it would be waited for without end\."):
        command(job.pk, "--wait")
    assert command(job.pk, "--resume")["state"] == "queued"
    assert command(job.pk, "--cancel")["state"] == "cancelled"
    with pytest.raises(CommandError, match="has ended, so there is nothing to pause"):
        command(job.pk, "--pause")
    assert llm_server.calls == 0
    printed = command(job.pk, "--retry", "--wait")
    (item,) = printed["items"]
    assert (printed["state"], item["state"], item["error"]) == ("done", "done", "")
    assert printed["calls"] == item["done"] == llm_server.calls
    assert Summary.objects.get().job_item.job == job
    with pytest.raises(CommandError, match="Nothing of this job can be tried again"):
        command(job.pk, "--retry")


@pytest.mark.parametrize(
    ("state", "held_for"), [("queued", None), ("running", -60.0), ("running", 0.5)], ids=["given back", "dead", "dying"]
)
def test_a_job_goes_on_whose_worker_is_gone_and_no_other_runs(
    llm_server: LLMServer, job: Job, state: str, held_for: float | None
) -> None:
    """As a kill -9, or a stop, of the command that did the work leaves it."""
    now = timezone.now()
    long_ago = now - timedelta(hours=1)
    job.items.update(
        state=state,
        started_at=long_ago,
        queued_at=long_ago,
        heartbeat_at=long_ago,
        claims=1,
        lease=uuid4() if held_for else None,
        lease_expires_at=now + timedelta(seconds=held_for) if held_for else None,
    )
    printed = command(job.pk, "--wait")
    assert (printed["state"], printed["attempts"]) == ("done", llm_server.calls)
    # The hour in which nobody was at work is no time that the job took.
    assert held_for == 0.5 or printed["wall_s"] < 1800


def test_a_retry_with_another_budget_goes_on_where_the_first_ended(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    llm_server.then("refusal")
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    made = llm_server.calls
    with pytest.raises(CommandError, match="The budget must be more than 0 USD"):
        command(job.pk, "--retry", "--budget", 0)
    printed = command(job.pk, "--retry", "--budget", 5, "--wait")
    assert (printed["state"], printed["budget_usd"]) == ("done", 5.0)
    # The refused chunk again, and what was never asked for; no answer is paid twice.
    assert len(set(llm_server.prompts)) == llm_server.calls - 1
    assert printed["attempts"] == llm_server.calls > made


def test_a_job_that_fails_again_ends_with_a_line(llm_server: LLMServer, job: Job) -> None:
    llm_server.script(lambda request: "")
    with pytest.raises(CommandError, match=rf"^Job {job.pk} failed\. The Mill: .*No usable answer") as failed:
        command(job.pk, "--wait")
    assert "\n" not in str(failed.value)


def test_what_makes_no_sense_is_refused_in_one_line(job: Job) -> None:
    with pytest.raises(CommandError, match=r"There is no job 999\."):
        command(999)
    with pytest.raises(CommandError, match="--budget goes with --retry"):
        command(job.pk, "--budget", 1)
    with pytest.raises(CommandError, match="not allowed with"):
        command(job.pk, "--pause", "--cancel")
    for amount in ("much", "NaN", "Infinity", "1e12", "0.00001"):
        with pytest.raises(CommandError, match=f"'{amount}' is no number of dollars"):
            command(job.pk, "--retry", "--budget", amount)
    with pytest.raises(CommandError, match="is no number of a row"):
        command(2**63)
    assert command(job.pk)["state"] == "queued"
