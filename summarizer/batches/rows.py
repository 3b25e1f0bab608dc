"""The rows of batches: how each changes its state, always by compare-and-set, and what becomes of its attempts."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from summarizer.models import JobItem, LLMAttempt, LLMBatch

if TYPE_CHECKING:
    from summarizer.providers.openai_batches import RemoteBatch

State = LLMBatch.State


class InBatch(Exception):
    """The item's calls are in a batch. It waits for their answers, and no worker waits with it."""


def has_unsettled(item: JobItem) -> bool:
    """Whether calls of the item are in a batch whose outcome is still to come."""
    return item.batches.filter(state__in=LLMBatch.UNSETTLED).exists()


def poll_time() -> datetime:
    return timezone.now() + timedelta(seconds=settings.BATCH_POLL_SECONDS)


def mark_open(batch: LLMBatch, remote: "RemoteBatch") -> bool:
    """Store where a batch is on the server. False if it was given back meanwhile."""
    return bool(
        LLMBatch.objects.filter(pk=batch.pk, state=State.PREPARING).update(
            state=State.OPEN,
            remote_id=remote.id,
            remote_status=remote.status[:50],
            answered=remote.completed,
            failed=remote.failed,
            problem="",
            poll_at=poll_time(),
        )
    )


def end(batch: LLMBatch, state: State, problem: str = "") -> bool:
    """End a batch that is in the state it was read in. False if another ended it."""
    return bool(
        LLMBatch.objects.filter(pk=batch.pk, state=batch.state).update(
            state=state, problem=problem, ended_at=timezone.now()
        )
    )


def give_back(batch: LLMBatch, problem: str, state: State = State.WITHDRAWN) -> bool:
    """End a batch of which no call was made; its attempts are as if they had never been sent. False as in `end`."""
    with transaction.atomic():
        if not end(batch, state, problem):
            return False
        give_back_attempts(batch)
        return True


def give_back_attempts(batch: LLMBatch, attempt_ids: Iterable[int] | None = None) -> None:
    """Those of `attempt_ids`, or all that are still open."""
    sent = LLMAttempt.objects.filter(batch=batch, state=LLMAttempt.State.SENT)
    if attempt_ids is not None:
        sent = sent.filter(pk__in=attempt_ids)
    sent.delete()
