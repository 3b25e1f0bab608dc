"""Limits of an endpoint: calls in flight, requests and tokens a minute, and a pause that the server asked for."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

WINDOW_SECONDS = 60.0


class Limits(Protocol):
    """One interface for limits in this process and limits that several machines share."""

    def slot(self, tokens: int) -> AbstractAsyncContextManager[None]:
        """Wait until a request of at most `tokens` tokens (prompt and answer) may leave, and hold its place.

        First come, first served. A request larger than the whole limit is counted as the limit, so that it never
        waits without end.
        """
        ...

    def cool_down(self, seconds: float) -> None:
        """Let no request leave for so long."""
        ...


class ProcessLimits:
    """Limits within one process. In any 60 seconds no more requests or tokens leave than the limit says."""

    def __init__(
        self,
        *,
        concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._in_flight = asyncio.Semaphore(concurrency)
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._turn = asyncio.Lock()
        self._sent: deque[tuple[float, int]] = deque()
        self._sent_tokens = 0
        self._cool_until = 0.0

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[None]:
        counted = min(tokens, self._tokens) if self._tokens else 0
        async with self._turn:
            await self._in_flight.acquire()
            try:
                while (wait := self._seconds_to_wait(counted)) > 0:
                    await self._sleep(wait)
            except BaseException:
                self._in_flight.release()
                raise
            if self._requests or self._tokens:
                self._sent.append((self._clock(), counted))
                self._sent_tokens += counted
        try:
            yield
        finally:
            self._in_flight.release()

    def cool_down(self, seconds: float) -> None:
        self._cool_until = max(self._cool_until, self._clock() + seconds)

    def _seconds_to_wait(self, tokens: int) -> float:
        now = self._clock()
        while self._sent and self._sent[0][0] <= now - WINDOW_SECONDS:
            self._sent_tokens -= self._sent.popleft()[1]
        waits = [self._cool_until - now]
        if self._requests and len(self._sent) >= self._requests:
            waits.append(self._sent[len(self._sent) - self._requests][0] + WINDOW_SECONDS - now)
        if self._tokens and self._sent_tokens + tokens > self._tokens:
            waits.append(self._time_of_room(tokens) + WINDOW_SECONDS - now)
        return max(waits)

    def _time_of_room(self, tokens: int) -> float:
        """When the request left whose end of window makes room for `tokens`."""
        excess = self._sent_tokens + tokens - (self._tokens or 0)
        for at, counted in self._sent:
            excess -= counted
            if excess <= 0:
                return at
        return self._clock() - WINDOW_SECONDS
