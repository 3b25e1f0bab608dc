"""A real Celery worker that dies, is told to stop, or finds its job cancelled; and Redis that forgets or is away.

The workers use the database and the broker of the run; those of the tests of Redis use one of their own.
"""

import os
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from redis import Redis

from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import cancel_job, retry_job
from summarizer.models import Job, LLMAttempt, LLMCall, Summary
from tests.environment import PROCESS_NUMBER, redis_database
from tests.llm_server import LLMServer
from tests.services import RedisServer
from tests.workers import WorkerProcess, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


KINDS = {"BOOOOKWEB_TEST_KINDS": "tests.summarizer.engine.kind"}


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database(), WORKER_CONCURRENCY="4", **KINDS)
    yield process
    process.kill()


@pytest.fixture
def redis_worker(tmp_path: Path, redis_server: RedisServer) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, redis_server.url, WORKER_CONCURRENCY="2", **KINDS)
    yield process
    process.kill()


def own_redis_database() -> str:
    """The address of an empty database on the run's Redis that no other test uses; "" where the run has none."""
    address = os.environ.get("REDIS_URL", "")
    if address:
        address = redis_database(address, 8 + PROCESS_NUMBER)
        with Redis.from_url(address) as redis:
            redis.flushdb()
    return address


def items(job: Job) -> list[int]:
    return list(job.items.values_list("pk", flat=True))


def ended(job: Job) -> Callable[[], bool]:
    return lambda: job_progress(job).ended


def test_a_worker_that_is_killed_in_mid_item_repeats_only_its_calls_in_flight(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    endpoint.concurrency = 3
    endpoint.save()
    llm_server.latency = 0.4
    job = launch(endpoint, chunks=12, merge=True)
    worker.start()
    worker.send(items(job))
    llm_server.wait_for_calls(6, seconds=60)
    wait_until(lambda: LLMCall.objects.filter(state="done").count() >= 3)
    worker.kill()
    time.sleep(0.6)
    made = llm_server.calls
    kept = LLMCall.objects.filter(state="done").count()
    assert job_progress(job).state == "running"
    # Its message is gone with it, or comes back in an hour; the new worker's sweep finds the item by its lease.
    worker.start()
    wait_until(ended(job))
    assert job_progress(job).state == "done"
    repeated = llm_server.calls - 13
    assert made - kept == repeated
    # Attempts are stored before they leave, so some of those in flight may not have reached the server.
    assert 0 <= repeated <= LLMAttempt.objects.filter(state="unknown").count() <= 3
    assert Summary.objects.count() == 1


def test_an_item_that_kills_every_worker_is_given_up(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    job = launch(endpoint, chunks=2, fails="kill")
    job.items.update(claims=3)
    for _ in range(3):
        worker.start()
        if job_progress(job).items[0].item.claims == 3:
            worker.send(items(job))
        wait_until(lambda: worker.has_ended() or job_progress(job).ended)
    item = job_progress(job).items[0]
    assert (item.state, item.error_kind) == ("failed", "worker lost")
    assert llm_server.calls == 2


def test_cancel_reaches_a_running_worker(llm_server: LLMServer, endpoint, launch, worker: WorkerProcess) -> None:
    endpoint.concurrency = 2
    endpoint.save()
    llm_server.latency = 0.3
    job = launch(endpoint, chunks=50)
    worker.start()
    worker.send(items(job))
    llm_server.wait_for_calls(5, seconds=60)
    cancel_job(job=job)
    at_cancel = llm_server.calls
    wait_until(ended(job))
    assert job_progress(job).state == "cancelled"
    assert llm_server.calls - at_cancel <= 2
    llm_server.latency = 0
    retry_job(job=job)
    worker.send(items(job))
    wait_until(ended(job))
    assert job_progress(job).state == "done"
    assert llm_server.calls == 50


def test_a_worker_that_is_told_to_stop_ends_in_seconds_and_loses_nothing(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    endpoint.concurrency = 2
    endpoint.save()
    llm_server.latency = 0.5
    job = launch(endpoint, chunks=20)
    worker.start()
    worker.send(items(job))
    llm_server.wait_for_calls(4, seconds=60)
    start = time.monotonic()
    worker.stop()
    assert time.monotonic() - start < 8
    assert worker.process.exitcode == 0, worker.log.read_text()
    item = job_progress(job).items[0]
    assert item.state == "queued"
    assert LLMCall.objects.filter(state="done").count() == llm_server.calls
    llm_server.latency = 0
    worker.start()
    wait_until(ended(job))
    assert llm_server.calls == 20
    assert "database is locked" not in worker.log.read_text()


def test_redis_that_is_emptied_and_restarted_while_items_wait_loses_and_repeats_nothing(
    llm_server: LLMServer, endpoint, launch, redis_worker: WorkerProcess, redis_server: RedisServer
) -> None:
    endpoint.concurrency = 2
    endpoint.save()
    llm_server.latency = 0.2
    job = launch(endpoint, books=5, chunks=6)
    redis_worker.start()
    redis_worker.send(items(job))
    llm_server.wait_for_calls(3, seconds=60)
    with Redis.from_url(redis_server.url) as redis:
        redis.flushall()
    llm_server.wait_for_calls(6)
    redis_server.stop()
    time.sleep(3)
    redis_server.start()
    # The messages of the items that wait are gone; the sweep sends new ones.
    wait_until(ended(job), seconds=90)
    assert job_progress(job).state == "done", redis_worker.log.read_text()
    assert llm_server.calls == 30
    assert set(LLMAttempt.objects.values_list("state", "number")) == {("answered", 1)}
    assert Summary.objects.count() == 5
    assert llm_server.highest_open <= 2


def test_an_item_without_a_message_is_found_on_redis(
    llm_server: LLMServer, endpoint, launch, redis_worker: WorkerProcess
) -> None:
    job = launch(endpoint, chunks=2)
    job.items.update(queued_at=timezone.now() - timedelta(minutes=1))
    redis_worker.start()
    wait_until(ended(job))
    assert llm_server.calls == 2
