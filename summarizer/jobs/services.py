"""Launching jobs and steering them. Every change is a compare-and-set, so two people at once do no harm."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from summarizer.jobs import kinds, queue
from summarizer.jobs.elsewhere import jobs_at_it
from summarizer.jobs.errors import JobError as JobError
from summarizer.jobs.launch_keys import LaunchKey, launched_with, note_launch
from summarizer.jobs.refusals import reopen_refused
from summarizer.jobs.running_time import note_idle
from summarizer.jobs.selectors import lost_items
from summarizer.models import Book, Endpoint, Job, JobItem, LLMBatch, Summary

State = JobItem.State


def launch_job(
    *,
    kind: str,
    endpoint: Endpoint,
    subjects: Sequence[Book] | Sequence[Summary],
    parameters: Mapping[str, Any],
    plan: Mapping[str, Any] | None = None,
    budget_usd: Decimal | None = None,
    launched_by: AbstractBaseUser | None = None,
    launch_key: LaunchKey | None = None,
    run: str = Job.Run.DIRECT,
) -> Job:
    """Make a job with one item per subject and wake the workers once it is committed.

    `plan` is kept as shown to the person; its "items" (a list of {"calls": n} in the order of the subjects) gives each
    item its number of planned calls. The same launch sent again, under its `launch_key`, returns the job of the first.
    Raises `JobError`.
    """
    if launched := launched_with(launch_key, launched_by):
        return launched
    _check_launch(kind, endpoint, subjects, budget_usd)
    _check_run(endpoint, run)
    try:
        with transaction.atomic():
            job = Job.objects.create(
                kind=kind,
                endpoint=endpoint,
                parameters=dict(parameters),
                plan=dict(plan or {}),
                run=run,
                budget_usd=budget_usd,
                launched_by=launched_by,  # type: ignore[misc]
                client_key=launch_key.key if launch_key else None,
            )
            note_launch(launch_key, job, launched_by)
            items = JobItem.objects.bulk_create(_items(job, subjects))
            _wake_on_commit(item.pk for item in items)
    except IntegrityError:
        if launched := launched_with(launch_key, launched_by):
            return launched
        raise
    return job


def cancel_job(*, job: Job) -> None:
    """Make no further call for this job. Finished calls are kept, and `retry_job` goes on from them.

    Items that wait are cancelled at once, running ones as soon as their calls in flight have been recorded. Batches are
    stopped on the server; what they were answered by then is recorded too.
    """
    now = timezone.now()
    with transaction.atomic():
        note_idle(job.pk)
        Job.objects.filter(pk=job.pk, cancelled_at=None).update(cancelled_at=now)
        # Also what a worker left behind that is gone: no one else would mark it.
        idle = Q(state__in=(State.QUEUED, State.IN_BATCH)) | Q(state=State.RUNNING, lease_expires_at__lt=now)
        job.items.filter(idle).update(state=State.CANCELLED, lease=None, lease_expires_at=None, ended_at=now)
        LLMBatch.objects.filter(item__job=job, state=LLMBatch.State.OPEN, poll_at__gt=now).update(poll_at=now)
    job.refresh_from_db()


def pause_job(*, job: Job) -> None:
    """Make no further call until `resume_job`. Raises `JobError` for a job that was cancelled or has ended."""
    if not job.items.filter(state__in=JobItem.UNFINISHED).exists():
        raise JobError("This job has ended, so there is nothing to pause.")
    if not Job.objects.filter(pk=job.pk, paused_at=None, cancelled_at=None).update(paused_at=timezone.now()):
        job.refresh_from_db()
        if job.cancelled_at:
            raise JobError("This job was cancelled. Retry it to go on.")
    job.refresh_from_db()


def resume_job(*, job: Job) -> None:
    """Go on after `pause_job`; harmless for a job that is not paused."""
    with transaction.atomic():
        note_idle(job.pk)
        if Job.objects.filter(pk=job.pk).exclude(paused_at=None).update(paused_at=None):
            waiting = job.items.filter(state=State.QUEUED)
            waiting.update(queued_at=timezone.now(), claims=0)
            _wake_on_commit(waiting.values_list("pk", flat=True))
    job.refresh_from_db()


def retry_job(
    *,
    job: Job,
    items: Iterable[JobItem] | None = None,
    budget_usd: Decimal | None = None,
    run: str | None = None,
) -> int:
    """Queue again what failed, was cancelled or got lost: of the whole job, or of `items` only.

    Answers that are there are used, so only missing calls are made; refusals that would fail an item again are missing
    too (see `refusals`). What another job is at is left to it, so that nothing is paid twice. Another `budget_usd` or
    `run` replaces the job's. Returns the number of items queued. Raises `JobError` if there is nothing to try again.
    """
    ended = job.items.filter(state__in=(State.FAILED, State.CANCELLED)) | lost_items(job)
    if items is not None:
        ended = ended.filter(pk__in=[item.pk for item in items])
    with transaction.atomic():
        kinds.job_kind(job.kind).lock_work(job)
        note_idle(job.pk)
        Job.objects.filter(pk=job.pk).update(cancelled_at=None, paused_at=None)
        if budget_usd is not None:
            _check_budget(job.endpoint, budget_usd)
            Job.objects.filter(pk=job.pk).update(budget_usd=budget_usd)
        if run is not None:
            _check_run(job.endpoint, run)
            Job.objects.filter(pk=job.pk).update(run=run)
        busy = jobs_at_it(job)
        waiting = {item: busy[subject] for item in ended if (subject := (item.book_id, item.summary_id)) in busy}
        queued = [item.pk for item in ended if item not in waiting and _queue_again(item)]
        if not queued and waiting:
            raise JobError(f"Job {min(waiting.values())} is at the same work already. Wait until it has ended.")
        if not queued:
            raise JobError("Nothing of this job can be tried again: no item failed, was cancelled or got lost.")
        reopen_refused(job, queued)
        _wake_on_commit(queued)
    job.refresh_from_db()
    return len(queued)


def _queue_again(item: JobItem) -> bool:
    queued = JobItem.objects.filter(pk=item.pk, state=item.state, lease=item.lease).update(
        state=State.QUEUED,
        lease=None,
        lease_expires_at=None,
        heartbeat_at=None,
        queued_at=timezone.now(),
        ended_at=None,
        claims=0,
        error_kind="",
        error="",
    )
    return bool(queued)


def _items(job: Job, subjects: Sequence[Book] | Sequence[Summary]) -> list[JobItem]:
    planned = [entry.get("calls", 0) for entry in job.plan.get("items", [])]
    if len(planned) != len(subjects):
        planned = [0] * len(subjects)
    return [
        JobItem(
            job=job,
            index=index,
            book=subject if isinstance(subject, Book) else None,
            summary=subject if isinstance(subject, Summary) else None,
            calls_planned=calls,
        )
        for index, (subject, calls) in enumerate(zip(subjects, planned, strict=True))
    ]


def _check_launch(
    kind: str, endpoint: Endpoint, subjects: Sequence[Book] | Sequence[Summary], budget_usd: Decimal | None
) -> None:
    try:
        kinds.job_kind(kind)
    except KeyError:
        raise JobError(f"There is no kind of job called {kind!r}.") from None
    if not subjects:
        raise JobError("Choose at least one book or summary: a job without any has nothing to do.")
    if len({subject.pk for subject in subjects}) < len(subjects):
        raise JobError("The same book or summary is named twice. Name each once.")
    if budget_usd is not None:
        _check_budget(endpoint, budget_usd)


def run_problem(run: str, endpoint: Endpoint) -> str:
    """What stands against running that way on `endpoint`; empty if nothing does."""
    if run == Job.Run.BATCH and not endpoint.is_llm:
        return "Only an LLM's server takes batches. Run the baseline at once: it costs nothing."
    return ""


def _check_run(endpoint: Endpoint, run: str) -> None:
    if problem := run_problem(run, endpoint):
        raise JobError(problem)


def _check_budget(endpoint: Endpoint, budget_usd: Decimal) -> None:
    if budget_usd <= 0:
        raise JobError("The budget must be more than 0 USD. Leave it empty for none.")
    if endpoint.is_llm and (endpoint.price_prompt is None or endpoint.price_completion is None):
        raise JobError(
            f"The endpoint {endpoint.name} has no prices, so a budget can't be kept. "
            "Enter its prices, or leave the budget empty."
        )


def _wake_on_commit(item_ids: Iterable[int]) -> None:
    transaction.on_commit(partial(queue.send, list(item_ids)), robust=True)
