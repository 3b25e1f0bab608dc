"""Who works on an item: claims by compare-and-set, a lease while it is worked on, and every way in which it ends.

Each change names the lease it was made under, so a worker that was given up for dead changes nothing any more.
Conditions are on columns of the item itself: on PostgreSQL a condition on another table would not be checked again
after waiting for another claim.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from summarizer.engine.work import Holder, StopReason
from summarizer.jobs import queue
from summarizer.jobs.advice import WORKER_LOST
from summarizer.jobs.running_time import note_idle, unattended
from summarizer.ledger.calls import answered_questions, has_calls, recover, reopen
from summarizer.models import Job, JobItem

State = JobItem.State

#: How often an item is started before it is taken to kill its workers.
MOST_CLAIMS = 5


@dataclass(frozen=True, slots=True)
class Claim:
    item: JobItem
    lease: UUID

    @property
    def holder(self) -> Holder:
        return Holder(self.item.pk, self.item.job_id, self.lease)


def claim_item(item_id: int) -> Claim | None:
    """Take an item that waits, or whose worker's lease ran out. None if it is not to be had."""
    now, lease = timezone.now(), uuid4()
    item = JobItem.objects.filter(pk=item_id, job__cancelled_at=None, job__paused_at=None).first()
    if item is None:
        return None
    if unattended(item):
        note_idle(item.job_id)
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_expires_at__lt=now)
    claimed = JobItem.objects.filter(free, pk=item_id, claims__lt=MOST_CLAIMS).update(
        state=State.RUNNING,
        lease=lease,
        lease_expires_at=now + lease_time(),
        heartbeat_at=now,
        claims=F("claims") + 1,
        started_at=Coalesce(F("started_at"), now),
        ended_at=None,
        error_kind="",
        error="",
    )
    if not claimed:
        return None
    if has_calls(item_id):
        recover(item_id)
        JobItem.objects.filter(pk=item_id, lease=lease).update(calls_done=answered_questions(item_id))
    item = JobItem.objects.select_related("job__endpoint", "book", "summary").get(pk=item_id)
    return Claim(item, lease)


def lease_time() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def finish(claim: Claim, save: Callable[[], None], calls: int) -> bool:
    """Mark an item done and store its result in one transaction. False, and nothing stored, without the lease.

    `calls` is the number of questions the item took, for its progress.
    """
    with transaction.atomic():
        if not _update(claim, state=State.DONE, step="", calls_done=calls, calls_planned=calls):
            return False
        save()
    return True


def fail(claim: Claim, kind: str, message: str, step: str = "", unserved: Sequence[str] = ()) -> None:
    """`unserved` are the questions whose answers, if any came, did not serve: a retry by hand asks them anew.

    They no longer count as done, so that the progress is what a retry begins with.
    """
    with transaction.atomic():
        if _update(claim, state=State.FAILED, error_kind=kind[:30], error=message, step=step[:200]):
            reopen(claim.item.pk, unserved)
            JobItem.objects.filter(pk=claim.item.pk).update(calls_done=answered_questions(claim.item.pk))


def release(claim: Claim, reason: StopReason) -> None:
    """Give an item back because its work was stopped; a stop on purpose is no claim that came to nothing."""
    with transaction.atomic():
        # Whatever it was stopped for, its job may have been cancelled meanwhile, and then nobody would take it up from
        # the queue. With the row locked, this and a cancellation come one after the other.
        job = Job.objects.select_for_update().get(pk=claim.item.job_id)
        if reason is StopReason.CANCELLED or job.cancelled_at is not None:
            _update(claim, state=State.CANCELLED)
        elif reason in (StopReason.PAUSED, StopReason.WORKER_STOPPING):
            given_back = _update(
                claim,
                state=State.QUEUED,
                claims=Greatest(F("claims") - 1, 0),
                queued_at=timezone.now(),
                ended_at=None,
            )
            if given_back and job.paused_at is None:
                transaction.on_commit(partial(queue.send, [claim.item.pk]), robust=True)


def wait_for_batch(claim: Claim) -> None:
    """Let go of an item whose calls are in a batch. The watch queues it again once no batch of it is under way."""
    with transaction.atomic():
        job = Job.objects.select_for_update().get(pk=claim.item.job_id)
        if job.cancelled_at is not None:
            _update(claim, state=State.CANCELLED)
        else:
            _update(claim, state=State.IN_BATCH, claims=Greatest(F("claims") - 1, 0), ended_at=None)


def plan_calls(claim: Claim, calls: int) -> None:
    """Let the number of planned calls grow to `calls`; it never falls."""
    JobItem.objects.filter(pk=claim.item.pk, lease=claim.lease, calls_planned__lt=calls).update(calls_planned=calls)


def expire_claims() -> list[int]:
    """Deal with items whose worker is gone. Returns those that wait again.

    One that was claimed `MOST_CLAIMS` times fails as "worker lost".
    """
    expired = JobItem.objects.filter(state=State.RUNNING, lease_expires_at__lt=timezone.now()).select_related("job")
    queued = []
    for item in expired:
        mine = JobItem.objects.filter(pk=item.pk, state=State.RUNNING, lease=item.lease)
        mine = mine.filter(lease_expires_at=item.lease_expires_at)
        gone = {"lease": None, "lease_expires_at": None}
        if item.job.cancelled_at:
            mine.update(**gone, state=State.CANCELLED, ended_at=timezone.now())
        elif item.claims >= MOST_CLAIMS:
            message = f"The worker ended {item.claims} times while it worked on this."
            mine.update(**gone, state=State.FAILED, error_kind=WORKER_LOST, error=message, ended_at=timezone.now())
        elif mine.update(**gone, state=State.QUEUED, queued_at=timezone.now()) and not item.job.paused_at:
            queued.append(item.pk)
    return queued


def _update(claim: Claim, **values: object) -> int:
    """Change the item if it is still held under this claim's lease, and let go of it."""
    changes = {"lease": None, "lease_expires_at": None, "ended_at": timezone.now(), **values}
    return JobItem.objects.filter(pk=claim.item.pk, lease=claim.lease, state=State.RUNNING).update(**changes)
