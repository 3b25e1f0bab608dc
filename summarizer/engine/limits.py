"""Limits of an endpoint: calls in flight, requests and tokens a minute, and what the server says is left.

In this process by arithmetic; across workers see `summarizer.engine.shared_limits`.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from summarizer.engine.departures import Departures, Pace
from summarizer.engine.turns import Turns
from summarizer.providers.base import Allowance

WINDOW_SECONDS = 60.0
#: About how long it takes until a request is written in the ledger.
AHEAD_SECONDS = 0.015


@dataclass(frozen=True, slots=True)
class Place:
    """A request's place among all that left: how many requests and tokens did, up to and with this one."""

    requests: int = 0
    tokens: int = 0

    def of(self, kind: str) -> int:
        """`kind` is "requests" or "tokens"."""
        return self.tokens if kind == "tokens" else self.requests


class Limits(Protocol):
    """One interface for limits in this process and limits that several workers share."""

    def slot(self, tokens: int, rank: int = 0) -> AbstractAsyncContextManager[Place]:
        """Wait until a request of at most `tokens` tokens (prompt and answer) may leave, and hold its place.

        Within a process the lowest rank is served first, and of one rank who came first. A request larger than the
        whole limit is counted as the limit, so that it never waits without end.
        """
        ...

    def change(self, *, concurrency: int, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        """Keep other limits from now on; what is in flight and what left within the last minute counts as before."""
        ...

    def cool_down(self, seconds: float) -> None:
        """Let no request leave for so long."""
        ...

    def note(self, place: Place, allowances: Mapping[str, Allowance]) -> None:
        """Take note of what the server said is left of its own limits, in its answer to the request at `place`.

        Until its limit is reset, but no longer than a minute, no more leave than the server will take. Requests that
        left after the one at `place` count as not yet known to the server.
        """
        ...

    def in_flight(self) -> AbstractAsyncContextManager[object]:
        """Around the request itself, within its `slot`: no more than the concurrency are in flight at any time.

        Slots may be given a few milliseconds before a place is free, so that a request is in the ledger by then. Waits
        until there is one, and until no cool-down is left that began meanwhile.
        """
        ...

    async def close(self) -> None: ...


class ProcessLimits:
    """Limits within one process. In any 60 seconds no more requests or tokens leave than the limit says.

    Where answers come so fast that the time until a request is written in the ledger counts, slots are given a few
    milliseconds before a place is free. A worker that is killed then leaves that many requests as perhaps billed that
    never left; it never leaves one out.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._concurrency = concurrency
        self._departures = Departures(concurrency)
        self._admitted = 0
        self._place_freed = asyncio.Event()
        self._pace = Pace(clock)
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._turns = Turns()
        self._sent: deque[tuple[float, int]] = deque()
        self._sent_tokens = 0
        self._cool_until = 0.0
        self._last = Place()
        self._allowed: dict[str, _Allowed] = {}

    @asynccontextmanager
    async def slot(self, tokens: int, rank: int = 0) -> AsyncIterator[Place]:
        async with self._turns.turn(rank):
            while self._admitted >= self._concurrency + self._given_ahead():
                self._place_freed.clear()
                await self._place_freed.wait()
            while (wait := self._seconds_to_wait(tokens)) > 0:
                await self._sleep(wait)
            self._admitted += 1
            counted = self._counted(tokens)
            self._sent.append((self._clock(), counted))
            self._sent_tokens += counted
            place = self._last = Place(self._last.requests + 1, self._last.tokens + tokens)
        try:
            yield place
        finally:
            self._admitted -= 1
            self._pace.note()
            self._place_freed.set()

    @asynccontextmanager
    async def in_flight(self) -> AsyncIterator[None]:
        async with self._departures.place():
            while (wait := self._cool_until - self._clock()) > 0:
                await self._sleep(wait)
            yield

    def change(self, *, concurrency: int, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._requests, self._tokens = requests_per_minute, tokens_per_minute
        self._concurrency = self._departures.places = concurrency
        self._place_freed.set()

    def cool_down(self, seconds: float) -> None:
        self._cool_until = max(self._cool_until, self._clock() + seconds)

    def note(self, place: Place, allowances: Mapping[str, Allowance]) -> None:
        now = self._clock()
        for kind, allowance in allowances.items():
            known = self._allowed.get(kind)
            if known is None or known.until <= now or known.said_at <= place.of(kind):
                until = now + min(allowance.seconds, WINDOW_SECONDS)
                self._allowed[kind] = _Allowed(place.of(kind) + allowance.left, until, place.of(kind))

    async def close(self) -> None:
        """Nothing is open."""

    def _given_ahead(self) -> int:
        """Slots to give before places are free; none where the server limits more than the requests in flight."""
        if self._requests or self._tokens or self._allowed or self._cool_until:
            return 0
        return self._pace.freed_within(AHEAD_SECONDS, self._concurrency)

    def _counted(self, tokens: int) -> int:
        return min(tokens, self._tokens) if self._tokens else tokens

    def _seconds_to_wait(self, tokens: int) -> float:
        now, counted = self._clock(), self._counted(tokens)
        while self._sent and self._sent[0][0] <= now - WINDOW_SECONDS:
            self._sent_tokens -= self._sent.popleft()[1]
        waits = [self._cool_until - now]
        if self._requests and len(self._sent) >= self._requests:
            waits.append(self._sent[len(self._sent) - self._requests][0] + WINDOW_SECONDS - now)
        if self._tokens and self._sent_tokens + counted > self._tokens:
            waits.append(self._time_of_room(counted) + WINDOW_SECONDS - now)
        wanted = Place(self._last.requests + 1, self._last.tokens + tokens)
        waits += [each.until - now for kind, each in self._allowed.items() if wanted.of(kind) > each.up_to]
        return max(waits)

    def _time_of_room(self, tokens: int) -> float:
        """When the request left whose end of window makes room for `tokens`."""
        excess = self._sent_tokens + tokens - (self._tokens or 0)
        for at, counted in self._sent:
            excess -= counted
            if excess <= 0:
                return at
        return self._clock() - WINDOW_SECONDS


@dataclass(frozen=True, slots=True)
class _Allowed:
    """Until `until`, requests (or tokens) leave up to the place `up_to`; so said the answer to that at `said_at`."""

    up_to: int
    until: float
    said_at: int
