"""Running an item: claim it, drive its strategy through the engine, store the result."""

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from summarizer.batches.rows import InBatch, has_unsettled
from summarizer.engine.arrivals import Arrivals
from summarizer.engine.loop import engine, is_stopping
from summarizer.engine.work import ItemFailed, Stopped, Work
from summarizer.jobs import queue
from summarizer.jobs.advice import UNEXPECTED
from summarizer.jobs.claims import Claim, claim_item, fail, finish, plan_calls, release, wait_for_batch
from summarizer.jobs.heartbeat import heartbeat
from summarizer.jobs.kinds import job_kind
from summarizer.ledger.calls import Call, is_first_try, prepare
from summarizer.models import Job
from summarizer.strategies.base import Ahead, Outcome, Step, Strategy, StrategyFailed

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

#: Items get ready one after the other, up to their first calls. All threads at once would share the interpreter, and
#: the first request would leave only when the last item is ready.
_getting_ready = threading.Lock()


def run_item(item_id: int) -> None:
    """Work on an item until it is done, has failed or is stopped. Harmless for one that is not to be had.

    A worker that is stopping leaves it to others.
    """
    if is_stopping():
        queue.send([item_id])
        return
    with ExitStack() as turn:
        turn.enter_context(_getting_ready)
        claim = claim_item(item_id)
        if claim is None:
            return
        work = Work(claim.holder, claim.item.job.endpoint)
        engine().begin(work)
        try:
            with heartbeat.keeping(work):
                _run(claim, _Sender(claim, work, ready=turn.close))
        finally:
            engine().finish(work)


def _run(claim: Claim, sender: "_Sender") -> None:
    try:
        _work_off(claim, sender)
    except (OperationalError, InterfaceError) as error:
        if connection.is_usable():
            _fail_unexpectedly(claim, error)
        else:
            # Nothing can be written now, and nothing is wrong with the item: it is taken up when its lease is out.
            logger.warning("The database went away (%s); item %s goes on later.", error, claim.item.pk)
            connection.close()
    except Exception as error:
        _fail_unexpectedly(claim, error)


def _work_off(claim: Claim, sender: "_Sender") -> None:
    try:
        if has_unsettled(claim.item):
            raise InBatch
        kind = job_kind(claim.item.job.kind)
        try:
            result = drive(kind.strategy(claim.item), sender.send)
        finally:
            sender.settle()
        finish(claim, partial(kind.save, claim.item, result), sender.calls)
    except InBatch:
        wait_for_batch(claim)
    except Stopped as stopped:
        release(claim, stopped.reason)
    except ItemFailed as failed:
        fail(claim, failed.kind, failed.message, failed.step)
    except StrategyFailed as failed:
        fail(claim, failed.failure.kind, str(failed), failed.step, failed.steps)


def _fail_unexpectedly(claim: Claim, error: Exception) -> None:
    logger.exception("Item %s failed unexpectedly.", claim.item.pk)
    fail(claim, UNEXPECTED, f"{type(error).__name__}: {error}"[:1000])


def drive(strategy: Strategy[Result], send: Callable[[Sequence[Step]], Sequence[Outcome]]) -> Result:
    """Play a strategy: send each batch it yields, give it the outcomes, return its result."""
    try:
        steps = next(strategy)
        while True:
            steps = strategy.send(send(steps))
    except StopIteration as end:
        result: Result = end.value
        return result
    finally:
        strategy.close()


class _Sender:
    """Sends a strategy's batches and keeps the number of its questions as the item's plan.

    `ready` is called when the first batch is prepared.
    """

    def __init__(self, claim: Claim, work: Work, ready: Callable[[], None]) -> None:
        self._claim = claim
        self._work = work
        self._ready = ready
        #: Steps whose outcomes are there or on their way and have not been given to the strategy.
        self._started: set[str] = set()
        self._arrivals = Arrivals()
        self.calls = 0

    def send(self, steps: Sequence[Step]) -> list[Outcome]:
        """The outcomes of `steps`, in order; of those that go ahead none.

        Raises `Stopped` or `ItemFailed` when the work was stopped, `InBatch` when it waits for a batch.
        """
        self._work.raise_if_stopped()
        is_ahead = isinstance(steps, Ahead)
        self._start([step for step in steps if step.name not in self._started], is_ahead)
        if is_ahead:
            return []
        names = [step.name for step in steps]
        self._arrivals.wait(names)
        # Before they are taken: if one of them raises, nothing waits for them any more.
        self._started.difference_update(names)
        outcomes = self._arrivals.take(names)
        self._work.raise_if_stopped()
        return [outcome for outcome in outcomes if outcome is not None]

    def settle(self) -> None:
        """Wait until all that is in flight is recorded: nobody else may take up the item before."""
        self._arrivals.wait(self._started)

    def _start(self, steps: Sequence[Step], is_ahead: bool) -> None:
        """Begin `steps`. What the ledger has is not asked again."""
        if not steps:
            return
        self.calls += sum(1 for step in steps if is_first_try(step.name))
        plan_calls(self._claim, self.calls)
        known = prepare(self._claim.item.pk, self._work.endpoint, steps)
        self._ready()
        if self._claim.item.job.run == Job.Run.BATCH:
            # It imports the API client, which takes half a second.
            from summarizer.batches.sending import send_up

            send_up(self._work, known)
        calls = [entry for entry in known if isinstance(entry, Call)]
        for step, entry in zip(steps, known, strict=True):
            if not isinstance(entry, Call):
                self._arrivals.put(step.name, entry)
        self._started.update(step.name for step in steps)
        engine().start(self._work, calls, self._arrivals, ahead=is_ahead)
