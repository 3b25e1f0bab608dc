"""For how long a job ran: time in which nothing of it did does not count."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from summarizer.engine.work import StopReason
from summarizer.jobs.claims import claim_item, release
from summarizer.jobs.running_time import note_idle
from summarizer.jobs.selectors import job_progress, jobs_with_progress
from summarizer.jobs.services import cancel_job, pause_job, resume_job, retry_job
from summarizer.jobs.sweep import sweep
from summarizer.models import Job, JobItem
from tests.llm_server import LLMServer
from tests.summarizer.engine.conftest import item_of, run

pytestmark = pytest.mark.django_db(transaction=True)

#: What the steps of a test may take themselves, in seconds.
SLACK = 5


def shift(job: Job, hours: float) -> None:
    """Let everything that has happened to a job have happened so many hours earlier."""
    by = timedelta(hours=hours)
    for row in (*JobItem.objects.filter(job=job), Job.objects.get(pk=job.pk)):
        for field in row._meta.fields:
            value = getattr(row, field.attname)
            if isinstance(value, datetime):
                type(row).objects.filter(pk=row.pk).update(**{field.attname: value - by})


def ran(job: Job) -> float:
    """Hours that a job ran, the same on its page and in the list; to a hundredth."""
    seconds = job_progress(job).wall_seconds
    assert seconds is not None
    assert [listed.wall_seconds for listed in jobs_with_progress()] == [pytest.approx(seconds, abs=SLACK)]
    return round(seconds / 3600, 2)


def begin(job: Job) -> None:
    assert claim_item(item_of(job).pk)


def hold_on(job: Job) -> None:
    """A worker shows that it still works on what it holds."""
    now = timezone.now()
    job.items.filter(state="running").update(heartbeat_at=now, lease_expires_at=now + timedelta(seconds=30))


def run_for(job: Job, hours: float) -> None:
    shift(job, hours)
    hold_on(job)


def test_a_job_that_never_began_has_no_time(endpoint, launch) -> None:
    job = launch(endpoint)
    shift(job, 1)
    assert job_progress(job).wall_seconds is None
    begin(job)
    run_for(job, 2)
    assert ran(job) == 2


def test_time_before_a_retry_does_not_count(llm_server: LLMServer, endpoint, launch) -> None:
    llm_server.then(*["refusal"] * 4)
    job = launch(endpoint)
    run(job)
    item = item_of(job)
    assert (item.state, item.ended_at is None) == ("failed", False)
    JobItem.objects.filter(pk=item.pk).update(started_at=item.started_at - timedelta(hours=1))
    shift(job, 10)
    assert ran(job) == 1
    retry_job(job=job)
    assert ran(job) == 1
    begin(job)
    run_for(job, 2)
    assert ran(job) == 3


def test_time_in_which_a_job_is_paused_does_not_count(endpoint, launch) -> None:
    job = launch(endpoint)
    claim = claim_item(item_of(job).pk)
    assert claim
    run_for(job, 1)
    pause_job(job=job)
    run_for(job, 0.5)  # its calls in flight come to their ends
    release(claim, StopReason.PAUSED)
    shift(job, 8)
    assert ran(job) == 1.5
    resume_job(job=job)
    resume_job(job=job)
    assert ran(job) == 1.5
    begin(job)
    run_for(job, 1)
    assert ran(job) == 2.5


def test_a_paused_job_that_is_stopped_later_ran_until_it_was_paused(endpoint, launch) -> None:
    job = launch(endpoint)
    claim = claim_item(item_of(job).pk)
    assert claim
    run_for(job, 1)
    pause_job(job=job)
    release(claim, StopReason.PAUSED)
    shift(job, 8)
    cancel_job(job=job)
    shift(job, 5)
    assert ran(job) == 1


@pytest.mark.parametrize("found_by", ["sweep", "message"])
def test_a_night_without_a_worker_does_not_count(endpoint, launch, found_by: str) -> None:
    job = launch(endpoint)
    claim = claim_item(item_of(job).pk)
    assert claim
    run_for(job, 1)
    release(claim, StopReason.WORKER_STOPPING)
    shift(job, 12)
    assert ran(job) == 1
    if found_by == "sweep":
        sweep()
    begin(job)
    run_for(job, 1)
    assert ran(job) == 2


def test_a_killed_worker_s_night_does_not_count(endpoint, launch) -> None:
    job = launch(endpoint)
    begin(job)
    run_for(job, 1)
    shift(job, 12)
    assert ran(job) == 1
    begin(job)
    run_for(job, 1)
    assert ran(job) == 2


def test_an_item_that_waits_beside_one_that_runs_is_no_idle_time(endpoint, launch) -> None:
    job = launch(endpoint, books=2)
    first = job.items.get(index=0)
    assert claim_item(first.pk)
    run_for(job, 3)
    note_idle(job.pk)
    assert claim_item(job.items.get(index=1).pk)
    assert ran(job) == 3


def test_time_in_a_batch_counts(endpoint, launch) -> None:
    job = launch(endpoint, run="batch")
    begin(job)
    job.items.update(state="in batch", lease=None)
    shift(job, 5)
    assert ran(job) == 5
