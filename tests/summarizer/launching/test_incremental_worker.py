"""An incremental book whose worker is killed goes on where it was: each update needs the summary before it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from summarizer.jobs.selectors import job_progress
from summarizer.models import Book, LLMAttempt, LLMCall, Summary
from summarizer.services.launch import launch_summaries, plan_launch
from summarizer.services.systems import SystemParameters
from tests.llm_server import LLMServer
from tests.summarizer.engine.test_worker import own_redis_database
from tests.workers import WorkerProcess, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database())
    yield process
    process.kill()


def test_a_kill_in_mid_book_repeats_one_call_at_most(
    llm_server: LLMServer, make_book, parameters: SystemParameters, worker: WorkerProcess
) -> None:
    incremental = replace(parameters, strategy="incremental", chunk_size=200, max_summary_tokens=150)
    book: Book = make_book(sentences=55)
    planned = plan_launch(parameters=incremental, books=[book])
    assert planned.total.calls == 5
    # Short enough that no summary runs over, so nothing is compressed.
    llm_server.script(lambda request: f"Emma rows to Rolf, as part {request.number} tells. He waits.")
    llm_server.latency = 0.5
    job = launch_summaries(parameters=incremental, books=[book])
    worker.start()
    worker.send(job.items.values_list("pk", flat=True))
    wait_until(lambda: LLMCall.objects.filter(state="done").count() == 2)
    worker.kill()
    kept = list(LLMCall.objects.filter(state="done").order_by("pk").values_list("step", flat=True))
    assert job_progress(job).state == "running"
    worker.start()
    wait_until(lambda: job_progress(job).ended)
    assert job_progress(job).state == "done", worker.log.read_text()
    # Its attempt was stored before it left, so the one in flight may not have reached the server.
    assert 0 <= llm_server.calls - 5 <= LLMAttempt.objects.filter(state="unknown").count() <= 1
    # What was paid before the kill was asked once, and the summary is made of it.
    assert not LLMAttempt.objects.filter(call__step__in=kept, number=2).exists()
    assert Summary.objects.get().text.startswith("Emma rows to Rolf, as part")
    assert Summary.objects.get().nodes.count() == 5
