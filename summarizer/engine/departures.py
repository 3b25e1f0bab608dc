"""Requests that may leave, on their way: how many are in flight at once, and how many are made ready before."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

#: Of the requests in flight, as many as one in so many are made ready ahead of their places.
AHEAD_SHARE = 8


class Departures:
    """No more requests in flight at any time than there are places. Belongs to one event loop.

    `places` may change: when there are fewer, requests in flight go on, and the next wait until there is room.
    """

    def __init__(self, places: int = 0) -> None:
        self._places = places
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def places(self) -> int:
        return self._places

    @places.setter
    def places(self, number: int) -> None:
        self._places = number
        self._let_go()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait until a place is free, in the order of asking, and take it."""
        called = asyncio.get_running_loop().create_future()
        self._waiting.append(called)
        self._let_go()
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                self._free()  # it was called in the same moment
            raise
        try:
            yield
        finally:
            self._free()

    def _free(self) -> None:
        self._in_flight -= 1
        self._let_go()

    def _let_go(self) -> None:
        while self._waiting and self._in_flight < self._places:
            called = self._waiting.popleft()
            if not called.done():
                self._in_flight += 1
                called.set_result(None)


class Pace:
    """How fast places are freed, over the last few."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = 64) -> None:
        self._clock = clock
        self._freed: deque[float] = deque(maxlen=most)

    def note(self) -> None:
        self._freed.append(self._clock())

    def freed_within(self, seconds: float, places: int) -> int:
        """How many of `places` are freed while a request is made ready, if that takes so long; at most a share."""
        return min(places // AHEAD_SHARE, int(self._per_second() * seconds))

    def _per_second(self) -> float:
        """0 until two were freed."""
        if len(self._freed) < 2:
            return 0.0
        return len(self._freed) / max(0.001, self._clock() - self._freed[0])
