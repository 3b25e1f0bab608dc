"""A book of which a chunk was refused, and that stopped for another reason: what Try again does, and says before."""

import pytest
from django.test import Client

from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import cancel_job, retry_job
from summarizer.models import Book, Endpoint, Job, JobItem, LLMAttempt, Summary
from summarizer.services.launch import launch_summaries
from summarizer.services.systems import SystemParameters
from tests.llm_server import NAMED, LLMServer
from tests.summarizer.launching.conftest import run
from tests.summarizer.launching.test_job_command import command
from tests.summarizer.launching.test_pages import words

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stopped(llm_server: LLMServer, book: Book, parameters: SystemParameters) -> Job:
    """The first chunk was refused, then the account had no money left."""
    Endpoint.objects.update(concurrency=1)
    parameters.endpoint.refresh_from_db()
    llm_server.then("refusal", "quota")
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    assert JobItem.objects.get().error_kind == "quota exhausted"
    assert llm_server.calls == 2
    return job


def test_the_page_and_the_command_say_that_a_refused_call_is_made_anew(stopped: Job, admin: Client) -> None:
    text = words(admin.get(f"/jobs/{stopped.pk}/"))
    assert "You exceeded your current quota. Before that, the model refused 1 call: Try again makes it anew." in text
    page = admin.get(f"/jobs/{stopped.pk}/").content.decode()
    assert "1 call that the model refused is made and paid anew." in page
    assert command(stopped.pk)["items"][0]["refused"] == 1


def test_try_again_brings_the_book_to_its_end_at_once(stopped: Job, llm_server: LLMServer) -> None:
    retry_job(job=stopped)
    run(stopped)
    progress = job_progress(stopped)
    assert (progress.state, progress.refused) == ("done", 0)
    assert Summary.objects.count() == 1
    # Refused, and anew; without money, and anew; all others once.
    assert llm_server.calls == progress.planned + 2


def test_a_job_that_goes_on_by_itself_pays_no_refusal_twice(stopped: Job, llm_server: LLMServer) -> None:
    JobItem.objects.update(state="queued")
    run(stopped)
    assert JobItem.objects.get().error_kind == "refused"
    first = llm_server.prompts[0]
    assert llm_server.prompts.count(first) == 1
    # What it failed for is no longer named beside it: the advice says that Try again asks anew.
    assert job_progress(stopped).refused == 0


def test_a_refusal_before_a_cancellation_is_asked_anew_too(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    Endpoint.objects.update(concurrency=1)
    parameters.endpoint.refresh_from_db()
    job = launch_summaries(parameters=parameters, books=[book])

    def rule(request):
        if request.number == 2:
            cancel_job(job=job)
        return NAMED["null-filter"]() if request.number == 1 else None

    llm_server.script(rule)
    run(job)
    progress = job_progress(job)
    assert (progress.state, progress.refused) == ("cancelled", 1)
    retry_job(job=job)
    run(job)
    assert job_progress(job).state == "done"
    assert LLMAttempt.objects.filter(failure_kind="filtered").count() == 1
