"""Limits that several workers share through Redis. Each worker here is a client of its own, on a loop of its own."""

import asyncio
import json
import subprocess
import sys
import time
from typing import Any
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from summarizer.engine import shared_limits
from summarizer.engine.shared_limits import SharedLimits
from summarizer.providers.base import Allowance
from tests.services import RedisServer
from tests.summarizer.engine.sharing import Watch, calls, shared, side_by_side
from tests.summarizer.engine.test_limits import order_of_arrival
from tests.workers import PROJECT


@pytest.fixture
def name() -> str:
    return uuid4().hex


def test_workers_together_keep_the_concurrency_and_use_it_whole(redis_url: str, name: str) -> None:
    watch = Watch()

    async def work(who: str) -> None:
        async with shared(redis_url, name, concurrency=5) as limits:
            await calls(limits, watch, who, 20, 0.05)

    start = time.monotonic()
    side_by_side(3, work)
    assert watch.highest == 5
    assert len(watch.left) == 60
    # 60 calls of 50 ms, five at once: 0.6 s; the rest is what places wait for another worker to look.
    assert time.monotonic() - start < 3


def test_within_a_worker_the_lowest_rank_goes_first_and_of_one_rank_who_came_first(redis_url: str, name: str) -> None:
    async def ask() -> list[int]:
        async with shared(redis_url, name, concurrency=1) as limits:
            return await order_of_arrival(limits, [2, 1, 0, 1, 0])

    assert asyncio.run(ask()) == [2, 4, 1, 3, 0]


def test_one_worker_gets_no_more_than_its_share_while_another_waits(redis_url: str, name: str) -> None:
    watch = Watch()

    async def work(who: str) -> None:
        async with shared(redis_url, name, concurrency=4) as limits:
            await asyncio.sleep(0.3 if who == "worker 1" else 0)
            await calls(limits, watch, who, 40 if who == "worker 0" else 8, 0.05)

    side_by_side(2, work)
    both = [who for _, who in sorted(watch.left)]
    first, last = both.index("worker 1"), len(both) - 1 - both[::-1].index("worker 1")
    # Half of the places each: among as many of the other's its eight calls are made, not after all forty.
    assert both[first:last].count("worker 0") <= 16
    assert last < len(both) - 1


def test_requests_a_minute_hold_for_all_workers(redis_url: str, name: str) -> None:
    watch = Watch()

    async def work(who: str) -> None:
        async with shared(redis_url, name, requests_per_minute=6, window_seconds=1.0) as limits:
            await calls(limits, watch, who, 8, 0.0)

    start = time.monotonic()
    side_by_side(2, work)
    # 16 requests, six a window: the last leave in the third.
    assert 1.9 < time.monotonic() - start < 4
    assert watch.most_within(0.9) <= 6


def test_tokens_a_minute_hold_for_all_workers_and_a_large_request_is_not_kept_waiting(
    redis_url: str, name: str
) -> None:
    watch = Watch()

    async def work(who: str) -> None:
        async with shared(redis_url, name, tokens_per_minute=1000, window_seconds=1.0) as limits:
            await calls(limits, watch, who, 2, 0.0, tokens=400)
            await calls(limits, watch, who, 1, 0.0, tokens=5000)

    start = time.monotonic()
    side_by_side(2, work)
    # Two of 400 a window, then a window for each of the large ones.
    assert 2.9 < time.monotonic() - start < 6
    assert watch.most_within(0.9) <= 2


def test_the_places_of_a_worker_that_dies_come_back(redis_url: str, name: str) -> None:
    dies = (
        "import asyncio, sys\n"
        "from redis.asyncio import Redis\n"
        "from summarizer.engine.shared_limits import SharedLimits\n"
        "async def main():\n"
        "    limits = SharedLimits(Redis.from_url(sys.argv[1]), sys.argv[2], concurrency=2, lease_seconds=1.0)\n"
        "    async with limits.slot(1), limits.slot(1):\n"
        "        print('holds', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", dies, redis_url, name], cwd=PROJECT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"holds\n"

    async def take() -> tuple[bool, float]:
        async with shared(redis_url, name, concurrency=2, lease_seconds=1.0) as limits:
            taken = asyncio.create_task(limits._take(1, rank=0))
            await asyncio.sleep(1.5)  # longer than the lease: a worker that lives keeps its places
            kept = not taken.done()
            process.kill()
            start = time.monotonic()
            await asyncio.wait_for(taken, 10)
            return kept, time.monotonic() - start

    kept, waited = asyncio.run(take())
    process.wait(10)
    assert kept
    assert waited < 2


def test_a_pause_that_the_server_asked_for_holds_for_all_workers(redis_url: str, name: str) -> None:
    async def main() -> float:
        async with shared(redis_url, name) as one, shared(redis_url, name) as other:
            one.cool_down(0.6)
            await asyncio.sleep(0.1)
            start = time.monotonic()
            async with other.slot(1):
                return time.monotonic() - start

    assert 0.45 <= asyncio.run(main()) < 2


@pytest.mark.parametrize(("kind", "left", "leave"), [("requests", 3, 3), ("tokens", 35, 3), ("requests", 0, 0)])
def test_what_the_server_says_is_left_holds_for_all_workers(
    redis_url: str, name: str, kind: str, left: int, leave: int
) -> None:
    """Each request counts ten tokens; until the server's limit is reset, no more leave than it said."""

    async def main() -> tuple[int, int]:
        watch = Watch()
        async with shared(redis_url, name) as one, shared(redis_url, name) as other:
            async with one.slot(10) as place:
                one.note(place, {kind: Allowance(left, 0.8)})
            await asyncio.sleep(0.1)
            both = [asyncio.create_task(calls(limits, watch, "", 4, 0.0)) for limits in (one, other)]
            await asyncio.sleep(0.4)
            before = len(watch.left)
            await asyncio.gather(*both)
            return before, len(watch.left)

    assert asyncio.run(main()) == (leave, 8)


def test_requests_in_flight_count_as_not_yet_known_to_the_server(redis_url: str, name: str) -> None:
    async def main() -> int:
        watch = Watch()
        async with shared(redis_url, name) as limits:
            async with limits.slot(10) as first, limits.slot(10), limits.slot(10):
                # Said to the first of three: of the two that are left, both are on their way.
                limits.note(first, {"requests": Allowance(2, 0.5)})
                await asyncio.sleep(0.1)
                waiting = asyncio.create_task(calls(limits, watch, "", 1, 0.0))
                await asyncio.sleep(0.2)
                before = len(watch.left)
            await waiting
            return before

    assert asyncio.run(main()) == 0


def test_redis_may_go_away_and_come_back_empty(redis_server: RedisServer, name: str) -> None:
    async def main() -> tuple[int, int, int]:
        watch = Watch()
        async with shared(redis_server.url, name, concurrency=2, lease_seconds=3.0) as limits, limits.slot(1):
            redis_server.stop()
            waiting = asyncio.create_task(calls(limits, watch, "", 3, 0.1))
            await asyncio.sleep(1.0)
            while_away = len(watch.left)
            redis_server.start()
            await asyncio.wait_for(waiting, 30)
            # The place that was held all the while is known again.
            return while_away, len(watch.left), watch.highest

    assert asyncio.run(main()) == (0, 3, 1)


@pytest.mark.parametrize("asks", ["one that holds places", "one that holds none"])
def test_redis_that_is_emptied_lets_no_more_into_flight(redis_server: RedisServer, name: str, asks: str) -> None:
    """Two workers hold two places each of four. What one asks for then has to wait until the other has said so too."""

    async def main() -> tuple[int, int]:
        watch, go = Watch(), asyncio.Event()

        async def hold(limits: SharedLimits) -> None:
            async with limits.slot(1), limits.slot(1):
                watch.enter("held")
                watch.enter("held")
                await go.wait()
                watch.leave()
                watch.leave()

        values = {"concurrency": 4, "lease_seconds": 3.0}
        async with (
            shared(redis_server.url, name, **values) as one,
            shared(redis_server.url, name, **values) as other,
            shared(redis_server.url, name, **values) as third,
            Redis.from_url(redis_server.url) as redis,
        ):
            async with third.slot(1):
                """It knows Redis as it was."""
            holding = [asyncio.create_task(hold(limits)) for limits in (one, other)]
            while watch.inside < 4:
                await asyncio.sleep(0.01)
            await redis.flushall()
            asking = asyncio.create_task(calls(one if "none" not in asks else third, watch, "", 3, 0.01))
            await asyncio.sleep(4)
            before = watch.highest
            go.set()
            await asyncio.wait_for(asyncio.gather(asking, *holding), 30)
            return before, len(watch.left)

    assert asyncio.run(main()) == (4, 7)


def test_redis_that_is_emptied_does_not_begin_another_minute(redis_server: RedisServer, name: str) -> None:
    watch = Watch()

    async def main() -> None:
        async with (
            shared(redis_server.url, name, requests_per_minute=5, window_seconds=2.0, lease_seconds=0.6) as limits,
            Redis.from_url(redis_server.url) as redis,
        ):
            await calls(limits, watch, "", 5, 0.0)
            await redis.flushall()
            await calls(limits, watch, "", 5, 0.0)

    asyncio.run(main())
    assert watch.most_within(1.9) <= 5


def test_small_requests_of_a_worker_do_not_keep_a_large_one_of_another_waiting(redis_url: str, name: str) -> None:
    """Round by round. In a minute that small ones fill as soon as a little of it comes free, it would never fit."""

    async def main() -> list[int]:
        values = {"tokens_per_minute": 1000, "window_seconds": 1.0}
        async with shared(redis_url, name, **values) as one, shared(redis_url, name, **values) as other:

            async def granted(limits: SharedLimits, *costs: int) -> int:
                return int((await limits._ask(costs))[0])

            rounds = [await granted(one, *[100] * 9), await granted(other, 900), await granted(one, 100)]
            # It is given up: the small ones go on.
            rounds += [await granted(other), await granted(one, 100), await granted(other, 900)]
            await asyncio.sleep(1.1)
            # The minute is over, and whoever asks first: it is the large one's turn.
            rounds += [await granted(one, 100), await granted(other, 900), await granted(one, 100)]
            return rounds

    assert asyncio.run(main()) == [9, 0, 0, 0, 1, 0, 0, 1, 1]


def test_the_limits_may_change_while_requests_wait(redis_url: str, name: str) -> None:
    async def main() -> tuple[int, int]:
        watch = Watch()
        async with shared(redis_url, name, concurrency=1) as limits:
            waiting = asyncio.create_task(calls(limits, watch, "", 12, 0.05))
            while len(watch.left) < 2:
                await asyncio.sleep(0.01)
            before = watch.highest
            limits.change(concurrency=4, requests_per_minute=None, tokens_per_minute=None)
            await asyncio.wait_for(waiting, 20)
            return before, watch.highest

    assert asyncio.run(main()) == (1, 4)


def test_a_round_that_fails_in_a_way_it_should_not_is_not_the_last(
    redis_url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, failed = SharedLimits._ask, []

    async def fails_once(self: SharedLimits, costs: Any, learned: Any = None) -> list[Any]:
        if not failed:
            failed.append(True)
            raise ValueError("no answer that can be read")
        return await ask(self, costs, learned)

    monkeypatch.setattr(SharedLimits, "_ask", fails_once)

    async def main() -> None:
        async with shared(redis_url, name) as limits, asyncio.timeout(20), limits.slot(1):
            pass

    asyncio.run(main())
    assert failed


def test_a_wait_that_is_given_up_frees_nothing_twice(redis_url: str, name: str) -> None:
    async def main() -> tuple[int, int]:
        watch = Watch()
        async with shared(redis_url, name, concurrency=2) as limits:
            tasks = [asyncio.create_task(calls(limits, watch, "", 1, 0.05)) for _ in range(12)]
            for number, task in enumerate(tasks):
                await asyncio.sleep(0.003)
                if number % 2:
                    task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0.1)
            return watch.highest, limits._admitted

    highest, held = asyncio.run(main())
    assert highest <= 2
    assert held == 0


def test_nothing_is_left_held_when_all_is_over(redis_url: str, name: str) -> None:
    async def main() -> dict[str, Any]:
        async with shared(redis_url, name, concurrency=2) as limits:
            await calls(limits, Watch(), "", 5, 0.01)
        async with Redis.from_url(redis_url) as redis:
            return {part: await redis.exists(f"booookweb:{{limits:{name}}}:{part}") for part in ("in-flight", "leases")}

    assert asyncio.run(main()) == {"in-flight": 0, "leases": 0}


def test_rounds_are_few(redis_url: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes together is one round: a call costs less than one, though it takes a place and gives it back."""
    rounds: list[int] = []
    ask = SharedLimits._ask

    async def counted(self: SharedLimits, costs: Any, learned: Any = None) -> list[int]:
        rounds.append(len(json.dumps(list(costs))))
        return await ask(self, costs, learned)

    monkeypatch.setattr(SharedLimits, "_ask", counted)
    monkeypatch.setattr(shared_limits, "POLL_SECONDS", 10.0)

    async def main() -> None:
        async with shared(redis_url, name, concurrency=20) as limits:
            await calls(limits, Watch(), "", 200, 0.02)

    asyncio.run(main())
    assert len(rounds) < 100
