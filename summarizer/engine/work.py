"""An item under way in the engine, and the ways in which its work can be stopped from any thread."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from summarizer.models import Endpoint

#: Kind of the failure of an item whose next call its job's budget does not cover.
BUDGET = "budget"


class StopReason(Enum):
    CANCELLED = "cancelled"
    PAUSED = "paused"
    LEASE_LOST = "lease lost"
    WORKER_STOPPING = "worker stopping"


class Stopped(Exception):
    """No further call is made for the item; all calls that were in flight have been recorded."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class ItemFailed(Exception):
    """No further call can succeed for the item. `kind` is a `FailureKind` or a key of `jobs.advice`."""

    def __init__(self, kind: str, message: str, step: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.step = step


class Interrupted(Exception):
    """A wait ended because the work was stopped."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who makes the calls: an item, held under a lease."""

    item_id: int
    job_id: int
    lease: UUID


def current_task() -> "asyncio.Task[object]":
    """The task that runs. Raises RuntimeError outside of one."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("This must run in a task of an event loop.")
    return task


class Work:
    """The calls of one item. `stop` may be called from any thread; the first reason stands."""

    def __init__(self, holder: Holder, endpoint: Endpoint) -> None:
        self.holder = holder
        self.endpoint = endpoint
        #: When its row was read, about: one that was read later is newer.
        self.read_at = time.monotonic()
        #: Its number among the items under way, the lowest that was free.
        self.turn = 0
        self._end: Stopped | ItemFailed | None = None
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Task[object]] = set()

    @property
    def stopped(self) -> bool:
        return self._end is not None

    def stop(self, end: Stopped | ItemFailed) -> None:
        """Start no further call and wake those that wait for their turn. Calls in flight go on to their end."""
        with self._lock:
            if self._end is not None:
                return
            self._end = end
            loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and all waits with it
                loop.call_soon_threadsafe(self._wake)

    def raise_if_stopped(self) -> None:
        """Raises `Stopped` or `ItemFailed` with the reason for which the work was stopped."""
        if self._end is not None:
            raise self._end

    def enter(self, loop: asyncio.AbstractEventLoop) -> None:
        """Bind to the loop that runs the calls, so that `stop` can wake them."""
        with self._lock:
            self._loop = loop

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Around a wait: raises `Interrupted` when the work is stopped meanwhile."""
        if self.stopped:
            raise Interrupted
        task = current_task()
        self._waiting.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if self.stopped:
                task.uncancel()
                raise Interrupted from None
            raise
        finally:
            self._waiting.discard(task)

    def _wake(self) -> None:
        for task in self._waiting:
            task.cancel()
