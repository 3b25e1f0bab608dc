"""The files of batches hold the texts of books, so none stays on the server once its answers are in the ledger."""

import logging

import pytest

from summarizer.batches.watching import watch
from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import cancel_job
from tests.llm_server import NAMED, LLMServer
from tests.summarizer.engine.conftest import run
from tests.summarizer.engine.test_batches import _looked_at_always, launch_batch, to_the_end

__all__ = ["_looked_at_always", "launch_batch"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_no_file_stays_after_its_answers_are_collected(llm_server: LLMServer, endpoint, launch_batch) -> None:
    """Two rounds; in the first a line failed, which makes a file of errors."""
    llm_server.script(lambda request: NAMED["500"]() if request.number == 2 else None)
    job = launch_batch(endpoint, chunks=3, merge=True)
    run(job)
    assert list(llm_server.batches.files) == ["file-1"]
    watch()
    assert llm_server.batches.deleted == ["file-1", "file-2", "file-3"]
    assert to_the_end(job).state == "done"
    assert (llm_server.batches.files, llm_server.batches.kept) == ({}, 5)


@pytest.mark.parametrize("answer", [500, 429, 401])
def test_a_file_that_cannot_be_deleted_is_only_logged(
    llm_server: LLMServer, endpoint, launch_batch, caplog: pytest.LogCaptureFixture, answer: int
) -> None:
    llm_server.batches.next_deletes = [answer]
    job = launch_batch(endpoint, chunks=3)
    with caplog.at_level(logging.WARNING):
        assert to_the_end(job).state == "done"
    assert "The file file-1 could not be deleted" in caplog.text
    assert list(llm_server.batches.files) == ["file-1"]
    assert llm_server.calls == 3


def test_a_file_whose_deletion_is_not_confirmed_is_gone_all_the_same(
    llm_server: LLMServer, endpoint, launch_batch, caplog: pytest.LogCaptureFixture
) -> None:
    llm_server.batches.next_deletes = ["drop"]
    job = launch_batch(endpoint, chunks=3)
    with caplog.at_level(logging.WARNING):
        assert to_the_end(job).state == "done"
    assert llm_server.batches.files == {}


def test_answers_that_could_not_be_read_stay(llm_server: LLMServer, priced, launch_batch) -> None:
    """The end of the file is missing, and with it the answer to the first line: the last line stands first."""
    llm_server.batches.cut_answers = True
    job = launch_batch(priced, chunks=3)
    progress = to_the_end(job)
    assert progress.state == "done"
    assert (progress.spent.unknown, progress.spent.possible_usd > 0) == (1, True)
    assert list(llm_server.batches.files) == ["file-2"]
    assert llm_server.calls == 4


@pytest.mark.parametrize("end", ["cancelled", "refused", "not made"])
def test_files_of_batches_that_come_to_nothing_are_deleted_too(
    llm_server: LLMServer, endpoint, launch_batch, end: str
) -> None:
    llm_server.batches.ends_as = "failed" if end == "refused" else "completed"
    llm_server.batches.done_after = 100 if end == "cancelled" else 1
    llm_server.batches.next_creates = [401] if end == "not made" else []
    job = launch_batch(endpoint, chunks=3)
    run(job)
    if end == "cancelled":
        cancel_job(job=job)
    for _ in range(3):
        watch()
    assert job_progress(job).ended
    assert (llm_server.batches.files, llm_server.batches.uploads, llm_server.calls) == ({}, 1, 0)
