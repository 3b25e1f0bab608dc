"""The engine: one event loop in a daemon thread of the process, which owns all API clients and limits.

Task threads hand over batches and wait. A client that is used across event loops fails, and ORM calls inside
coroutines leak connections; so there is one loop, and it never touches the database.
"""

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Coroutine, Sequence
from itertools import count
from typing import Any, TypeVar

from summarizer.engine.arrivals import Arrivals
from summarizer.engine.calls import Caller
from summarizer.engine.lanes import Lane, lane_key, new_lane
from summarizer.engine.prefixes import PATIENCE_SECONDS, first_goes_ahead
from summarizer.engine.work import Stopped, StopReason, Work
from summarizer.ledger.calls import Call
from summarizer.ledger.costs import prices_of
from summarizer.ledger.writer import LedgerWriter

#: How long a thread may keep the interpreter from the others. With Python's 5 ms the loop and the ledger, which work in
#: very short stretches, wait long for the task threads; with 0.5 ms the threads take it from each other so often that a
#: job takes up to a quarter longer than with this (measured).
SWITCH_SECONDS = 0.002

#: Of items that take turns, each is so many calls ahead of the next. Ending all at once, they would make their last
#: merges and be stored when nothing else is left to do.
LEAD = 6

T = TypeVar("T")


class Engine:
    """Makes the calls of all items of this process."""

    def __init__(self) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        gc.freeze()
        self.process_id = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._writer = LedgerWriter()
        self._caller = Caller(self._writer)
        self._lanes: dict[tuple[Any, ...], Lane] = {}
        self._works: set[Work] = set()
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    @property
    def stopping(self) -> bool:
        return self._stopping

    def begin(self, work: Work) -> None:
        """Take up an item. Once the engine is stopping, its work is stopped at once."""
        with self._lock:
            taken = {each.turn for each in self._works}
            work.turn = next(turn for turn in count() if turn not in taken)
            self._works.add(work)
            stopping = self._stopping
        if stopping:
            work.stop(Stopped(StopReason.WORKER_STOPPING))

    def finish(self, work: Work) -> None:
        with self._lock:
            self._works.discard(work)
            self._idle.notify_all()

    def wait_until_idle(self, seconds: float) -> None:
        """Block until no item is under way, at most for so long."""
        with self._lock:
            self._idle.wait_for(lambda: not self._works, seconds)

    def start(self, work: Work, calls: Sequence[Call], arrivals: Arrivals, *, ahead: bool = False) -> None:
        """Begin `calls`, and return at once. Each outcome is put into `arrivals` once it is recorded.

        Calls that go `ahead` leave room to those that their items wait for, and items take turns with them: else the
        merges of all books would come at the end, few at a time, one after the other.
        """
        if calls:
            first = 1 + LEAD * work.turn
            ranks = range(first, first + len(calls)) if ahead else [0] * len(calls)
            asyncio.run_coroutine_threadsafe(self._make(work, calls, ranks, arrivals), self._loop)

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the engine's loop and block for its result."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def stop(self, grace_seconds: float) -> None:
        """Make no new call; give up what is still in flight after `grace_seconds`. Returns at once."""
        with self._lock:
            if self._stopping:
                return
            self._stopping = True
            works = list(self._works)
        for work in works:
            work.stop(Stopped(StopReason.WORKER_STOPPING))
        self._loop.call_soon_threadsafe(lambda: self._loop.call_later(grace_seconds, self._caller.abandon))

    def close(self) -> None:
        """End the loop and the ledger thread; nothing may be under way any more."""
        self.wait(self._close_lanes())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._writer.close()

    async def _make(self, work: Work, calls: Sequence[Call], ranks: Sequence[int], arrivals: Arrivals) -> None:
        work.enter(asyncio.get_running_loop())
        answers = (self._answer(work, call, rank, arrivals) for call, rank in zip(calls, ranks, strict=True))
        tasks = [asyncio.ensure_future(next(answers))]
        if first_goes_ahead([call.request.prompt for call in calls], prices_of(work.endpoint)):
            await asyncio.wait(tasks, timeout=PATIENCE_SECONDS)
        tasks += [asyncio.ensure_future(answer) for answer in answers]
        await asyncio.wait(tasks)

    async def _answer(self, work: Work, call: Call, rank: int, arrivals: Arrivals) -> None:
        try:
            arrivals.put(call.step, await self._caller.outcome(work, self._lane(work), call, rank))
        except BaseException as error:
            arrivals.put(call.step, error)

    def _lane(self, work: Work) -> Lane:
        key = lane_key(work.endpoint)
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = new_lane(work.endpoint)
        lane.limit_as(work.endpoint, work.read_at)
        return lane

    async def _close_lanes(self) -> None:
        for lane in self._lanes.values():
            await lane.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()


_engine: Engine | None = None
_engine_lock = threading.Lock()


def engine() -> Engine:
    """The engine of this process, started on first use."""
    global _engine
    with _engine_lock:
        if _engine is None or _engine.process_id != os.getpid():
            _engine = Engine()
        return _engine


def stop_engine(grace_seconds: float) -> None:
    """Stop the engine of this process, if there is one."""
    if _engine is not None:
        _engine.stop(grace_seconds)


def wait_until_idle(seconds: float) -> None:
    if _engine is not None:
        _engine.wait_until_idle(seconds)


def close_engine() -> None:
    """End the engine's threads; the next use starts a new one."""
    global _engine
    with _engine_lock:
        ended, _engine = _engine, None
    if ended is not None:
        ended.close()


def is_stopping() -> bool:
    return _engine is not None and _engine.stopping
