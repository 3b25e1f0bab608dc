"""Slots given before a place is free: what is written early leaves no earlier, whoever dies, stops or waits."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from summarizer.engine import shared_limits
from summarizer.engine.arrivals import Arrivals
from summarizer.engine.departures import Departures
from summarizer.engine.limits import ProcessLimits
from summarizer.engine.loop import Engine
from summarizer.engine.shared_limits import SharedLimits
from summarizer.engine.work import Stopped, StopReason, Work
from summarizer.jobs.claims import claim_item
from summarizer.jobs.selectors import job_progress
from summarizer.ledger.calls import prepare, recover, sha256
from summarizer.models import LLMAttempt, LLMCall
from tests.llm_server import LLMServer
from tests.services import RedisServer
from tests.summarizer.engine.conftest import calls_in, slow_from
from tests.summarizer.engine.kind import step
from tests.summarizer.engine.sharing import Watch, shared, side_by_side
from tests.summarizer.engine.test_limits import Clock
from tests.summarizer.engine.test_worker import KINDS
from tests.workers import WorkerProcess, wait_until


@pytest.fixture(autouse=True)
def _as_many_ahead_as_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow this machine is: an eighth of the places."""
    monkeypatch.setattr(shared_limits, "AHEAD_SECONDS", 1000.0)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


class Watched:
    """Calls of one worker, by who has a slot and who is in flight, over all loops."""

    def __init__(self) -> None:
        self.slots, self.flights = Watch(), Watch()

    async def call(self, limits: SharedLimits, who: str, seconds: float) -> None:
        async with limits.slot(10):
            self.slots.enter(who)
            await asyncio.sleep(0.005)  # the ledger
            async with limits.in_flight():
                self.flights.enter(who)
                await asyncio.sleep(seconds)
                self.flights.leave()
            self.slots.leave()

    async def calls(self, limits: SharedLimits, who: str, number: int, seconds: float) -> None:
        await asyncio.gather(*(self.call(limits, who, seconds) for _ in range(number)))


# --- the places of one loop -----------------------------------------------------------------------------------------


def test_no_more_are_in_flight_than_there_are_places_though_their_number_changes() -> None:
    async def main() -> list[str]:
        departures, seen = Departures(2), list[str]()
        ends = {name: asyncio.Event() for name in "abcd"}

        async def leave(name: str) -> None:
            async with departures.place():
                seen.append(name)
                await ends[name].wait()
            seen.append(f"-{name}")

        tasks = {name: asyncio.create_task(leave(name)) for name in "abcd"}
        await asyncio.sleep(0)
        departures.places = 1
        ends["a"].set()
        await until(lambda: "-a" in seen)
        seen.append("one place")  # that of b
        tasks["c"].cancel()
        departures.places = 2
        await until(lambda: "d" in seen)
        ends["b"].set()
        ends["d"].set()
        await asyncio.wait(tasks.values())
        return seen

    assert asyncio.run(main())[:5] == ["a", "b", "-a", "one place", "d"]


def test_a_place_that_is_given_up_in_the_moment_it_comes_goes_to_the_next() -> None:
    async def main() -> list[str]:
        departures, seen = Departures(1), list[str]()

        async def leave(name: str) -> None:
            async with departures.place():
                seen.append(name)

        async with departures.place():
            first, second = asyncio.create_task(leave("first")), asyncio.create_task(leave("second"))
            await asyncio.sleep(0)
        first.cancel()  # called, and not yet come
        await asyncio.wait([first, second], timeout=5)
        await leave("third")
        return seen

    assert asyncio.run(main()) == ["second", "third"]


def test_a_request_with_a_slot_does_not_leave_in_a_cool_down_that_began_meanwhile() -> None:
    async def main() -> float:
        clock = Clock()
        limits = ProcessLimits(concurrency=2, clock=clock, sleep=clock.sleep)
        async with limits.slot(1):
            limits.cool_down(7)
            async with limits.in_flight():
                return clock.now

    assert asyncio.run(main()) == 1007


# --- workers that share limits --------------------------------------------------------------------------------------


@pytest.fixture
def name() -> str:
    return uuid4().hex


def test_a_worker_gets_slots_ahead_and_no_more_places(redis_url: str, name: str) -> None:
    watched = Watched()

    async def main() -> tuple[int, int]:
        async with shared(redis_url, name, concurrency=16) as limits:
            await watched.calls(limits, "", 80, 0.01)
            return limits._admitted, limits._departures.places

    assert asyncio.run(main()) == (0, 0)
    assert len(watched.flights.left) == 80
    # An eighth more.
    assert watched.slots.highest == 18
    assert watched.flights.highest <= 16


@pytest.mark.parametrize("limit", [{"concurrency": 7}, {"requests_per_minute": 1000}, {"tokens_per_minute": 100_000}])
def test_none_are_given_ahead_of_few_places_or_where_more_is_limited(redis_url: str, name: str, limit: Any) -> None:
    watched = Watched()

    async def main() -> None:
        async with shared(redis_url, name, **{"concurrency": 16, **limit}) as limits:
            await watched.calls(limits, "", 40, 0.01)

    asyncio.run(main())
    assert watched.slots.highest == limit.get("concurrency", 16)


def test_workers_with_slots_ahead_together_keep_the_concurrency(redis_url: str, name: str) -> None:
    watched = Watched()

    async def work(who: str) -> None:
        async with shared(redis_url, name, concurrency=17) as limits:
            await watched.calls(limits, who, 60, 0.01)

    side_by_side(3, work)
    assert len(watched.flights.left) == 180
    assert 8 < watched.flights.highest <= 17


def test_a_worker_with_slots_ahead_gets_no_more_than_its_share_while_another_waits(redis_url: str, name: str) -> None:
    watched = Watched()

    async def work(who: str) -> None:
        async with shared(redis_url, name, concurrency=16) as limits:
            if who == "worker 1":
                await until(lambda: len(watched.flights.left) > 20)
            await watched.calls(limits, who, 160 if who == "worker 0" else 32, 0.05)

    side_by_side(2, work)
    both = [who for _, who in sorted(watched.flights.left)]
    first, last = both.index("worker 1"), len(both) - 1 - both[::-1].index("worker 1")
    # Half of the places each: among as many of the other's its 32 calls are made, not after all 160.
    assert both[first:last].count("worker 0") <= 64
    assert last < len(both) - 1


class Full:
    """A worker with eight places, all in flight until `end`, and a ninth request that has a slot and waits."""

    def __init__(self, limits: SharedLimits) -> None:
        self._limits = limits
        self.end = asyncio.Event()
        self.left: list[float] = []

    async def call(self) -> None:
        async with self._limits.slot(10), self._limits.in_flight():
            self.left.append(time.monotonic())
            await self.end.wait()

    async def begin(self) -> list["asyncio.Task[None]"]:
        self.end.set()
        await asyncio.gather(*(self.call() for _ in range(8)))  # so it has a pace
        self.left.clear()
        self.end = asyncio.Event()
        calls = [asyncio.create_task(self.call()) for _ in range(9)]
        await until(lambda: self._limits._admitted == 9 and len(self.left) == 8)
        return calls


def test_a_pause_that_another_worker_tells_of_holds_for_a_request_with_a_slot(redis_url: str, name: str) -> None:
    async def main() -> float:
        async with shared(redis_url, name, concurrency=8) as limits, shared(redis_url, name, concurrency=8) as other:
            full = Full(limits)
            calls = await full.begin()
            told = time.monotonic()
            other.cool_down(1.5)
            await until(lambda: limits._cool_until > time.monotonic())
            full.end.set()
            await asyncio.wait_for(asyncio.gather(*calls), 30)
            return full.left[8] - told

    assert asyncio.run(main()) >= 1.4


def test_a_request_with_a_slot_does_not_leave_while_redis_is_away(redis_server: RedisServer, name: str) -> None:
    async def main() -> tuple[int, int]:
        async with shared(redis_server.url, name, concurrency=8) as limits:
            full = Full(limits)
            calls = await full.begin()
            redis_server.stop()
            await until(lambda: limits._is_away)
            full.end.set()
            await until(lambda: sum(call.done() for call in calls) == 8)
            await asyncio.sleep(0.2)
            while_away = len(full.left)
            redis_server.start()
            await asyncio.wait_for(asyncio.gather(*calls), 30)
            return while_away, len(full.left)

    assert asyncio.run(main()) == (8, 9)


# --- engines and workers --------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_what_was_written_and_had_not_left_when_its_work_was_stopped_costs_nothing_and_is_made_later(
    llm_server: LLMServer, make_endpoint, launch, settings: Any, redis_url: str
) -> None:
    settings.REDIS_URL = redis_url
    llm_server.script(slow_from(9))
    item = launch(make_endpoint(concurrency=8, price_prompt=1, price_completion=1), chunks=40).items.get()
    claim = claim_item(item.pk)
    assert claim
    work, arrivals = Work(claim.holder, claim.item.job.endpoint), Arrivals()
    steps = [step(f"chunk {number}", f"Chunk {number}.", 1) for number in range(40)]
    engine = Engine()
    try:
        engine.start(work, calls_in(prepare(item.pk, work.endpoint, steps)), arrivals)
        wait_until(lambda: llm_server.open == 8 and LLMAttempt.objects.filter(state="sent").count() == 9)
        work.stop(Stopped(StopReason.CANCELLED))
        arrivals.wait([each.name for each in steps])
    finally:
        engine.close()
    assert llm_server.calls == 16
    assert Counter(LLMAttempt.objects.values_list("state", flat=True)) == {"answered": 16, "failed": 1}
    stopped = LLMAttempt.objects.get(state="failed")
    assert (stopped.cost_usd, stopped.failure) == (0, "The work was stopped before this left.")
    recover(item.pk)
    again = {call.id: call.number for call in calls_in(prepare(item.pk, work.endpoint, steps))}
    assert len(again) == 24
    assert again[stopped.call_id] == 2
    assert set(again.values()) == {1, 2}


@pytest.fixture
def worker(tmp_path: Path, redis_server: RedisServer) -> Any:
    process = WorkerProcess(tmp_path, redis_server.url, WORKER_CONCURRENCY="2", **KINDS)
    yield process
    process.kill()


@pytest.mark.django_db(transaction=True)
@pytest.mark.xdist_group("worker")
def test_a_worker_that_is_killed_with_slots_ahead_leaves_no_request_out_and_repeats_only_those_in_flight(
    llm_server: LLMServer, make_endpoint, launch, worker: WorkerProcess
) -> None:
    """Sixteen places, each freed ten times a second: a worker writes up to two requests before they can leave."""
    llm_server.latency = 0.1
    job = launch(make_endpoint(concurrency=16), chunks=300)
    worker.start()
    worker.send(job.items.values_list("pk", flat=True))
    llm_server.wait_for_calls(80, seconds=60)
    worker.kill()
    wait_until(lambda: llm_server.open == 0)
    asked = Counter(sha256(prompt) for prompt in llm_server.prompts)
    written = set(LLMAttempt.objects.values_list("call__prompt_sha256", flat=True))
    done = set(LLMCall.objects.filter(state="done").values_list("prompt_sha256", flat=True))
    unanswered = LLMAttempt.objects.filter(state="sent").count()
    assert len(asked) < 300
    assert asked.keys() <= written
    assert unanswered <= 18
    worker.start()
    wait_until(lambda: job_progress(job).ended)
    assert job_progress(job).state == "done"
    asked = Counter(sha256(prompt) for prompt in llm_server.prompts)
    assert len(asked) == 300
    assert all(asked[prompt] == 1 for prompt in done)
    assert llm_server.calls - 300 <= unanswered
    assert LLMAttempt.objects.filter(state="unknown").count() == unanswered
    assert llm_server.highest_open <= 16
