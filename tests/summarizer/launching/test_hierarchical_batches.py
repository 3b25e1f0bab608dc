"""A hierarchical book by batch that is killed, paused or cancelled between its rounds: nothing is asked twice."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from summarizer.batches import collecting, sending
from summarizer.batches.watching import watch
from summarizer.jobs.runner import run_item
from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import cancel_job, pause_job, resume_job, retry_job
from summarizer.models import Book, Job, JobItem, LLMAttempt, LLMBatch, Summary
from summarizer.services.launch import launch_summaries
from summarizer.services.systems import SystemParameters
from tests.llm_server import LLMServer
from tests.summarizer.engine.conftest import expire_lease
from tests.summarizer.engine.test_batch_deaths import Killed, dies
from tests.summarizer.engine.test_worker import own_redis_database
from tests.workers import WorkerProcess, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _looked_at_always(settings: Any) -> None:
    settings.BATCH_POLL_SECONDS = 0.0


@pytest.fixture
def job(parameters: SystemParameters, book: Book) -> Job:
    return launch_summaries(parameters=parameters, books=[book], run="batch")


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database(), BATCH_POLL_SECONDS="0.3")
    yield process
    process.kill()


def run_queued(job: Job) -> None:
    for item in job.items.filter(state="queued"):
        run_item(item.pk)


def one_round(job: Job) -> None:
    run_queued(job)
    watch()


def to_the_end(job: Job) -> None:
    for _ in range(20):
        one_round(job)
        if job_progress(job).ended:
            return
    raise AssertionError(job_progress(job).counts)


def chunks_are_summarized(job: Job) -> int:
    """The first round is over; the number of its calls."""
    one_round(job)
    (batch,) = LLMBatch.objects.all()
    assert (batch.state, job.items.get().state) == ("collected", "queued")
    return batch.calls


def made_once(llm_server: LLMServer, job: Job) -> None:
    """One summary, from all chunks; each prompt was asked once and its answer is in the ledger."""
    assert job_progress(job).state == "done"
    chunks = LLMBatch.objects.filter(first_step__startswith="level 0").order_by("pk").first()
    assert chunks
    kept = Summary.objects.get().nodes.filter(kind="chunk").values_list("index", flat=True)
    assert list(kept) == list(range(chunks.calls))
    assert set(Counter(llm_server.prompts).values()) == {1}
    answered = LLMAttempt.objects.filter(state="answered")
    assert answered.count() == LLMAttempt.objects.count() == llm_server.calls


@pytest.mark.parametrize(
    ("module", "name"),
    [(sending, "_made"), (sending, "mark_open"), (collecting, "answered_questions"), (collecting, "delete_files")],
    ids=["attempts written", "batch made", "answers half stored", "files not deleted"],
)
def test_killed_while_the_merges_are_under_way(
    llm_server: LLMServer, job: Job, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    chunks_are_summarized(job)
    with monkeypatch.context() as patched:
        patched.setattr(module, name, dies)
        with pytest.raises(Killed):
            one_round(job)
    if job.items.get().state == JobItem.State.RUNNING:
        expire_lease(job.items.get())
        run_item(job.items.get().pk)
    to_the_end(job)
    made_once(llm_server, job)


def test_paused_between_the_rounds(llm_server: LLMServer, job: Job) -> None:
    run_queued(job)
    pause_job(job=job)
    progress = job_progress(job)
    assert (progress.state, progress.items[0].state_words) == ("paused", "Waiting for the batch")
    assert progress.note == (
        "Nothing is sent until you choose Go on. "
        "What is in a batch on the server is still answered, collected and paid."
    )
    watch()
    run_queued(job)
    assert job_progress(job).note == "Nothing is sent until you choose Go on."
    assert len(llm_server.batches.made) == 1
    assert job_progress(job).done == llm_server.calls > 1
    resume_job(job=job)
    to_the_end(job)
    made_once(llm_server, job)


def test_cancelled_while_the_chunks_are_half_done(llm_server: LLMServer, job: Job) -> None:
    llm_server.batches.done_after = 100
    llm_server.batches.made_before_end = 2
    run_queued(job)
    cancel_job(job=job)
    progress = job_progress(job)
    assert (progress.state, progress.ended) == ("cancelled", True)
    assert progress.note == (
        "Its batches are being stopped on the server; what they were answered is collected and paid."
    )
    watch()
    watch()
    progress = job_progress(job)
    assert (progress.state, progress.note, progress.done, llm_server.calls) == ("cancelled", "", 2, 2)
    llm_server.batches.done_after = 1
    retry_job(job=job)
    to_the_end(job)
    made_once(llm_server, job)


def test_cancelled_while_a_merge_is_on_the_server(llm_server: LLMServer, job: Job) -> None:
    chunks = chunks_are_summarized(job)
    llm_server.batches.done_after = 100
    run_queued(job)
    cancel_job(job=job)
    retry_job(job=job)
    # The batch is being stopped and its outcome is still to come: nothing is asked beside it.
    run_queued(job)
    assert (job.items.get().state, llm_server.calls) == ("in batch", chunks)
    llm_server.batches.done_after = 1
    to_the_end(job)
    made_once(llm_server, job)


def test_a_worker_that_is_killed_while_a_merge_is_on_the_server(
    llm_server: LLMServer, job: Job, worker: WorkerProcess
) -> None:
    chunks_are_summarized(job)
    llm_server.batches.done_after = 1000
    worker.start()
    worker.send([job.items.get().pk])
    wait_until(lambda: len(llm_server.batches.made) == 2 and llm_server.batches.made[1].polls > 1)
    worker.kill()
    llm_server.batches.done_after = 1
    worker.start()
    wait_until(lambda: job_progress(job).ended)
    made_once(llm_server, job)
