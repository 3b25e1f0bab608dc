"""A lock whose waiters come in by rank."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count


class Turns:
    """Belongs to one event loop. The lowest rank comes next; of one rank, who came first."""

    def __init__(self) -> None:
        self._is_held = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = count()

    @asynccontextmanager
    async def turn(self, rank: int) -> AsyncIterator[None]:
        if self._is_held:
            await self._wait(rank)
        self._is_held = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, rank: int) -> None:
        called = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (rank, next(self._arrivals), called))
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():
                self._pass_on()  # it was called in the same moment
            raise

    def _pass_on(self) -> None:
        """Call the next one, and hold the lock for it until it comes."""
        while self._waiting:
            _, _, called = heappop(self._waiting)
            if not called.done():
                called.set_result(None)
                return
        self._is_held = False
