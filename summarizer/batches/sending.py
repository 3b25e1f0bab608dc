"""Sending a strategy's prompts by batch: permission for all, then up they go, and the item waits without a worker.

A batch and its attempts are written before anything leaves. Whatever ends this process in the middle, the batch is
found again on the server by its key, or was never there and its attempts are given back (`watching`).
"""

import random
import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import count
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from summarizer.batches.lines import in_files, line_name, request_line
from summarizer.batches.remote import CLOCKS_DIFFER, ask, delete_files
from summarizer.batches.rows import InBatch, give_back, mark_open, poll_time
from summarizer.engine import retries
from summarizer.engine.calls import REASONS, over_budget
from summarizer.engine.work import BUDGET, ItemFailed, Stopped, StopReason, Work
from summarizer.jobs.advice import NO_BATCHES
from summarizer.ledger import rows
from summarizer.ledger.calls import GROUP, Call, is_first_try
from summarizer.ledger.costs import batch_prices_of, worst_cost, worst_prompt_tokens
from summarizer.ledger.parameters import keep_sent_parameters
from summarizer.ledger.records import Permission, Start
from summarizer.models import LLMAttempt, LLMBatch
from summarizer.providers.base import ProviderFailure
from summarizer.providers.openai import body_of
from summarizer.providers.openai_batches import LINE_ADDRESS, NotThere, RemoteBatch
from summarizer.strategies.base import Outcome
from summarizer.tokens import count_tokens

_chance = random.Random()


def send_up(work: Work, known: Sequence[Outcome | Call]) -> None:
    """Send up in batches the calls in `known` that are asked for the first time, and raise `InBatch` if there are any.

    What is asked again is asked in the normal way: the first answer was cut off or did not serve, or its line failed in
    a way that may pass. Raises `Stopped` or `ItemFailed` like the engine.
    """
    going_up = _first_asked([entry for entry in known if isinstance(entry, Call)])
    if not going_up:
        return
    lines = [
        (call, request_line(line_name(call.id, call.number), LINE_ADDRESS, body_of(call.request))) for call in going_up
    ]
    for file in in_files(lines):
        _send_file(work, [call for call, _ in file], b"".join(line for _, line in file))
    raise InBatch


def _first_asked(calls: Sequence[Call]) -> list[Call]:
    again = set()
    for group in _groups([call.id for call in calls if call.number > 1]):
        again |= set(
            LLMAttempt.objects.filter(
                call__in=group, failure_kind__in=retries.TRIED_AGAIN, batch__state=LLMBatch.State.COLLECTED
            ).values_list("call", flat=True)
        )
    return [call for call in calls if is_first_try(call.step) and call.id not in again]


def _send_file(work: Work, calls: Sequence[Call], content: bytes) -> None:
    batch = _written(work, calls)
    try:
        remote = _made(work, batch, content)
    except NotThere as failure:
        give_back(batch, str(failure))
        raise ItemFailed(NO_BATCHES, f"The server takes no batches. {failure}", batch.first_step) from None
    except ProviderFailure as failure:
        if not failure.lost:
            give_back(batch, str(failure))
        raise ItemFailed(failure.kind, str(failure), batch.first_step) from None
    if not mark_open(batch, remote):
        # This worker was given up for dead, and another took the calls: nobody waits for this batch.
        ask(work.endpoint, batch.base_url, lambda batches: batches.cancel(remote.id))
        raise Stopped(StopReason.LEASE_LOST)


@transaction.atomic
def _written(work: Work, calls: Sequence[Call]) -> LLMBatch:
    """Write a batch and its attempts as sent, if all of them may leave. Raises `Stopped` or `ItemFailed`."""
    now, holder = timezone.now(), work.holder
    costs = [_worst_cost(work, call) for call in calls]
    permissions = rows.write_starts(
        [
            Start(call.id, call.number, holder.item_id, holder.lease, call.step, cost, now)
            for call, cost in zip(calls, costs, strict=True)
        ]
    )
    if refused := next((each for each in permissions if each is not Permission.GO), None):
        if refused is Permission.OVER_BUDGET:
            total = None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0))
            raise ItemFailed(BUDGET, over_budget(total, f"batch of {len(calls)} calls"), calls[0].step)
        raise Stopped(REASONS[refused])
    batch = LLMBatch.objects.create(
        item_id=holder.item_id,
        endpoint=work.endpoint,
        key=uuid4(),
        base_url=work.endpoint.base_url,
        first_step=calls[0].step[:200],
        calls=len(calls),
        poll_at=poll_time(),
    )
    written = 0
    for group in _groups([call.id for call in calls]):
        sent = LLMAttempt.objects.filter(call__in=group, state=LLMAttempt.State.SENT, batch=None)
        written += sent.update(batch=batch)
    if written != len(calls):
        raise Stopped(StopReason.LEASE_LOST)
    for call in calls:
        if (parameters := call.request.parameters()) != call.recorded_parameters:
            keep_sent_parameters(call_id=call.id, sent=parameters)
    return batch


def _made(work: Work, batch: LLMBatch, content: bytes) -> RemoteBatch:
    """Upload the file, which costs nothing and may be done twice, and make the batch, which may not.

    Raises `ProviderFailure`; one that is `lost` leaves open whether there is a batch. Raises `Stopped`.
    """
    file_id = _uploaded(work, batch, str(batch.key), content)
    try:
        return _created(work, batch, file_id)
    except ProviderFailure as failure:
        if not failure.lost:
            delete_files(work.endpoint, batch.base_url, [file_id])
        raise


def _created(work: Work, batch: LLMBatch, file_id: str) -> RemoteBatch:
    key = str(batch.key)
    for tries in count(1):
        # While the file went up, this worker may have been given up for dead.
        if not LLMBatch.objects.filter(
            pk=batch.pk, state=LLMBatch.State.PREPARING, item__lease=work.holder.lease
        ).exists():
            if tries == 1:
                delete_files(work.endpoint, batch.base_url, [file_id])
            raise Stopped(StopReason.LEASE_LOST)
        try:
            return ask(work.endpoint, batch.base_url, lambda batches: batches.create(file_id, key))
        except ProviderFailure as failure:
            if not failure.lost and not retries.tried_again(failure, tries):
                raise
            _pause(work, retries.seconds_before_retry(failure, tries, _chance))
            if failure.lost and (remote := find(batch)):
                return remote
            if not retries.tried_again(failure, tries):
                raise
    raise AssertionError("never reached")


def _uploaded(work: Work, batch: LLMBatch, key: str, content: bytes) -> str:
    for tries in count(1):
        try:
            return ask(work.endpoint, batch.base_url, lambda batches: batches.upload(key, content))
        except ProviderFailure as failure:
            # A file that no batch was made of is asked nothing.
            failure.lost = False
            if not retries.tried_again(failure, tries):
                raise
            _pause(work, retries.seconds_before_retry(failure, tries, _chance))
    raise AssertionError("never reached")


def find(batch: LLMBatch) -> RemoteBatch | None:
    """A batch on the server whose id was never stored. Raises `ProviderFailure`, always as lost."""
    try:
        return ask(
            batch.endpoint,
            batch.base_url,
            lambda batches: batches.find(str(batch.key), batch.created_at - CLOCKS_DIFFER),
        )
    except ProviderFailure as failure:
        failure.lost = True
        raise


def _pause(work: Work, seconds: float) -> None:
    """Wait, but not while the work is to be stopped. Raises `Stopped`."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        work.raise_if_stopped()
        time.sleep(min(left, 0.1))
    work.raise_if_stopped()


def _worst_cost(work: Work, call: Call) -> Decimal | None:
    prompt_tokens = worst_prompt_tokens(count_tokens(call.request.prompt))
    return worst_cost(prompt_tokens, call.request.max_tokens, batch_prices_of(work.endpoint))


def _groups(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[start : start + GROUP] for start in range(0, len(ids), GROUP))
