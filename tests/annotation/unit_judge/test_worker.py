"""Units judged in a real worker that is killed: what is answered is not asked again, and the scores are exact."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.models import UnitVerdict
from annotation.unit_judge.selectors import unit_counts
from summarizer.jobs.selectors import job_progress
from summarizer.models import LLMCall
from tests.annotation.unit_judge.conftest import LEFT, NO, SANG, SNOW, STAYED
from tests.llm_server import LLMServer, Request, hanging, judged_unit
from tests.summarizer.engine.test_worker import own_redis_database
from tests.workers import WorkerProcess, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("worker")]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database())
    yield process
    process.kill()


def test_a_killed_worker_s_answers_are_kept(
    llm_server: LLMServer, endpoint, plan, summary, launch, worker: WorkerProcess
) -> None:
    """Four different units, one call at a time; the first is answered, the second hangs until the worker is killed."""
    endpoint.concurrency = 1
    endpoint.save()
    asked: list[str] = []

    def rule(request: Request) -> object:
        asked.append(judged_unit(request.prompt))
        return hanging() if len(asked) == 2 else NO

    llm_server.script(rule)  # type: ignore[arg-type]
    launched = launch()
    job = launched.job
    worker.start()
    worker.send(job.items.values_list("pk", flat=True))
    wait_until(lambda: len(asked) == 2 and LLMCall.objects.filter(state="done").count() == 1)
    assert not UnitVerdict.objects.exists()
    worker.kill()
    worker.start()
    wait_until(lambda: job_progress(job).ended)
    assert job_progress(job).state == "done", worker.log.read_text()
    assert sorted(asked) == sorted([LEFT, STAYED, SNOW, SANG, asked[1]])
    (counts,) = unit_counts(launched.judge, plan, [summary])
    # The unit that stands twice was asked about once and counts at both of its places.
    assert (counts.units, counts.supported, counts.unsupported, counts.unparsed) == (5, 0, 5, 0)
