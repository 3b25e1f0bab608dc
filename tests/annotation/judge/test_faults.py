"""A judge under faults, at once and by batch: what is asked again, what stays unparsed, and what fails the summary."""

import pytest

from annotation.models import AnnotationSet, Verdict
from summarizer.batches.watching import watch
from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.jobs.services import retry_job
from summarizer.models import Job
from tests.annotation.judge.conftest import run
from tests.annotation.judge.test_batches import _looked_at_always
from tests.annotation.judge.test_command import CLEAN
from tests.llm_server import NAMED, LLMServer, Request, Scripted, judged_sentence

__all__ = ["_looked_at_always"]

pytestmark = [pytest.mark.once, pytest.mark.django_db(transaction=True)]

WAYS = ("direct", "batch")


def to_the_end(job: Job) -> JobProgress:
    for _ in range(5):
        run(job)
        watch()
        if job_progress(job).ended:
            break
    return job_progress(job)


def faulty(llm_server: LLMServer, fault: str, times: int) -> None:
    """So many requests about the last of the four sentences meet a fault; all else is answered."""
    left = [times]

    def rule(request: Request) -> Scripted | str:
        if judged_sentence(request.prompt) == "Snow fell." and left[0]:
            left[0] -= 1
            return NAMED[fault]()
        return CLEAN

    llm_server.script(rule)


def states() -> list[str]:
    return list(Verdict.objects.order_by("sentence__index").values_list("state", flat=True))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", ["429", "cut", "drop", "null", "empty"])
def test_a_fault_that_passes_costs_one_more_call(
    llm_server: LLMServer, endpoint, launch, summary, fault: str, way: str
) -> None:
    faulty(llm_server, fault, times=1)
    progress = to_the_end(launch(endpoint, summary, run=way).job)
    assert progress.state == "done"
    assert (states(), llm_server.calls) == (["clean"] * 4, 5)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("fault", "calls"), [("refusal", 1), ("null-filter", 1), ("null", 3)])
def test_a_sentence_without_an_answer_stays_unparsed(
    llm_server: LLMServer, endpoint, launch, summary, fault: str, calls: int, way: str
) -> None:
    faulty(llm_server, fault, times=100)
    progress = to_the_end(launch(endpoint, summary, run=way).job)
    assert progress.state == "done"
    assert (states(), llm_server.calls) == (["clean", "clean", "clean", "unparsed"], 3 + calls)
    assert Verdict.objects.get(state="unparsed").problem


@pytest.mark.parametrize("way", WAYS)
def test_answers_that_are_never_json_leave_their_sentence_unparsed(
    llm_server: LLMServer, endpoint, launch, summary, way: str
) -> None:
    """Five requests for one call; a batch's line, which the server can't send so, comes before them."""
    faulty(llm_server, "cut", times=100)
    assert to_the_end(launch(endpoint, summary, run=way).job).state == "done"
    assert states() == ["clean", "clean", "clean", "unparsed"]
    assert llm_server.calls == 3 + 5 + (way == "batch")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("fault", "kind"), [("429", "rate limited"), ("drop", "transient")])
def test_a_server_that_keeps_failing_stores_nothing_and_a_retry_asks_only_what_is_missing(
    llm_server: LLMServer, endpoint, launch, summary, fault: str, kind: str, way: str
) -> None:
    faulty(llm_server, fault, times=5 + (way == "batch"))
    job = launch(endpoint, summary, run=way).job
    item = to_the_end(job).items[0]
    assert (item.state, item.error_kind) == ("failed", kind)
    assert not AnnotationSet.objects.exists()
    made = llm_server.calls
    assert made == 3 + 5 + (way == "batch")
    retry_job(job=job)
    assert to_the_end(job).state == "done"
    assert (states(), llm_server.calls) == (["clean"] * 4, made + 1)


def test_a_refused_sentence_is_not_asked_again_when_the_job_stopped_for_something_else(
    llm_server: LLMServer, endpoint, launch, summary
) -> None:
    endpoint.concurrency = 1
    endpoint.save()
    llm_server.then("refusal", "quota")
    llm_server.script(lambda request: CLEAN)
    job = launch(endpoint, summary).job
    run(job)
    item = job_progress(job).items[0]
    assert (item.error_kind, item.refused, llm_server.calls) == ("quota exhausted", 0, 2)
    retry_job(job=job)
    run(job)
    assert states() == ["unparsed", "clean", "clean", "clean"]
    assert llm_server.calls == 5


@pytest.mark.parametrize("asked", ["next_uploads", "next_creates", "next_reads", "next_contents"])
@pytest.mark.parametrize("answer", [429, "drop"])
def test_a_batch_api_that_fails_for_a_moment_asks_no_sentence_twice(
    llm_server: LLMServer, endpoint, launch, summary, asked: str, answer: int | str
) -> None:
    llm_server.script(lambda request: CLEAN)
    setattr(llm_server.batches, asked, [answer])
    assert to_the_end(launch(endpoint, summary, run="batch").job).state == "done"
    assert (states(), llm_server.calls) == (["clean"] * 4, 4)
    assert len(llm_server.batches.made) == 1
