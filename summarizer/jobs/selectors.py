"""What pages and commands read about jobs: state, progress, tokens and cost, in a constant number of queries."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from summarizer.jobs.advice import advice
from summarizer.jobs.refusals import refused_by_item
from summarizer.jobs.running_time import Times, is_unattended, times_of, unattended
from summarizer.jobs.spent import Spent, spent_by, total_spent
from summarizer.models import Job, JobItem, LLMAttempt, LLMBatch

State = JobItem.State

STATE_WORDS = {
    "queued": "Waiting",
    "running": "Running",
    "in batch": "Waiting for the batch",
    "pausing": "Pausing",
    "paused": "Paused",
    "stopping": "Stopping",
    "cancelled": "Cancelled",
    "failed": "Failed",
    "done": "Done",
}


@dataclass(frozen=True, slots=True)
class ItemProgress:
    item: JobItem
    state: str
    state_words: str
    #: What it does now, in words.
    step: str
    done: int
    planned: int
    #: 0 to 100; 100 only when the result is stored.
    percent: int
    #: Waiting, or left in the middle, without a worker that looks at it.
    lost: bool
    error_kind: str
    error: str
    advice: str
    spent: Spent
    #: Calls that the model refused, apart from what the item failed for: Try again makes them anew.
    refused: int = 0

    @property
    def title(self) -> str:
        return str(self.item.book or self.item.summary)

    @property
    def step_shown(self) -> bool:
        """Whether its step says what goes on now, not where it ended."""
        return bool(self.step) and self.state in (State.RUNNING, State.IN_BATCH)

    @property
    def can_retry(self) -> bool:
        return self.lost or self.state in (State.FAILED, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class JobProgress:
    """`state` is queued, running, in batch, pausing, paused, stopping, cancelled, failed or done.

    One that is pausing or stopping makes no new call, and its calls in flight still come to their ends.
    `counts` says how many items are in each state.
    """

    job: Job
    state: str
    state_words: str
    counts: dict[str, int]
    total: int
    done: int
    planned: int
    percent: int
    lost: int
    spent: Spent
    #: For how long it ran until now, without the time in which nothing of it did; None if it never began.
    wall_seconds: float | None
    items: list[ItemProgress] = field(default_factory=list)
    #: All batches of its items, oldest first.
    batches: list[LLMBatch] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Nothing of it waits or runs any more."""
        return not any(self.counts.get(state) for state in JobItem.UNFINISHED)

    @property
    def note(self) -> str:
        """What still goes on with a job that was paused or stopped, in words; empty for any other."""
        words = []
        if self.state in ("pausing", "stopping"):
            words.append(f"No new call is made. {_under_way_words(self.spent.under_way)}")
        elif self.state == "paused":
            words.append("Nothing is sent until you choose Go on.")
        if self.state in ("pausing", "paused") and any(batch.state in LLMBatch.UNSETTLED for batch in self.batches):
            words.append("What is in a batch on the server is still answered, collected and paid.")
        if self.job.cancelled_at and any(batch.state in LLMBatch.UNSETTLED for batch in self.batches):
            words.append("Its batches are being stopped on the server; what they were answered is collected and paid.")
        return " ".join(words)

    @property
    def refused(self) -> int:
        """Calls that Try again makes anew, and pays again, because the model refused them."""
        return sum(item.refused for item in self.items if item.can_retry)

    @property
    def can_cancel(self) -> bool:
        return not self.ended and self.job.cancelled_at is None

    @property
    def can_pause(self) -> bool:
        return self.can_cancel and self.job.paused_at is None

    @property
    def can_resume(self) -> bool:
        return self.can_cancel and self.job.paused_at is not None

    @property
    def can_retry(self) -> bool:
        return bool(self.lost or self.counts.get(State.FAILED) or self.counts.get(State.CANCELLED))


def job_progress(job: Job) -> JobProgress:
    """Everything a job's page shows, read afresh."""
    job = Job.objects.select_related("endpoint", "launched_by").get(pk=job.pk)
    items = list(job.items.select_related("book", "summary__book", "summary__system").order_by("index"))
    spent = spent_by("call__item", LLMAttempt.objects.filter(call__item__job=job))
    batches = list(LLMBatch.objects.filter(item__job=job).select_related("item__book", "item__summary__book"))
    refused = refused_by_item(job)
    rows = [_item_progress(item, job, spent.get(item.pk, Spent()), batches, refused.get(item.pk, 0)) for item in items]
    counts: dict[str, int] = {}
    for item in items:
        counts[item.state] = counts.get(item.state, 0) + 1
    return _progress(
        job,
        counts,
        done=sum(row.done for row in rows),
        planned=sum(row.planned for row in rows),
        lost=sum(row.lost for row in rows),
        spent=total_spent(spent.values()),
        times=times_of([job.pk]).get(job.pk, Times()),
        items=rows,
        batches=batches,
    )


def jobs_with_progress(jobs: QuerySet[Job] | Sequence[Job] | None = None) -> list[JobProgress]:
    """All jobs (or `jobs`, for example one page of them), newest first, without their items."""
    chosen = list(Job.objects.select_related("endpoint", "launched_by") if jobs is None else jobs)
    keys = [job.pk for job in chosen]
    spent = spent_by("call__item__job", LLMAttempt.objects.filter(call__item__job__in=keys))
    lost = Q(job__paused_at=None, job__cancelled_at=None) & is_unattended()
    rows = JobItem.objects.filter(job__in=keys).order_by().values("job", "state")
    rows = rows.annotate(
        items=Count("pk"),
        done=Sum("calls_done"),
        planned=Sum("calls_planned"),
        lost=Count("pk", filter=lost),
    )
    by_job: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_job.setdefault(row["job"], []).append(row)
    times = times_of(keys)
    return [
        _progress_of_rows(job, by_job.get(job.pk, []), spent.get(job.pk, Spent()), times.get(job.pk, Times()))
        for job in chosen
    ]


def lost_items(job: Job) -> QuerySet[JobItem]:
    """Items that wait or should run although no worker has looked at them for a minute."""
    return job.items.filter(is_unattended())


def wait_for(
    job: Job,
    *,
    on_progress: Callable[[JobProgress], None] | None = None,
    seconds_between: float = 0.5,
    timeout: float | None = None,
) -> JobProgress:
    """Block until nothing of `job` waits or runs any more; returns its last progress.

    Raises TimeoutError after `timeout` seconds.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        progress = job_progress(job)
        if on_progress:
            on_progress(progress)
        if progress.ended:
            return progress
        if deadline is not None and time.monotonic() > deadline:
            raise TimeoutError(f"Job {job.pk} has not ended after {timeout} seconds.")
        time.sleep(seconds_between)


def _item_progress(item: JobItem, job: Job, spent: Spent, batches: Sequence[LLMBatch], refused: int) -> ItemProgress:
    lost = not job.paused_at and not job.cancelled_at and unattended(item)
    state = item_state(item, job)
    words = "Lost: no worker is looking at it. Start a worker, or choose Try again." if lost else STATE_WORDS[state]
    return ItemProgress(
        item=item,
        state=state,
        state_words=words,
        step=waiting_words(item, batches) if item.state == State.IN_BATCH else item.step,
        done=item.calls_done,
        planned=max(item.calls_planned, item.calls_done),
        percent=_percent(item.calls_done, item.calls_planned, item.state == State.DONE),
        lost=lost,
        error_kind=item.error_kind,
        error=item.error,
        advice=advice(item.error_kind),
        spent=spent,
        refused=refused,
    )


def _progress_of_rows(job: Job, rows: list[Mapping[str, Any]], spent: Spent, times: Times) -> JobProgress:
    def values(name: str) -> list[Any]:
        return [row[name] for row in rows if row[name] is not None]

    return _progress(
        job,
        {row["state"]: row["items"] for row in rows},
        done=sum(values("done")),
        planned=sum(values("planned")),
        lost=sum(values("lost")),
        spent=spent,
        times=times,
        items=[],
    )


def _progress(
    job: Job,
    counts: dict[str, int],
    *,
    done: int,
    planned: int,
    lost: int,
    spent: Spent,
    times: Times,
    items: list[ItemProgress],
    batches: Sequence[LLMBatch] = (),
) -> JobProgress:
    state = job_state(job, counts, times.held)
    return JobProgress(
        job=job,
        state=state,
        state_words=STATE_WORDS[state],
        counts=counts,
        total=sum(counts.values()),
        done=done,
        planned=max(planned, done),
        percent=_percent(done, planned, state == "done"),
        lost=lost,
        spent=spent,
        wall_seconds=times.ran_seconds(job),
        items=items,
        batches=list(batches),
    )


def _under_way_words(calls: int) -> str:
    if not calls:
        return "What was under way is being put down."
    under_way = (
        "1 call is under way; its answer is" if calls == 1 else f"{calls:,} calls are under way; their answers are"
    )
    return f"{under_way} waited for, kept and paid."


def waiting_words(item: JobItem, batches: Sequence[LLMBatch]) -> str:
    """How far the batches are that an item waits for."""
    open_ones = [batch for batch in batches if batch.item_id == item.pk and batch.state in LLMBatch.UNSETTLED]
    calls, answered = sum(batch.calls for batch in open_ones), sum(batch.answered for batch in open_ones)
    return f"{answered} of {calls} answered, up to 24 h" if open_ones else "answered, goes on in a moment"


def item_state(item: JobItem, job: Job) -> str:
    """The state of an item as the flags of its job change it."""
    if item.state == State.RUNNING and (job.cancelled_at or job.paused_at):
        held = item.lease_expires_at is not None and item.lease_expires_at >= timezone.now()
        if held:
            return "stopping" if job.cancelled_at else "pausing"
        return "cancelled" if job.cancelled_at else "paused"
    return "paused" if item.state == State.QUEUED and job.paused_at else str(item.state)


def job_state(job: Job, counts: dict[str, int], held: int) -> str:
    """The state of a job from its flags, the states of its items (`counts`: {state: items}) and how many are held."""
    open_items = sum(counts.get(state, 0) for state in JobItem.UNFINISHED)
    ended = {state for state in (State.DONE, State.FAILED, State.CANCELLED) if counts.get(state)}
    if not open_items and ended == {State.DONE}:
        return "done"
    if job.cancelled_at:
        return "stopping" if held else "cancelled"
    if open_items and job.paused_at:
        return "pausing" if held else "paused"
    if counts.get(State.IN_BATCH) and not counts.get(State.RUNNING) and not counts.get(State.QUEUED):
        return "in batch"
    if open_items:
        return "running" if counts.get(State.RUNNING) or counts.get(State.IN_BATCH) or ended else "queued"
    return "failed" if State.FAILED in ended else "cancelled"


def _percent(done: int, planned: int, finished: bool) -> int:
    if finished:
        return 100
    return min(99, 100 * done // planned) if planned else 0
