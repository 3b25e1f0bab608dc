"""Batches across deaths: whenever a worker ends, no prompt is asked twice, and what was answered is collected."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from summarizer.batches import collecting, sending
from summarizer.batches.watching import watch
from summarizer.jobs.runner import run_item
from summarizer.jobs.selectors import job_progress
from summarizer.models import Job, JobItem, LLMAttempt, LLMBatch, Summary
from tests.llm_server import LLMServer
from tests.summarizer.engine.conftest import expire_lease, run
from tests.summarizer.engine.test_worker import KINDS, ended, items, own_redis_database
from tests.workers import WorkerProcess, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


class Killed(BaseException):
    """Stands for a process that ends here: nothing after it happens."""


def dies(*_: Any, **__: Any) -> Any:
    raise Killed


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database(), WORKER_CONCURRENCY="4", BATCH_POLL_SECONDS="0.3", **KINDS)
    yield process
    process.kill()


def done_once(llm_server: LLMServer, job: Job, calls: int) -> None:
    """Every prompt was asked once of each book, and answered once."""
    books = job.items.count()
    assert job_progress(job).state == "done"
    assert llm_server.calls == calls
    assert set(Counter(llm_server.prompts).values()) == {books}
    assert set(LLMAttempt.objects.values_list("state", "number")) == {("answered", 1)}
    assert Summary.objects.count() == books


def test_a_worker_that_is_killed_while_a_batch_is_on_the_server(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    llm_server.batches.done_after = 1000
    job = launch(endpoint, run="batch", books=2, chunks=6, merge=True)
    worker.start()
    worker.send(items(job))
    wait_until(lambda: [batch.polls > 1 for batch in llm_server.batches.made] == [True, True])
    worker.kill()
    assert job_progress(job).state == "in batch"
    llm_server.batches.done_after = 1
    worker.start()
    wait_until(ended(job))
    done_once(llm_server, job, calls=14)
    assert [len(batch.lines) for batch in llm_server.batches.made] == [6, 6, 1, 1]


def test_a_worker_that_is_killed_while_the_file_goes_up(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    llm_server.batches.next_uploads = ["hang"]
    job = launch(endpoint, run="batch", chunks=5)
    worker.start()
    worker.send(items(job))
    wait_until(lambda: llm_server.batches.uploads)
    assert set(LLMAttempt.objects.values_list("state", flat=True)) == {"sent"}
    worker.kill()
    worker.start()
    wait_until(ended(job))
    done_once(llm_server, job, calls=5)
    assert list(LLMBatch.objects.values_list("state", flat=True)) == ["withdrawn", "collected"]
    assert len(llm_server.batches.made) == 1


def test_a_worker_that_is_killed_before_it_knows_its_batch(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    llm_server.batches.next_creates = ["hang"]
    job = launch(endpoint, run="batch", chunks=5)
    worker.start()
    worker.send(items(job))
    wait_until(lambda: llm_server.batches.made)
    worker.kill()
    worker.start()
    wait_until(ended(job))
    done_once(llm_server, job, calls=5)
    assert list(LLMBatch.objects.values_list("state", "remote_id")) == [("collected", "batch_1")]
    assert len(llm_server.batches.made) == 1


def test_a_worker_that_is_killed_while_it_collects(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    llm_server.batches.next_contents = ["hang"]
    job = launch(endpoint, run="batch", chunks=5)
    worker.start()
    worker.send(items(job))
    wait_until(lambda: not llm_server.batches.next_contents)
    worker.kill()
    worker.start()
    wait_until(ended(job))
    done_once(llm_server, job, calls=5)


def test_a_worker_that_is_told_to_stop_leaves_its_batches_to_the_next(
    llm_server: LLMServer, endpoint, launch, worker: WorkerProcess
) -> None:
    llm_server.batches.done_after = 1000
    job = launch(endpoint, run="batch", chunks=5)
    worker.start()
    worker.send(items(job))
    wait_until(lambda: job_progress(job).state == "in batch")
    worker.stop()
    assert worker.process.exitcode == 0, worker.log.read_text()
    llm_server.batches.done_after = 1
    worker.start()
    wait_until(ended(job))
    done_once(llm_server, job, calls=5)


@pytest.fixture
def _looked_at_always(settings: Any) -> None:
    settings.BATCH_POLL_SECONDS = 0.0


@pytest.mark.usefixtures("_looked_at_always")
class TestInOneProcess:
    """The same moments one by one, with what is stored looked at in between."""

    def to_the_end(self, job: Job) -> None:
        for _ in range(10):
            run(job)
            watch()
            if job_progress(job).ended:
                return
        raise AssertionError(job_progress(job).counts)

    def test_killed_after_the_attempts_were_written(self, llm_server: LLMServer, priced, launch, monkeypatch) -> None:
        job = launch(priced, run="batch", chunks=3)
        with monkeypatch.context() as patched:
            patched.setattr(sending, "_made", dies)
            with pytest.raises(Killed):
                run(job)
        assert list(LLMBatch.objects.values_list("state", flat=True)) == ["preparing"]
        # While its worker may still live, nobody else touches it.
        watch()
        assert LLMBatch.objects.get().state == "preparing"
        expire_lease(job.items.get())
        run(job)
        assert job_progress(job).state == "in batch"
        assert job_progress(job).spent.possible_usd > 0
        watch()
        assert LLMBatch.objects.get().state == "withdrawn"
        assert job_progress(job).spent.attempts == 0
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)

    def test_killed_between_the_file_and_its_batch(self, llm_server: LLMServer, endpoint, launch, monkeypatch) -> None:
        """The file is deleted, once nobody can be at work with it any more; and no file that is not ours."""
        server = llm_server.batches
        server.files, server.names = {"file-theirs": b"{}"}, {"file-theirs": "batch.jsonl"}
        job = launch(endpoint, run="batch", chunks=3)
        with monkeypatch.context() as patched:
            patched.setattr(sending, "_created", dies)
            with pytest.raises(Killed):
                run(job)
        watch()
        assert list(server.files) == ["file-theirs", "file-1"]
        expire_lease(job.items.get())
        watch()
        assert (list(server.files), server.deleted) == (["file-theirs"], ["file-1"])
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)
        assert list(server.files) == ["file-theirs"]

    def test_killed_before_the_id_was_stored(self, llm_server: LLMServer, endpoint, launch, monkeypatch) -> None:
        job = launch(endpoint, run="batch", chunks=3)
        with monkeypatch.context() as patched:
            patched.setattr(sending, "mark_open", dies)
            with pytest.raises(Killed):
                run(job)
        assert len(llm_server.batches.made) == 1
        assert LLMBatch.objects.get().remote_id == ""
        expire_lease(job.items.get())
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)
        assert len(llm_server.batches.made) == 1

    def test_killed_in_the_middle_of_recording(self, llm_server: LLMServer, endpoint, launch, monkeypatch) -> None:
        job = launch(endpoint, run="batch", chunks=3)
        run(job)
        with monkeypatch.context() as patched:
            patched.setattr(collecting, "answered_questions", dies)
            with pytest.raises(Killed):
                watch()
        assert LLMBatch.objects.get().state == "open"
        assert set(LLMAttempt.objects.values_list("state", flat=True)) == {"sent"}
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)

    def test_the_answer_to_the_making_of_a_batch_is_lost(self, llm_server: LLMServer, endpoint, launch) -> None:
        llm_server.batches.next_creates = ["drop"]
        job = launch(endpoint, run="batch", chunks=3)
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)
        assert (len(llm_server.batches.made), llm_server.batches.lists) == (1, 1)

    def test_a_server_that_fails_while_the_batch_is_made(self, llm_server: LLMServer, endpoint, launch) -> None:
        llm_server.batches.next_uploads = [500, 503]
        llm_server.batches.next_creates = [500, 429]
        job = launch(endpoint, run="batch", chunks=3)
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)
        assert len(llm_server.batches.made) == 1

    def test_a_server_that_stays_away_fails_the_item_and_the_batch_is_settled_later(
        self, llm_server: LLMServer, endpoint, launch
    ) -> None:
        llm_server.batches.next_creates = [500] * 5
        job = launch(endpoint, run="batch", chunks=3)
        run(job)
        assert [(item.state, item.error_kind) for item in job_progress(job).items] == [("failed", "transient")]
        assert LLMBatch.objects.get().state == "preparing"
        watch()
        assert LLMBatch.objects.get().state == "withdrawn"

    def test_a_worker_that_was_given_up_for_dead_sends_nothing_more(
        self, llm_server: LLMServer, endpoint, launch, monkeypatch
    ) -> None:
        job = launch(endpoint, run="batch", chunks=3)
        upload = sending._uploaded

        def overtaken(*arguments: Any) -> str:
            """While this one uploads, its lease runs out, another takes over, and the batch is given back."""
            file_id = upload(*arguments)
            expire_lease(job.items.get())
            with monkeypatch.context() as patched:
                patched.setattr(sending, "_uploaded", upload)
                run_item(job.items.get().pk)
                watch()
            return file_id

        with monkeypatch.context() as patched:
            patched.setattr(sending, "_uploaded", overtaken)
            run(job)
        self.to_the_end(job)
        done_once(llm_server, job, calls=3)
        assert (len(llm_server.batches.made), llm_server.batches.files) == (1, {})

    def test_one_who_waits_is_seen_to_be_waiting(self, llm_server: LLMServer, endpoint, launch) -> None:
        llm_server.batches.done_after = 100
        job = launch(endpoint, run="batch", chunks=3)
        run(job)
        long_ago = timezone.now() - timedelta(minutes=5)
        JobItem.objects.update(queued_at=long_ago, heartbeat_at=long_ago)
        assert job_progress(job).lost == 1
        watch()
        assert job_progress(job).lost == 0
