"""Launching: on commit, once, in words when it makes no sense; the budget; what pages read."""

import json
import uuid
from decimal import Decimal

import pytest
from django.db import transaction

from summarizer.engine.loop import engine
from summarizer.jobs.launch_keys import KeyTaken, LaunchKey
from summarizer.jobs.selectors import job_progress, jobs_with_progress, wait_for
from summarizer.jobs.services import JobError, launch_job, pause_job, retry_job
from summarizer.models import Book, Job
from tests.llm_server import LLMServer
from tests.summarizer.engine.conftest import item_of, run

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_message_is_sent_on_commit_only(endpoint, launch, sent) -> None:
    with transaction.atomic():
        job = launch(endpoint)
        assert sent == []
    assert sent == [item_of(job).pk]

    def launch_and_fail() -> None:
        with transaction.atomic():
            launch(endpoint)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        launch_and_fail()
    assert len(sent) == 1
    assert Job.objects.count() == 1


def test_messages_hold_ids_only_and_survive_the_wire(endpoint, launch, monkeypatch) -> None:
    from booookweb.celery import app
    from summarizer.tasks import run_item

    messages: list[object] = []
    monkeypatch.undo()
    monkeypatch.setattr(app, "send_task", lambda name, args, **options: messages.append((name, args)))
    job = launch(endpoint, books=2)
    names = {name for name, _ in messages}
    assert names == {run_item.name}
    assert names <= set(app.tasks)
    assert json.loads(json.dumps(messages)) == [[run_item.name, [pk]] for pk in job.items.values_list("pk", flat=True)]


def test_launching_twice_with_one_key_launches_once(endpoint, sent) -> None:
    book = Book.objects.create(title="Book", source_format=Book.Format.NO_TEXT)
    key = uuid.uuid4()

    def launched(chunks: int) -> Job:
        parameters = {"chunks": chunks}
        asked = LaunchKey.of(key, parameters)
        return launch_job(kind="test", endpoint=endpoint, subjects=[book], parameters=parameters, launch_key=asked)

    job = launched(chunks=1)
    assert launched(chunks=1) == job
    with pytest.raises(KeyTaken, match=f"job {job.pk} already"):
        launched(chunks=2)
    assert Job.objects.get() == job
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"subjects": []}, "at least one book"),
        ({"kind": "poem"}, "no kind of job"),
        ({"budget_usd": Decimal(0)}, "more than 0"),
        ({"budget_usd": Decimal(5)}, "no prices"),
    ],
)
def test_a_launch_that_makes_no_sense_is_refused_in_words(endpoint, change, words) -> None:
    book = Book.objects.create(title="Book", source_format=Book.Format.NO_TEXT)
    values = {"kind": "test", "endpoint": endpoint, "subjects": [book], "parameters": {"chunks": 1}, **change}
    with pytest.raises(JobError, match=words):
        launch_job(**values)
    assert not Job.objects.exists()


def test_the_budget_is_never_exceeded_and_used_as_far_as_it_goes(llm_server: LLMServer, priced, launch) -> None:
    """A call may cost 1.25: "Summarize chunk 1. (99 words)" is 8 tokens, at most 8 + 1 + 16; the answer at most 100."""
    llm_server.script(lambda request: " ".join(["word"] * 45))
    job = launch(priced, chunks=10, budget_usd=Decimal("2.00"))
    run(job)
    progress = job_progress(job)
    # Each call turns out to cost 5 + 45 cents, so a second may start (0.50 + 1.25) and a third not (1.00 + 1.25).
    assert llm_server.calls == 2
    assert progress.spent.cost_usd == Decimal("1.00")
    assert (progress.state, progress.items[0].error_kind) == ("failed", "budget")
    assert retry_job(job=job, budget_usd=Decimal("100")) == 1
    run(job)
    assert job_progress(job).state == "done"
    assert llm_server.calls == 10


def test_a_finished_job_is_not_paid_again(llm_server: LLMServer, endpoint, launch) -> None:
    job = launch(endpoint)
    run(job)
    run(job)
    assert llm_server.calls == 4
    with pytest.raises(JobError, match="Nothing of this job"):
        retry_job(job=job)
    with pytest.raises(JobError, match="has ended"):
        pause_job(job=job)


def test_an_endpoint_that_was_edited_is_used_as_it_is_now(llm_server: LLMServer, endpoint, launch) -> None:
    run(launch(endpoint, chunks=1))
    endpoint.model = "test-2"
    endpoint.save()
    run(launch(endpoint, chunks=1))
    assert [request.body["model"] for request in llm_server.requests] == ["test-1", "test-2"]


@pytest.mark.parametrize(("before", "after"), [(2, 5), (5, 2)])
def test_a_concurrency_that_is_edited_while_calls_wait_holds_for_them_too(
    llm_server: LLMServer, endpoint, launch, in_thread, before: int, after: int
) -> None:
    """An item that began before goes on beside one that begins after; together they keep what holds now."""
    llm_server.latency = 0.1
    endpoint.concurrency = before
    endpoint.save()
    first = in_thread(launch(endpoint, chunks=20).items.get().pk)
    llm_server.wait_for_calls(before + 1)
    endpoint.concurrency = after
    endpoint.save()
    second = in_thread(launch(endpoint, chunks=20).items.get().pk)
    llm_server.wait_for_calls(before + 8)
    llm_server.highest_open = 0
    first.result(60)
    second.result(60)
    assert llm_server.calls == 40
    assert llm_server.highest_open <= after


def test_pages_read_jobs_with_a_constant_number_of_queries(endpoint, launch, django_assert_num_queries) -> None:
    jobs = [launch(endpoint, books=3, chunks=2) for _ in range(3)]
    for job in jobs:
        run(job)
    with django_assert_num_queries(7):
        job_progress(jobs[0])
    with django_assert_num_queries(5):
        rows = jobs_with_progress()
    assert [(row.total, row.spent.calls, row.percent) for row in rows] == [(3, 6, 100)] * 3
    assert wait_for(jobs[0]).state == "done"
    assert not engine().stopping
