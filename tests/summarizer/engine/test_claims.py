"""Who works on an item: messages that come twice or never, workers that die, counts that never lie."""

import threading
import time
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from summarizer.jobs import claims, sweep
from summarizer.jobs.claims import claim_item
from summarizer.jobs.selectors import job_progress, jobs_with_progress
from summarizer.jobs.services import retry_job
from summarizer.models import LLMAttempt, Summary
from tests.llm_server import LLMServer
from tests.summarizer.engine.conftest import expire_lease, item_of, run, slow_from

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_killed_worker_is_found_and_its_lost_answer_shown(llm_server: LLMServer, priced, launch, sent) -> None:
    """What a kill leaves behind: a running item with an old lease and a call that was sent."""
    job = launch(priced, chunks=2)
    claim = claim_item(item_of(job).pk)
    from summarizer.engine.work import Work
    from summarizer.ledger.calls import prepare
    from tests.summarizer.engine.kind import step

    work = Work(claim.holder, priced)
    [call] = prepare(work.holder.item_id, priced, [step("chunk 1", "Summarize chunk 1.", 1)])
    LLMAttempt.objects.create(call_id=call.id, number=1, possible_cost_usd=Decimal(2), started_at=timezone.now())
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


def test_items_that_wait_their_turn_are_not_sent_again(endpoint, launch, sent, monkeypatch) -> None:
    job = launch(endpoint)
    job.items.update(queued_at=timezone.now() - timedelta(minutes=2))
    sent.clear()
    monkeypatch.setattr("summarizer.jobs.queue.waiting_messages", lambda: 3)
    sweep.sweep()
    assert sent == []


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
