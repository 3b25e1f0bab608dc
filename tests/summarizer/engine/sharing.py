"""Clients of limits that are shared through Redis, and a watch over who is inside."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

from redis.asyncio import Redis

from summarizer.engine.shared_limits import SharedLimits


@asynccontextmanager
async def shared(url: str, name: str, **values: Any) -> AsyncIterator[SharedLimits]:
    limits = SharedLimits(Redis.from_url(url), name, **{"concurrency": 100, **values})
    try:
        yield limits
    finally:
        await limits.close()


class Watch:
    """Who is inside, over all loops."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.inside = self.highest = 0
        self.left: list[tuple[float, str]] = []

    def enter(self, who: str) -> None:
        with self._lock:
            self.inside += 1
            self.highest = max(self.highest, self.inside)
            self.left.append((time.monotonic(), who))

    def leave(self) -> None:
        with self._lock:
            self.inside -= 1

    def most_within(self, seconds: float) -> int:
        times = sorted(at for at, _ in self.left)
        return max(sum(start <= at < start + seconds for at in times) for start in times)


async def calls(limits: SharedLimits, watch: Watch, who: str, number: int, seconds: float, tokens: int = 10) -> None:
    async def call() -> None:
        async with limits.slot(tokens):
            watch.enter(who)
            try:
                await asyncio.sleep(seconds)
            finally:
                watch.leave()

    await asyncio.gather(*(call() for _ in range(number)))


def side_by_side(workers: int, work: Callable[[str], Any]) -> None:
    """Run `work(who)` in so many threads, each with a loop of its own."""
    with ThreadPoolExecutor(workers) as pool:
        for running in [pool.submit(asyncio.run, work(f"worker {number}")) for number in range(workers)]:
            running.result(60)
