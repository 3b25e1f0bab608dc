"""The watch: a thread of every worker that asks after batches, collects them, and queues the items that waited."""

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from summarizer.batches.rows import give_back, mark_open, poll_time
from summarizer.jobs import queue
from summarizer.models import JobItem, LLMBatch

if TYPE_CHECKING:
    from summarizer.providers.openai_batches import RemoteBatch

logger = logging.getLogger(__name__)

#: How long one who looks at a batch is left alone with it, in times of a lease: two who look at once do no harm.
LOOKING_LEASES = 4
#: The server's words for a batch that has ended.
ENDED = frozenset({"completed", "expired", "cancelled", "failed"})

State = LLMBatch.State


def watch() -> None:
    """One round: look at the batches whose time has come, and queue the items whose batches have all ended."""
    for batch in LLMBatch.objects.filter(_due()).select_related("endpoint", "item__job"):
        # One worker of several looks: the one whose change of the time succeeds.
        mine = LLMBatch.objects.filter(pk=batch.pk, state=batch.state, poll_at=batch.poll_at)
        if mine.update(poll_at=timezone.now() + LOOKING_LEASES * timedelta(seconds=settings.JOB_LEASE_SECONDS)):
            try:
                _look(batch)
            finally:
                LLMBatch.objects.filter(pk=batch.pk, state__in=LLMBatch.UNSETTLED).update(poll_at=poll_time())
    queue.send(_queue_answered())


def _due() -> Q:
    """Batches on the server; and those going up whose worker is gone."""
    now = timezone.now()
    left = ~Q(item__state=JobItem.State.RUNNING) | Q(item__lease_expires_at__lt=now)
    return Q(poll_at__lte=now) & (Q(state=State.OPEN) | Q(left, state=State.PREPARING))


def _look(batch: LLMBatch) -> None:
    # These import the API client, which takes half a second: only where there is a batch.
    from summarizer.batches.collecting import lose
    from summarizer.providers.base import ProviderFailure
    from summarizer.providers.openai_batches import NotThere

    try:
        if batch.state == State.PREPARING:
            _settle(batch)
        else:
            _poll(batch)
    except NotThere as failure:
        if batch.state == State.OPEN:
            lose(batch, f"The server no longer knows the batch {batch.remote_id}. {failure}")
        else:
            give_back(batch, f"The server takes no batches. {failure}")
    except ProviderFailure as failure:
        # The batch goes on without us; it is asked after again.
        LLMBatch.objects.filter(pk=batch.pk, state=batch.state).update(problem=str(failure))
    except Exception as error:
        logger.exception("Batch %s could not be looked at; it is tried again.", batch.pk)
        problem = f"A fault of the program ({type(error).__name__}): its details are in the worker's log."
        LLMBatch.objects.filter(pk=batch.pk, state=batch.state).update(problem=problem)


def _settle(batch: LLMBatch) -> None:
    """A batch whose worker ended while it went up: it is on the server, or never came there."""
    from summarizer.batches.remote import delete_uploads
    from summarizer.batches.sending import find

    if remote := find(batch):
        mark_open(batch, remote)
    elif give_back(batch, "Its worker ended before it went up."):
        delete_uploads(batch)


def _poll(batch: LLMBatch) -> None:
    from summarizer.batches.collecting import collect
    from summarizer.batches.remote import ask

    remote = _cancelled(batch) or ask(batch.endpoint, batch.base_url, lambda batches: batches.read(batch.remote_id))
    LLMBatch.objects.filter(pk=batch.pk, state=State.OPEN).update(
        remote_status=remote.status[:50], answered=remote.completed, failed=remote.failed, problem=""
    )
    if remote.status in ENDED:
        collect(batch, remote)


def _cancelled(batch: LLMBatch) -> "RemoteBatch | None":
    """Stop a batch on the server, once, if its job was stopped. What was answered by then is collected."""
    from summarizer.batches.remote import ask
    from summarizer.providers.base import ProviderFailure

    if batch.item.job.cancelled_at is None or batch.cancel_sent_at is not None:
        return None
    try:
        remote = ask(batch.endpoint, batch.base_url, lambda batches: batches.cancel(batch.remote_id))
    except ProviderFailure:
        # It may have ended meanwhile, and can be read.
        return None
    LLMBatch.objects.filter(pk=batch.pk).update(cancel_sent_at=timezone.now())
    return remote


def _queue_answered() -> list[int]:
    """Queue the items that wait for no batch any more, and note that a worker sees those that do.

    Returns those to send a message for.
    """
    now = timezone.now()
    waiting = JobItem.objects.filter(state=JobItem.State.IN_BATCH)
    waiting.update(heartbeat_at=now)
    unsettled = LLMBatch.objects.filter(item=OuterRef("pk"), state__in=LLMBatch.UNSETTLED)
    queued = []
    for item in waiting.filter(~Exists(unsettled)).select_related("job"):
        mine = JobItem.objects.filter(pk=item.pk, state=JobItem.State.IN_BATCH)
        if mine.update(state=JobItem.State.QUEUED, queued_at=now) and not item.job.paused_at:
            queued.append(item.pk)
    return queued
