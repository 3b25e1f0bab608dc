"""One call from its first request to its outcome: turn, permission, request, record, and trying again."""

import asyncio
import logging
import random
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from django.utils import timezone

from summarizer.engine import retries
from summarizer.engine.in_flight import InFlight
from summarizer.engine.lanes import REPLACEMENTS, Lane
from summarizer.engine.work import BUDGET, Interrupted, ItemFailed, Stopped, StopReason, Work, current_task
from summarizer.ledger.calls import Call
from summarizer.ledger.costs import prices_of
from summarizer.ledger.ends import end_of
from summarizer.ledger.parameters import keep_replacement, keep_sent_parameters
from summarizer.ledger.records import End, Permission, Start
from summarizer.ledger.writer import LedgerWriter
from summarizer.providers.base import FailureKind, ProviderFailure, Reply
from summarizer.strategies.base import Answer, Failure, Outcome

logger = logging.getLogger(__name__)

#: Why work stops that gets no permission.
REASONS = {
    Permission.CANCELLED: StopReason.CANCELLED,
    Permission.PAUSED: StopReason.PAUSED,
    Permission.LEASE_LOST: StopReason.LEASE_LOST,
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one request brought, and whether and how the call goes on."""

    result: Reply | ProviderFailure
    latency_ms: int
    #: Another request is made for this call: at once, because a parameter was replaced, or after a wait.
    again: bool = False
    adapted: bool = False


class Caller:
    """Makes calls on the event loop, within the limits, and tells the ledger."""

    def __init__(self, writer: LedgerWriter, chance: random.Random | None = None) -> None:
        self._writer = writer
        self._in_flight = InFlight()
        self._chance = chance or random.Random()
        self._requests: set[asyncio.Task[object]] = set()

    async def outcome(self, work: Work, lane: Lane, call: Call, rank: int) -> Outcome | None:
        """The outcome of a call; None if the work was stopped before there was one. For `rank` see `Limits`."""
        tries = 0
        try:
            while True:
                attempt = await self._attempt(work, lane, call, rank, tries + 1)
                tries += 1
                if not attempt.again:
                    return _outcome(call, attempt.result)
                call = call.again()
                if not attempt.adapted and isinstance(attempt.result, ProviderFailure):
                    wait = retries.seconds_before_retry(attempt.result, tries, self._chance)
                    with work.interruptible():
                        await asyncio.sleep(wait)
        except Interrupted:
            return None

    def abandon(self) -> None:
        """Give up the requests in flight: their answers are recorded as lost."""
        for request in self._requests:
            request.cancel()

    async def _attempt(self, work: Work, lane: Lane, call: Call, rank: int, number: int) -> Attempt:
        """Make one request when its turn has come and the ledger permits it. Raises `Interrupted`."""
        job_id = work.holder.job_id
        while True:
            changed = self._in_flight.next_end(job_id)
            async with AsyncExitStack() as turn:
                with work.interruptible():
                    place = await turn.enter_async_context(lane.slot(call.tokens, rank, call.names))
                permission = await self._ask(work, call)
                if permission is Permission.GO:
                    self._in_flight.begin(job_id)
                    try:
                        call, sent = await self._leave(work, lane, call)
                        lane.limits.note(place, sent[0].allowances)
                        attempt = self._judged(work, lane, call, sent, number)
                        # Written before the place is free: no request leaves before the ends of those before it.
                        writes = self._record(work, lane, call, attempt)
                        await turn.aclose()
                        await asyncio.gather(*writes)
                    finally:
                        self._in_flight.end(job_id)
                    return attempt
            self._refuse(work, call, permission)
            with work.interruptible():
                await changed.wait()

    async def _ask(self, work: Work, call: Call) -> Permission:
        if work.stopped:
            raise Interrupted
        holder = work.holder
        return await self._writer.start(
            Start(call.id, call.number, holder.item_id, holder.lease, call.step, call.worst_cost, timezone.now())
        )

    def _refuse(self, work: Work, call: Call, permission: Permission) -> None:
        """Stop the work, unless a call in flight may turn out cheaper than its worst and make room."""
        if permission is Permission.OVER_BUDGET:
            if self._in_flight.any(work.holder.job_id):
                return
            work.stop(ItemFailed(BUDGET, over_budget(call.worst_cost), call.step))
        else:
            work.stop(Stopped(REASONS[permission]))
        raise Interrupted

    async def _leave(self, work: Work, lane: Lane, call: Call) -> tuple[Call, tuple[Reply | ProviderFailure, int]]:
        """Make the request when there is a place for it. If the work is stopped before, it does not leave."""
        async with AsyncExitStack() as place:
            try:
                with work.interruptible():
                    await place.enter_async_context(lane.limits.in_flight())
            except Interrupted:
                return call, (ProviderFailure(FailureKind.TRANSIENT, "The work was stopped before this left."), 0)
            call = call.with_replacements(lane.replacements)
            return call, await self._send(lane, call)

    async def _send(self, lane: Lane, call: Call) -> tuple[Reply | ProviderFailure, int]:
        task = current_task()
        self._requests.add(task)
        started = time.monotonic()
        result: Reply | ProviderFailure
        try:
            result = await lane.provider.complete(call.request)
        except ProviderFailure as failure:
            result = failure
        except asyncio.CancelledError:
            task.uncancel()
            result = ProviderFailure(FailureKind.TRANSIENT, "The worker was stopped before the answer came.", lost=True)
        except Exception as error:
            logger.exception("A provider failed in a way it should not.")
            message = f"The provider failed unexpectedly ({type(error).__name__})."
            result = ProviderFailure(FailureKind.PERMANENT, message, lost=True)
        finally:
            self._requests.discard(task)
        return result, round((time.monotonic() - started) * 1000)

    def _judged(
        self, work: Work, lane: Lane, call: Call, sent: tuple[Reply | ProviderFailure, int], number: int
    ) -> Attempt:
        """Decide how the call goes on, and let the lane and the work know."""
        result, latency_ms = sent
        if isinstance(result, Reply):
            lane.note(None, call.names)
            return Attempt(result, latency_ms)
        lane.note(result.kind, call.names)
        if result.kind is FailureKind.RATE_LIMITED and result.retry_after:
            lane.limits.cool_down(min(result.retry_after, retries.LONGEST_RETRY_AFTER_SECONDS))
        refused = result.parameter if result.kind is FailureKind.UNSUPPORTED_PARAMETER else None
        if refused in call.request.parameters() and lane.replace(refused):
            return Attempt(result, latency_ms, again=True, adapted=True)
        if result.kind in retries.STOPS_ITEM:
            work.stop(ItemFailed(result.kind, result.message, call.step))
        return Attempt(result, latency_ms, again=retries.tried_again(result, number))

    def _record(self, work: Work, lane: Lane, call: Call, attempt: Attempt) -> list["asyncio.Future[None]"]:
        writes = [self._writer.end(_end(work, call, attempt))]
        if attempt.adapted and isinstance(attempt.result, ProviderFailure) and attempt.result.parameter:
            parameter = attempt.result.parameter
            keep = partial(keep_replacement, endpoint_id=work.endpoint.pk, parameter=parameter)
            writes.append(self._writer.write(partial(keep, replacement=REPLACEMENTS[parameter])))
        sent = call.request.parameters()
        if isinstance(attempt.result, Reply) and sent != call.recorded_parameters:
            writes.append(self._writer.write(partial(keep_sent_parameters, call_id=call.id, sent=sent)))
        return writes


def _outcome(call: Call, result: Reply | ProviderFailure) -> Outcome:
    if isinstance(result, Reply):
        return Answer(result.text, call.id)
    return Failure(result.kind, result.message, result.partial_text, call.id)


def _end(work: Work, call: Call, attempt: Attempt) -> End:
    return end_of(
        attempt.result,
        call_id=call.id,
        number=call.number,
        item_id=work.holder.item_id,
        lease=work.holder.lease,
        prices=prices_of(work.endpoint),
        latency_ms=attempt.latency_ms,
        call_ended=not attempt.again,
        counts=call.is_first_try,
    )


def over_budget(worst_cost: Decimal | None, what: str = "call") -> str:
    if worst_cost is None:
        return "The endpoint has no prices, so the job's budget can't be kept."
    return f"The next {what} may cost up to {worst_cost:.4f} USD, more than what is left of the job's budget."
