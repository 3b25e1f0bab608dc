"""Cancel, pause, and a worker that is told to stop."""

import time
from typing import Any

import pytest

from summarizer.engine.loop import stop_engine
from summarizer.engine.work import StopReason
from summarizer.jobs.claims import claim_item, release
from summarizer.jobs.selectors import job_progress, jobs_with_progress
from summarizer.jobs.services import cancel_job, pause_job, resume_job, retry_job
from summarizer.models import LLMAttempt, LLMCall
from tests.llm_server import LLMServer
from tests.summarizer.engine.conftest import expire_lease, item_of, run

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_cancel_reaches_an_item_that_begins_after_another_has_ended(
    llm_server: LLMServer, endpoint, launch, in_thread, settings
) -> None:
    """The heartbeat, which reads the flags and keeps the lease, then waits for work, at most for as long as a lease."""
    from tests.llm_server import rate_limited

    settings.JOB_LEASE_SECONDS = 20.0
    run(launch(endpoint))
    time.sleep(0.1)
    llm_server.script(lambda request: rate_limited(retry_after=300))
    job = launch(endpoint)
    begun = llm_server.calls
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(begun + 1)
    cancel_job(job=job)
    running.result(6)
    assert job_progress(job).state == "cancelled"


@pytest.mark.parametrize(
    ("steer", "word", "then"), [(pause_job, "pausing", "paused"), (cancel_job, "stopping", "cancelled")]
)
def test_calls_in_flight_are_told_of_until_they_have_ended(
    llm_server: LLMServer, endpoint, launch, in_thread, steer: Any, word: str, then: str
) -> None:
    llm_server.latency = 1.0
    job = launch(endpoint, chunks=1, merge=True)
    assert job_progress(job).note == ""
    running = in_thread(item_of(job).pk)
    llm_server.wait_for_calls(1)
    steer(job=job)
    progress = job_progress(job)
    assert (progress.state, progress.items[0].state, progress.ended) == (word, word, False)
    assert progress.note == ("No new call is made. 1 call is under way; its answer is waited for, kept and paid.")
    assert [listed.state for listed in jobs_with_progress()] == [word]
    running.result(10)
    progress = job_progress(job)
    assert (progress.state, progress.items[0].state, progress.spent.calls) == (then, then, 1)
    assert [listed.state for listed in jobs_with_progress()] == [then]


def test_a_paused_job_whose_worker_is_gone_is_not_said_to_go_on(endpoint, launch) -> None:
    job = launch(endpoint)
    assert claim_item(item_of(job).pk)
    pause_job(job=job)
    expire_lease(item_of(job))
    progress = job_progress(job)
    assert (progress.state, progress.items[0].state) == ("paused", "paused")
    assert progress.note == "Nothing is sent until you choose Go on."


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


@pytest.mark.parametrize("reason", [StopReason.PAUSED, StopReason.WORKER_STOPPING])
def test_a_job_that_is_cancelled_while_its_item_is_given_back_leaves_nothing_in_the_queue(
    endpoint, launch, sent, reason: StopReason
) -> None:
    job = launch(endpoint)
    claim = claim_item(item_of(job).pk)
    assert claim
    pause_job(job=job)
    cancel_job(job=job)  # the item still runs, so it is left to its worker, which is stopping for the pause
    sent.clear()
    release(claim, reason)
    progress = job_progress(job)
    assert (progress.state, item_of(job).state, sent) == ("cancelled", "cancelled", [])
    assert progress.can_retry


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
    assert set(LLMAttempt.objects.values_list("state", flat=True)) == {"answered"}
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
    assert LLMAttempt.objects.get().state == "unknown"


def test_cancel_reaches_an_item_whose_worker_is_gone(endpoint, launch) -> None:
    job = launch(endpoint)
    assert claim_item(item_of(job).pk)
    expire_lease(item_of(job))
    cancel_job(job=job)
    assert item_of(job).state == "cancelled"
