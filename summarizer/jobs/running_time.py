"""For how long a job ran: from its first start, without the stretches in which nothing of it ran.

Such a stretch begins with the last sign of life and is noted on the job when it ends: by a retry, a resumption, or a
worker that comes after none was there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q
from django.utils import timezone

from summarizer.models import Job, JobItem

State = JobItem.State

#: An item that no worker has looked at for this long is lost: no worker runs, or none can reach the database.
LOST_AFTER = timedelta(seconds=60)

#: States in which no worker holds an item, and one should come.
_WAITING = (State.QUEUED, State.IN_BATCH)


@dataclass(frozen=True, slots=True)
class Times:
    """When anything happened to the items of a job."""

    started_at: datetime | None = None
    #: The last sign of life: something began, ended, was queued, or was looked at by a worker.
    last_sign_at: datetime | None = None
    #: Items that a worker holds now, that wait for a batch, and that are not ended.
    held: int = 0
    in_batch: int = 0
    unfinished: int = 0

    def idle_since(self, job: Job, now: datetime) -> datetime | None:
        """Since when nothing of the job runs; None while something does, or soon will."""
        if self.started_at is None or self.last_sign_at is None or self.held or self.in_batch:
            return None
        since = max(self.last_sign_at, job.idle_until or self.last_sign_at)
        waits = self.unfinished and job.paused_at is None and job.cancelled_at is None
        return None if waits and since > now - LOST_AFTER else since

    def ran_seconds(self, job: Job) -> float | None:
        """How long the job ran until now; None if it never began."""
        if self.started_at is None:
            return None
        now = timezone.now()
        until = self.idle_since(job, now) or now
        return max(0.0, (until - self.started_at).total_seconds() - job.idle_seconds)


def times_of(job_ids: Iterable[int]) -> dict[int, Times]:
    """The times of jobs, in one query."""
    now = timezone.now()
    rows = JobItem.objects.filter(job__in=list(job_ids)).order_by().values("job")
    rows = rows.annotate(
        started=Min("started_at"),
        ended=Max("ended_at"),
        seen=Max("heartbeat_at"),
        queued=Max("queued_at"),
        held=Count("pk", filter=Q(state=State.RUNNING, lease_expires_at__gte=now)),
        in_batch=Count("pk", filter=Q(state=State.IN_BATCH)),
        unfinished=Count("pk", filter=Q(state__in=JobItem.UNFINISHED)),
    )
    return {
        row["job"]: Times(
            started_at=row["started"],
            last_sign_at=max(filter(None, (row["started"], row["ended"], row["seen"], row["queued"])), default=None),
            held=row["held"],
            in_batch=row["in_batch"],
            unfinished=row["unfinished"],
        )
        for row in rows
    }


@transaction.atomic
def note_idle(job_id: int) -> None:
    """Something of a job is about to run or to be ended: note for how long nothing ran. Harmless if something does.

    With the job locked, and the time kept up to which is noted, no stretch is noted twice.
    """
    job = Job.objects.select_for_update().get(pk=job_id)
    now = timezone.now()
    since = times_of([job_id]).get(job_id, Times()).idle_since(job, now)
    if since is not None and since < now:
        seconds = (now - since).total_seconds()
        Job.objects.filter(pk=job_id).update(idle_seconds=F("idle_seconds") + seconds, idle_until=now)


def is_unattended() -> Q:
    """Items that wait or should run although no worker has looked at them for `LOST_AFTER`; flags of jobs aside."""
    old = timezone.now() - LOST_AFTER
    waits = Q(state__in=_WAITING, queued_at__lt=old) & (Q(heartbeat_at=None) | Q(heartbeat_at__lt=old))
    return waits | Q(state=State.RUNNING, lease_expires_at__lt=old)


def unattended(item: JobItem) -> bool:
    """The same as `is_unattended`, of an item that was read."""
    old = timezone.now() - LOST_AFTER
    if item.state == State.RUNNING:
        return item.lease_expires_at is not None and item.lease_expires_at < old
    return item.state in _WAITING and max(item.queued_at, item.heartbeat_at or item.queued_at) < old
