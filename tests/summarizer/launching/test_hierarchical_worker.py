"""A hierarchical book that is stopped while its first merge and its last chunk are in flight together."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import cancel_job, pause_job, resume_job, retry_job
from summarizer.models import Endpoint, Job, LLMAttempt, LLMCall, Summary
from summarizer.services.launch import launch_summaries
from summarizer.services.systems import SystemParameters
from tests.llm_server import LLMServer, Request, Scripted, completion, plausible_answer
from tests.summarizer.engine.test_worker import own_redis_database
from tests.workers import WorkerProcess, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


#: What only these prompts say.
LAST_CHUNK = "On day 299 "
MERGE = "You join several of these summaries"


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerProcess]:
    process = WorkerProcess(tmp_path, own_redis_database())
    yield process
    process.kill()


def slow_end(request: Request) -> Scripted | None:
    """The last chunk takes long, and so does the first try of a merge."""
    is_merge = MERGE in request.prompt
    if is_merge or LAST_CHUNK in request.prompt:
        text, finish_reason = plausible_answer(request)
        return Scripted(body=completion(text, finish_reason=finish_reason).body, wait=1.0 if is_merge else 3.0)
    return None


def came_in(llm_server: LLMServer, words: str) -> bool:
    return any(words in prompt for prompt in llm_server.prompts)


def in_flight(step: str) -> bool:
    return LLMAttempt.objects.filter(state="sent", call__step__startswith=step).exists()


def item_is(job: Job, state: str) -> Callable[[], bool]:
    return lambda: job.items.get().state == state


def kill(job: Job, worker: WorkerProcess) -> None:
    worker.kill()
    worker.start()


def pause_and_resume(job: Job, worker: WorkerProcess) -> None:
    pause_job(job=job)
    wait_until(item_is(job, "queued"))
    resume_job(job=job)
    worker.send(job.items.values_list("pk", flat=True))


def cancel_and_retry(job: Job, worker: WorkerProcess) -> None:
    cancel_job(job=job)
    wait_until(item_is(job, "cancelled"))
    assert not in_flight("level")
    retry_job(job=job)
    worker.send(job.items.values_list("pk", flat=True))


@pytest.mark.parametrize(("stop", "most_lost"), [(kill, 3), (pause_and_resume, 0), (cancel_and_retry, 0)])
def test_nothing_is_asked_twice_but_what_was_in_flight_at_a_kill(
    stop: Callable[[Job, WorkerProcess], None],
    most_lost: int,
    llm_server: LLMServer,
    make_book,
    endpoint: Endpoint,
    parameters: SystemParameters,
    worker: WorkerProcess,
) -> None:
    Endpoint.objects.update(concurrency=3)
    llm_server.script(slow_end)
    job = launch_summaries(parameters=parameters, books=[make_book(sentences=300)])
    worker.start()
    worker.send(job.items.values_list("pk", flat=True))
    wait_until(lambda: came_in(llm_server, LAST_CHUNK) and came_in(llm_server, MERGE))
    assert in_flight("level 0, chunk 28 of 28")
    assert in_flight("level 1, merge 1")
    stop(job, worker)
    wait_until(lambda: job_progress(job).ended)
    assert job_progress(job).state == "done", worker.log.read_text()

    asked = Counter(llm_server.prompts)
    lost = LLMAttempt.objects.filter(state="unknown").count()
    assert lost <= most_lost
    assert asked.total() - len(asked) == lost
    assert LLMAttempt.objects.filter(state="answered").count() == len(asked)
    assert LLMCall.objects.filter(state="done").count() == LLMCall.objects.count() == len(asked)
    assert list(Summary.objects.get().nodes.filter(kind="chunk").values_list("index", flat=True)) == list(range(28))
