"""Launch, claim, cancel, pause, retry, budget and progress of jobs."""

import json
import threading
import time
import uuid
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from summarizer.engine.loop import engine, stop_engine
from summarizer.jobs import claims, sweep
from summarizer.jobs.claims import claim_item
from summarizer.jobs.selectors import job_progress, jobs_with_progress, wait_for
from summarizer.jobs.services import JobError, cancel_job, launch_job, pause_job, resume_job, retry_job
from summarizer.models import Book, Job, JobItem, LLMAttempt, LLMCall, Summary
from tests.llm_server import LLMServer, Request, Rule, Scripted, completion
from tests.summarizer.engine.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_message_that_comes_twice_makes_no_second_call(llm_server: LLMServer, endpoint, launch, in_thread) -> None:
    endpoint.concurrency = 1
    endpoint.save()
    llm_server.script(slow_from(3))
    job = launch(endpoint, chunks=4, merge=True)
    first = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(3)
    in_thread(item_of(job).pk).result(10)
    assert llm_server.calls == 3
    first.result(30)
    in_thread(item_of(job).pk).result(10)
    assert llm_server.calls == 5
    assert Summary.objects.count() == 1
    assert LLMAttempt.objects.count() == 5


def test_an_expired_lease_is_taken_over_and_the_stale_worker_changes_nothing(
    llm_server: LLMServer, endpoint, launch, in_thread, monkeypatch
) -> None:
    endpoint.concurrency = 1
    endpoint.save()
    # The first worker gives no sign of life, as if it had stopped; it comes back later.
    monkeypatch.setattr("summarizer.jobs.heartbeat.beat", lambda works: None)
    llm_server.latency = 0.3
    job = launch(endpoint, chunks=4, merge=True, in_order=True)
    stale = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(3)
    expire_lease(item_of(job))
    in_thread(item_of(job).pk).result(30)
    stale.result(30)
    assert llm_server.calls <= 6
    prompts = llm_server.prompts
    assert sum("chunk 1." in prompt for prompt in prompts) == 1
    assert sum("chunk 2." in prompt for prompt in prompts) == 1
    assert Summary.objects.count() == 1
    progress = job_progress(job)
    assert (progress.state, progress.done, progress.planned) == ("done", 5, 5)


def test_a_stale_write_after_done_changes_nothing(endpoint, launch) -> None:
    job = launch(endpoint)
    claim = claim_item(item_of(job).pk)
    expire_lease(item_of(job))
    run(job)
    assert job_progress(job).state == "done"
    claims.fail(claim, "error", "a stale word")
    claims.plan_calls(claim, 99)
    assert claims.finish(claim, lambda: pytest.fail("a stale worker saved"), 1) is False
    item = item_of(job)
    assert (item.state, item.error, item.calls_planned) == ("done", "", 4)


def test_twenty_chunks_at_eight_in_flight_count_to_exactly_twenty(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.latency = 0.3
    job = launch(endpoint, chunks=20, plan={"items": [{"calls": 20}]})
    seen: list[int] = []
    ended = threading.Event()

    def watch() -> None:
        from django.db import connection

        while not ended.is_set():
            seen.append(jobs_with_progress([job])[0].percent)
            time.sleep(0.02)
        connection.close()

    watcher = threading.Thread(target=watch)
    watcher.start()
    run(job)
    ended.set()
    watcher.join()
    progress = job_progress(job)
    assert (progress.done, progress.planned, progress.percent) == (20, 20, 100)
    assert llm_server.highest_open == 8
    assert seen == sorted(seen)
    assert len(set(seen)) > 3


def test_progress_is_not_full_before_the_result_is_stored(endpoint, launch) -> None:
    job = launch(endpoint, chunks=4, fails="save")
    run(job)
    progress = job_progress(job)
    assert (progress.state, progress.done, progress.planned, progress.percent) == ("failed", 4, 4, 99)
    assert progress.items[0].error == "RuntimeError: the save fails"
    # The save and the mark "done" are one transaction: nothing of it is left.
    assert not Summary.objects.exists()


def test_cancel_lets_no_further_call_start_and_keeps_what_there_is(
    llm_server: LLMServer, endpoint, launch, in_thread
) -> None:
    endpoint.concurrency = 2
    endpoint.save()
    llm_server.latency = 0.2
    job = launch(endpoint, chunks=50)
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(5)
    cancel_job(job=job)
    at_cancel = llm_server.calls
    running.result(10)
    time.sleep(0.5)
    assert llm_server.calls - at_cancel <= 2
    progress = job_progress(job)
    assert progress.state == "cancelled"
    assert 5 <= LLMCall.objects.filter(state="done").count() <= 7
    cancel_job(job=job)
    assert job_progress(job).state == "cancelled"

    llm_server.latency = 0
    kept = LLMCall.objects.filter(state="done").count()
    made = llm_server.calls
    assert retry_job(job=job) == 1
    run(job)
    assert job_progress(job).state == "done"
    assert llm_server.calls - made == 50 - kept


def test_cancel_of_a_waiting_job_makes_no_call(llm_server: LLMServer, endpoint, launch) -> None:
    job = launch(endpoint)
    cancel_job(job=job)
    run(job)
    assert llm_server.calls == 0
    assert job_progress(job).state == "cancelled"


def test_cancel_ends_a_long_wait_at_once(llm_server: LLMServer, endpoint, launch, in_thread, settings) -> None:
    from tests.llm_server import rate_limited

    settings.JOB_LEASE_SECONDS = 2.0
    llm_server.script(lambda request: rate_limited(retry_after=300))
    job = launch(endpoint)
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(1)
    cancel_job(job=job)
    running.result(5)
    assert job_progress(job).state == "cancelled"


def test_pause_and_resume(llm_server: LLMServer, endpoint, launch, in_thread, sent) -> None:
    endpoint.concurrency = 1
    endpoint.save()
    llm_server.latency = 0.2
    job = launch(endpoint, chunks=6)
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(2)
    pause_job(job=job)
    running.result(10)
    made = llm_server.calls
    progress = job_progress(job)
    assert (progress.state, progress.items[0].state) == ("paused", "paused")
    run(job)
    assert llm_server.calls == made <= 3
    sent.clear()
    resume_job(job=job)
    assert sent == [item_of(job).pk]
    run(job)
    assert llm_server.calls == 6
    assert job_progress(job).state == "done"


def test_a_stopping_worker_records_its_calls_and_gives_the_item_back(
    llm_server: LLMServer, endpoint, launch, in_thread, sent
) -> None:
    from summarizer.engine.loop import close_engine

    endpoint.concurrency = 2
    endpoint.save()
    llm_server.latency = 0.4
    job = launch(endpoint, chunks=10)
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(3)
    sent.clear()
    stop_engine(grace_seconds=5)
    running.result(5)
    item = item_of(job)
    assert (item.state, item.lease, item.claims) == ("queued", None, 0)
    assert sent == [item.pk]
    assert set(LLMAttempt.objects.exclude(state="reserved").values_list("state", flat=True)) == {"answered"}
    made = llm_server.calls
    assert LLMAttempt.objects.filter(state="answered").count() == made <= 4
    close_engine()
    run(job)
    assert llm_server.calls == 10


def test_a_stopping_worker_gives_up_on_answers_that_take_too_long(
    llm_server: LLMServer, endpoint, launch, in_thread
) -> None:
    llm_server.latency = 30
    job = launch(endpoint, chunks=1)
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(1)
    stop_engine(grace_seconds=0.2)
    running.result(5)
    assert item_of(job).state == "queued"
    assert LLMAttempt.objects.exclude(state="reserved").get().state == "unknown"


def test_a_killed_worker_is_found_and_its_lost_answer_shown(llm_server: LLMServer, priced, launch, sent) -> None:
    """What a kill leaves behind: a running item with an old lease and a call that was sent."""
    job = launch(priced, chunks=2)
    claim = claim_item(item_of(job).pk)
    from summarizer.engine.work import Work
    from summarizer.ledger.calls import prepare
    from tests.summarizer.engine.kind import step

    work = Work(claim.holder, priced)
    prepare(work.holder.item_id, priced, [step("chunk 1", "Summarize chunk 1.", 1)])
    LLMAttempt.objects.update(state="sent", possible_cost_usd=Decimal(2), started_at=timezone.now())
    expire_lease(item_of(job))
    sent.clear()
    sweep.sweep()
    assert sent == [item_of(job).pk]
    assert item_of(job).state == "queued"
    run(job)
    spent = job_progress(job).spent
    assert (spent.unknown, spent.possible_usd, spent.attempts) == (1, Decimal(2), 3)


def test_an_item_that_always_loses_its_worker_is_stopped(endpoint, launch, sent) -> None:
    job = launch(endpoint)
    for _ in range(claims.MOST_CLAIMS):
        assert claim_item(item_of(job).pk)
        expire_lease(item_of(job))
        sweep.sweep()
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "worker lost")
    assert claim_item(item_of(job).pk) is None


def test_a_lost_message_is_sent_again_by_the_sweep(endpoint, launch, sent, monkeypatch) -> None:
    job = launch(endpoint)
    sent.clear()
    monkeypatch.setattr("summarizer.jobs.queue.waiting_messages", lambda: 0)
    sweep.sweep()
    assert sent == []
    job.items.update(queued_at=timezone.now() - timedelta(minutes=2))
    assert not job_progress(job).items[0].lost  # a worker has just looked at it
    sweep.sweep()
    assert sent == [item_of(job).pk]
    # Without any worker it is shown as lost, can be restarted, and stops nobody.
    job.items.update(queued_at=timezone.now() - timedelta(minutes=2), heartbeat_at=None)
    assert job_progress(job).items[0].lost
    assert jobs_with_progress()[0].lost == 1
    assert retry_job(job=job) == 1
    assert not job_progress(job).items[0].lost


def test_an_item_left_in_the_middle_is_shown_as_lost_and_can_be_restarted(endpoint, launch, sent) -> None:
    job = launch(endpoint)
    assert claim_item(item_of(job).pk)
    assert not job_progress(job).items[0].lost
    job.items.update(lease_expires_at=timezone.now() - timedelta(minutes=2))
    assert job_progress(job).items[0].lost
    assert jobs_with_progress()[0].lost == 1
    assert retry_job(job=job) == 1
    assert item_of(job).state == "queued"
    run(job)
    assert job_progress(job).state == "done"


def test_cancel_reaches_an_item_whose_worker_is_gone(endpoint, launch) -> None:
    job = launch(endpoint)
    assert claim_item(item_of(job).pk)
    expire_lease(item_of(job))
    cancel_job(job=job)
    assert item_of(job).state == "cancelled"


def test_items_that_wait_their_turn_are_not_sent_again(endpoint, launch, sent, monkeypatch) -> None:
    job = launch(endpoint)
    job.items.update(queued_at=timezone.now() - timedelta(minutes=2))
    sent.clear()
    monkeypatch.setattr("summarizer.jobs.queue.waiting_messages", lambda: 3)
    sweep.sweep()
    assert sent == []


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
    jobs = [
        launch_job(kind="test", endpoint=endpoint, subjects=[book], parameters={"chunks": 1}, client_key=key)
        for _ in range(2)
    ]
    assert jobs[0] == jobs[1]
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


def test_sixteen_items_at_once_on_one_database(llm_server: LLMServer, endpoint, launch, in_thread) -> None:
    llm_server.latency = 0.01
    endpoint.concurrency = 64
    endpoint.save()
    job = launch(endpoint, books=16, chunks=20, in_order=True, merge=True)
    for running in [in_thread(item.pk) for item in job.items.all()]:
        running.result(60)
    progress = job_progress(job)
    assert progress.state == "done"
    assert (llm_server.calls, progress.done, progress.spent.attempts) == (336, 336, 336)


def test_an_endpoint_that_was_edited_is_used_as_it_is_now(llm_server: LLMServer, endpoint, launch) -> None:
    run(launch(endpoint, chunks=1))
    endpoint.model = "test-2"
    endpoint.save()
    run(launch(endpoint, chunks=1))
    assert [request.body["model"] for request in llm_server.requests] == ["test-1", "test-2"]


def test_pages_read_jobs_with_a_constant_number_of_queries(endpoint, launch, django_assert_num_queries) -> None:
    jobs = [launch(endpoint, books=3, chunks=2) for _ in range(3)]
    for job in jobs:
        run(job)
    with django_assert_num_queries(4):
        job_progress(jobs[0])
    with django_assert_num_queries(4):
        rows = jobs_with_progress()
    assert [(row.total, row.spent.calls, row.percent) for row in rows] == [(3, 6, 100)] * 3
    assert wait_for(jobs[0]).state == "done"
    assert not engine().stopping
