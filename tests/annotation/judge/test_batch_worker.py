"""Several sentences a call in a real worker that is killed: what is answered is not asked again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.models import Verdict
from summarizer.jobs.selectors import job_progress
from summarizer.models import LLMCall
from tests.factories import make_summary
from tests.judge_answers import judged_sentences
from tests.llm_server import LLMServer, Request, hanging
from tests.summarizer.engine.test_worker import own_redis_database
from tests.workers import WorkerProcess, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("worker")]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database())
    yield process
    process.kill()


def test_a_killed_worker_s_answers_are_kept(llm_server: LLMServer, endpoint, launch, worker: WorkerProcess) -> None:
    """Three calls; the first is answered, the second hangs until the worker is killed."""
    endpoint.concurrency = 1
    endpoint.save()
    summary = make_summary("Emma left. Rolf stayed. Ida sings. Snow fell. Mia waits.")
    asked: list[str] = []

    def rule(request: Request) -> object:
        asked.append(judged_sentences(request.prompt)[1])
        return hanging() if len(asked) == 2 else None

    llm_server.script(rule)  # type: ignore[arg-type]
    job = launch(endpoint, summary, mode="batch", batch_size=2).job
    worker.start()
    worker.send(job.items.values_list("pk", flat=True))
    wait_until(lambda: len(asked) == 2 and LLMCall.objects.filter(state="done").count() == 1)
    worker.kill()
    worker.start()
    wait_until(lambda: job_progress(job).ended)
    assert job_progress(job).state == "done", worker.log.read_text()
    assert sorted(asked) == sorted(
        [asked[0], asked[1], asked[1], *{"Emma left.", "Ida sings.", "Mia waits."} - set(asked[:2])]
    )
    assert Verdict.objects.exclude(state="unparsed").count() == 5
