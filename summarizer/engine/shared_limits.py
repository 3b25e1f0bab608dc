"""Limits of an endpoint across all workers, kept in Redis by one script (`shared_limits.lua`).

A worker holds its places under a lease that each round renews; when it dies, they come back once the lease has run
out. A place that is freed goes to the worker's next request that was given a slot ahead, without a word to Redis; where
there is none, it goes back. While Redis is away no request leaves and none fails; requests in flight go on.
"""

import asyncio
import contextlib
import json
import logging
import time
from bisect import insort
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from redis.asyncio import Redis
from redis.exceptions import RedisError

from summarizer.engine.departures import AHEAD_SHARE, Departures, Pace
from summarizer.engine.limits import WINDOW_SECONDS, Place
from summarizer.providers.base import Allowance

logger = logging.getLogger(__name__)

SCRIPT = Path(__file__).with_name("shared_limits.lua").read_text()
#: Sign of life of a worker that holds places; three rounds fall into it.
LEASE_SECONDS = 15.0
#: How often a worker looks whether another one has freed a place.
POLL_SECONDS = 0.05
#: A worker that waits keeps its turn for so long without looking.
PATIENCE_SECONDS = 0.5
#: What is wanted or freed within it is one round.
LINGER_SECONDS = 0.002
#: About how long it takes until a request has its slot and is written in the ledger, on PostgreSQL.
AHEAD_SECONDS = 0.03
#: Between two tries to reach Redis.
AWAY_SECONDS = 0.5
#: Requests in one round at most.
MOST_AT_ONCE = 100
#: How long Redis keeps what no worker asks for any more: longer than any pause.
KEPT_SECONDS = 3600


@dataclass(eq=False)
class _Waiter:
    rank: int
    tokens: int
    place: "asyncio.Future[Place]"


@dataclass
class _Learned:
    """What the next round tells the others."""

    cool_down: float = 0.0
    allowances: dict[str, tuple[int, Allowance]] = field(default_factory=dict)


class SharedLimits:
    """See `Limits`. Belongs to one event loop; `name` is the same in all workers that share the limits."""

    def __init__(
        self,
        redis: "Redis",
        name: str,
        *,
        concurrency: int,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        lease_seconds: float = LEASE_SECONDS,
        window_seconds: float = WINDOW_SECONDS,
    ) -> None:
        self._redis = redis
        self._script = redis.register_script(SCRIPT)
        # One hash tag: on a cluster all keys of an endpoint lie on one node.
        parts = ("in-flight", "leases", "waiting", "served", "sent", "state")
        self._keys = [f"booookweb:{{limits:{name}}}:{part}" for part in parts]
        self._lease_seconds = lease_seconds
        self._asked: dict[str, Any] = {
            "holder": uuid4().hex,
            "concurrency": concurrency,
            "ahead_share": AHEAD_SHARE,
            "requests": requests_per_minute or 0,
            "tokens": tokens_per_minute or 0,
            "lease": round(lease_seconds * 1000),
            "window": round(window_seconds * 1000),
            "poll": round(POLL_SECONDS * 1000),
            "patience": round(PATIENCE_SECONDS * 1000),
            "settling": round(lease_seconds * 1000 * 2 / 3),
            "keep": KEPT_SECONDS * 1000,
        }
        #: Requests that have a slot. Of these as many may be in flight as this worker holds places.
        self._admitted = 0
        self._departures = Departures()
        self._pace = Pace()
        self._cool_until = 0.0
        #: By what Redis is known again, and when it was; another one says that it was emptied meanwhile.
        self._epoch, self._known_at = "", 0.0
        #: By rank; of one rank, in the order in which they came.
        self._waiting: list[_Waiter] = []
        self._learned = _Learned()
        self._changed = asyncio.Event()
        self._rounds: asyncio.Task[None] | None = None
        self._is_away = False
        self._closing = False

    @asynccontextmanager
    async def slot(self, tokens: int, rank: int = 0) -> AsyncIterator[Place]:
        place = await self._take(tokens, rank)
        try:
            yield place
        finally:
            self._give_back()

    @asynccontextmanager
    async def in_flight(self) -> AsyncIterator[None]:
        async with self._departures.place():
            while (wait := self._seconds_held_back()) > 0:
                await asyncio.sleep(wait)
            yield

    def change(self, *, concurrency: int, requests_per_minute: int | None, tokens_per_minute: int | None) -> None:
        self._asked.update(concurrency=concurrency, requests=requests_per_minute or 0, tokens=tokens_per_minute or 0)
        self._wake()

    def cool_down(self, seconds: float) -> None:
        self._cool_until = max(self._cool_until, time.monotonic() + seconds)
        self._learned.cool_down = max(self._learned.cool_down, seconds)
        self._wake()

    def note(self, place: Place, allowances: Mapping[str, Allowance]) -> None:
        for kind, allowance in allowances.items():
            known = self._learned.allowances.get(kind)
            if known is None or known[0] <= place.of(kind):
                self._learned.allowances[kind] = (place.of(kind), allowance)
                self._wake()

    async def close(self) -> None:
        """Give back what is held and let go of Redis; nothing may wait any more."""
        self._admitted = self._departures.places = 0
        self._closing = True
        if self._rounds is not None:
            self._wake()
            await self._rounds
        await self._redis.aclose()

    async def _take(self, tokens: int, rank: int) -> Place:
        waiter = _Waiter(rank, tokens, asyncio.get_running_loop().create_future())
        insort(self._waiting, waiter, key=lambda each: each.rank)
        self._wake()
        try:
            return await waiter.place
        except asyncio.CancelledError:
            if waiter.place.done() and not waiter.place.cancelled():
                self._give_back()  # it came in the same moment
            else:
                self._waiting.remove(waiter)
                self._wake()
            raise

    def _give_back(self) -> None:
        self._admitted -= 1
        self._pace.note()
        self._departures.places = min(self._departures.places, self._admitted)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        if self._rounds is None:
            self._rounds = asyncio.get_running_loop().create_task(self._make_rounds())

    async def _make_rounds(self) -> None:
        """One round after the other, as long as anything is held or wanted; else wait until something is."""
        pause: float | None = None
        while not self._closing:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._changed.wait()
            self._changed.clear()
            await asyncio.sleep(LINGER_SECONDS)
            try:
                pause = await self._make_round()
                self._is_away = False
            except Exception as error:
                # Whatever it is: if the rounds ended, all that waits would wait without end.
                self._say_away(error)
                pause = 0.0
                await asyncio.sleep(0.0 if self._closing else AWAY_SECONDS)

    async def _make_round(self) -> float | None:
        """Returns after how many seconds the next one is due, if nothing changes before; None = not at all."""
        waiters = self._waiting[: self._most_asked()]
        learned, self._learned = self._learned, _Learned()
        try:
            answer = await self._ask([waiter.tokens for waiter in waiters], learned)
        except BaseException:
            self._put_back(learned)
            raise
        granted, wait, requests, tokens, places, cool_down = answer[:6]
        self._epoch, self._known_at = answer[6].decode(), time.monotonic()
        self._cool_until = max(self._cool_until, time.monotonic() + cool_down / 1000)
        for waiter in waiters[:granted]:
            requests, tokens = requests + 1, tokens + waiter.tokens
            if waiter.place.cancelled() or waiter not in self._waiting:
                continue  # given up meanwhile: the next round says that it is not held
            self._waiting.remove(waiter)
            self._admitted += 1
            waiter.place.set_result(Place(requests, tokens))
        # Until the next round says otherwise, Redis counts as many for this worker, whatever was given back meanwhile.
        self._departures.places = min(places, self._admitted)
        return self._seconds_to_next(wait / 1000 if granted < len(waiters) else 0.0)

    def _most_asked(self) -> int:
        """One more than there may be slots for, so that others see that this worker waits."""
        slots: int = self._asked["concurrency"] + self._given_ahead()
        return min(MOST_AT_ONCE, max(0, slots - self._admitted) + 1)

    def _given_ahead(self) -> int:
        """Slots to ask for before places are free; none where more is limited than the requests in flight."""
        if self._asked["requests"] or self._asked["tokens"]:
            return 0
        return self._pace.freed_within(AHEAD_SECONDS, self._asked["concurrency"])

    def _seconds_to_next(self, wait: float) -> float | None:
        sign_of_life = self._lease_seconds / 3
        if self._waiting:
            return min(wait, sign_of_life)
        if self._admitted > self._departures.places:
            return POLL_SECONDS
        return sign_of_life if self._admitted else None

    def _seconds_held_back(self) -> float:
        """How long no request leaves, though it has a place; to be asked again then."""
        return POLL_SECONDS if self._is_away else self._cool_until - time.monotonic()

    async def _ask(self, costs: Sequence[int], learned: _Learned | None = None) -> list[Any]:
        learned = learned or _Learned()
        allowances = {
            kind: {"at": at, "left": said.left, "reset": round(min(said.seconds, WINDOW_SECONDS) * 1000)}
            for kind, (at, said) in learned.allowances.items()
        }
        ask = {
            **self._asked,
            "places": self._departures.places,
            "admitted": self._admitted,
            "ahead": self._given_ahead(),
            "epoch": self._epoch if self._was_here() else "",
            "costs": costs,
            "cool_down": round(learned.cool_down * 1000),
            "allowances": allowances,
        }
        answer: list[Any] = await self._script(keys=self._keys, args=[json.dumps(ask)])
        return answer

    def _was_here(self) -> bool:
        """Whether something of this worker is in flight, or left within the last minute."""
        return self._admitted > 0 or time.monotonic() - self._known_at < self._asked["window"] / 1000

    def _put_back(self, learned: _Learned) -> None:
        """What could not be told is told in the next round, unless something newer is known."""
        self._learned.cool_down = max(self._learned.cool_down, learned.cool_down)
        self._learned.allowances = {**learned.allowances, **self._learned.allowances}

    def _say_away(self, error: Exception) -> None:
        if not self._is_away:
            foreseen = isinstance(error, (RedisError, OSError))
            logger.warning(
                "Redis can't be used (%s). No LLM call starts until it is back.",
                error,
                exc_info=None if foreseen else error,
            )
        self._is_away = True
