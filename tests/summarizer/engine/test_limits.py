"""Limits and waits by the clock, with a clock of our own."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from summarizer.engine import retries
from summarizer.engine.limits import Limits, ProcessLimits
from summarizer.engine.retries import seconds_before_retry, tried_again
from summarizer.engine.turns import Turns
from summarizer.ledger.costs import Prices, cost, worst_prompt_tokens
from summarizer.providers.base import Allowance, FailureKind, ProviderFailure, Usage
from summarizer.providers.openai_headers import allowances_of, seconds_of


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def departures(requests: int, tokens: int, **values: int) -> list[float]:
    """When each of so many requests leaves, in seconds from the first moment; each is over at once."""

    async def leave() -> list[float]:
        clock = Clock()
        limits = ProcessLimits(**{"concurrency": 100, **values}, clock=clock, sleep=clock.sleep)
        times = []
        for _ in range(requests):
            async with limits.slot(tokens):
                times.append(clock.now - 1000.0)
        return times

    return asyncio.run(leave())


def test_requests_a_minute_hold_in_any_minute() -> None:
    assert departures(7, 10, requests_per_minute=3) == [0, 0, 0, 60, 60, 60, 120]


def test_tokens_a_minute_hold_in_any_minute() -> None:
    # 400 + 400 fit into 1000, a third does not.
    assert departures(5, 400, tokens_per_minute=1000) == [0, 0, 60, 60, 120]


def test_a_request_larger_than_the_limit_does_not_wait_without_end() -> None:
    assert departures(3, 5000, tokens_per_minute=1000) == [0, 60, 120]


def test_limits_that_change_count_what_left_before() -> None:
    async def leave() -> list[float]:
        clock = Clock()
        limits = ProcessLimits(concurrency=1, clock=clock, sleep=clock.sleep)
        times = []
        for number in range(6):
            if number == 3:
                limits.change(concurrency=1, requests_per_minute=2, tokens_per_minute=None)
            if number == 5:
                limits.change(concurrency=1, requests_per_minute=None, tokens_per_minute=None)
            async with limits.slot(10):
                times.append(clock.now - 1000.0)
        return times

    # Three have left when two a minute become the limit.
    assert asyncio.run(leave()) == [0, 0, 0, 60, 60, 60]


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1)])
def test_the_concurrency_changes_for_those_that_wait(before: int, after: int) -> None:
    async def main() -> tuple[int, int]:
        limits, inside, seen = ProcessLimits(concurrency=before), 0, []

        async def call() -> None:
            nonlocal inside
            async with limits.slot(1), limits.in_flight():
                inside += 1
                seen.append(inside)
                await asyncio.sleep(0.01)
                inside -= 1

        await asyncio.gather(*(call() for _ in range(6)))
        first, seen = max(seen), []
        waiting = [asyncio.create_task(call()) for _ in range(9)]
        await asyncio.sleep(0)
        limits.change(concurrency=after, requests_per_minute=None, tokens_per_minute=None)
        await asyncio.wait_for(asyncio.gather(*waiting), 20)
        return first, max(seen[before:])

    assert asyncio.run(main()) == (before, after)


async def order_of_arrival(limits: Limits, ranks: Sequence[int], given_up: int | None = None) -> list[int]:
    """In which order requests of these ranks, asked for one after the other while the only place is taken, get it."""
    order: list[int] = []

    async def ask(number: int, rank: int) -> None:
        async with limits.slot(1, rank):
            order.append(number)

    async with limits.slot(1):
        asking = []
        for number, rank in enumerate(ranks):
            asking.append(asyncio.create_task(ask(number, rank)))
            await asyncio.sleep(0.01)
        if given_up is not None:
            asking[given_up].cancel()
    await asyncio.wait(asking)
    return order


def test_the_lowest_rank_goes_first_and_of_one_rank_who_came_first() -> None:
    async def ask(given_up: int | None) -> list[int]:
        return await order_of_arrival(ProcessLimits(concurrency=1), [2, 1, 0, 1, 0], given_up)

    # The first is next in turn already when the others come.
    assert asyncio.run(ask(None)) == [0, 2, 4, 1, 3]
    assert asyncio.run(ask(0)) == [2, 4, 1, 3]
    assert asyncio.run(ask(4)) == [0, 2, 1, 3]


def test_a_turn_that_is_given_up_in_the_moment_of_the_call_goes_to_the_next() -> None:
    async def hold() -> list[str]:
        turns, held = Turns(), []

        async def enter(name: str) -> None:
            async with turns.turn(0):
                held.append(name)

        async with turns.turn(0):
            first, second = asyncio.create_task(enter("first")), asyncio.create_task(enter("second"))
            await asyncio.sleep(0)
        first.cancel()  # called, and not yet come
        await asyncio.wait([first, second], timeout=5)
        await enter("third")
        return held

    assert asyncio.run(hold()) == ["second", "third"]


def test_a_cool_down_holds_for_all() -> None:
    async def leave() -> float:
        clock = Clock()
        limits = ProcessLimits(concurrency=2, clock=clock, sleep=clock.sleep)
        limits.cool_down(7)
        limits.cool_down(3)
        async with limits.slot(1):
            return clock.now

    assert asyncio.run(leave()) == 1007


@pytest.mark.parametrize(
    ("said", "times"),
    [
        # Two more requests, then the server's minute has to end.
        ({"requests": Allowance(2, 20)}, [0, 0, 0, 20, 20]),
        # 25 tokens are room for two of ten.
        ({"tokens": Allowance(25, 20)}, [0, 0, 0, 20, 20]),
        ({"requests": Allowance(0, 7)}, [0, 7, 7, 7, 7]),
        ({"tokens": Allowance(9, 7), "requests": Allowance(2, 5)}, [0, 7, 7, 7, 7]),
        # A limit a day is not waited for: the server's own words (429) decide what happens then.
        ({"requests": Allowance(0, 80_000)}, [0, 60, 60, 60, 60]),
    ],
)
def test_what_the_server_says_is_left_is_kept(said: dict[str, Allowance], times: list[float]) -> None:
    async def leave() -> list[float]:
        clock = Clock()
        limits = ProcessLimits(concurrency=100, clock=clock, sleep=clock.sleep)
        left = []
        for number in range(5):
            async with limits.slot(10) as place:
                left.append(clock.now - 1000.0)
                if number == 0:
                    limits.note(place, said)
        return left

    assert asyncio.run(leave()) == times


def test_an_older_word_of_the_server_does_not_replace_a_newer_one() -> None:
    async def leave() -> list[float]:
        clock = Clock()
        limits = ProcessLimits(concurrency=100, clock=clock, sleep=clock.sleep)
        async with limits.slot(1) as first, limits.slot(1) as second:
            limits.note(second, {"requests": Allowance(1, 30)})
            limits.note(first, {"requests": Allowance(50, 30)})
        left = []
        for _ in range(3):
            async with limits.slot(1):
                left.append(clock.now - 1000.0)
        return left

    assert asyncio.run(leave()) == [0, 30, 30]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("120ms", 0.12),
        ("1h2m3.5s", 3723.5),
        ("1d", 86_400.0),
        ("0.25", 0.25),
        ("0s", 0.0),
        ("", None),
        (None, None),
        ("soon", None),
        ("-3", None),
        ("nan", None),
        ("2026-01-01T00:00:00Z", None),
    ],
)
def test_durations_as_servers_write_them(text: str | None, seconds: float | None) -> None:
    assert seconds_of(text) == (None if seconds is None else pytest.approx(seconds))


def test_headers_that_say_what_is_left() -> None:
    headers = {
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "3",
        "x-ratelimit-reset-requests": "59.64s",
        "x-ratelimit-remaining-tokens": "1200",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    assert allowances_of(headers) == {"requests": Allowance(3, 59.64), "tokens": Allowance(1200, 360.0)}
    assert allowances_of({**headers, "x-ratelimit-limit-requests": "0"}).keys() == {"tokens"}
    assert allowances_of({"x-ratelimit-remaining-requests": "-1", "x-ratelimit-reset-requests": "1s"}) == {}
    assert allowances_of({}) == {}


def test_concurrency_holds_and_a_cancelled_wait_frees_nothing_twice() -> None:
    async def main() -> tuple[int, int]:
        limits = ProcessLimits(concurrency=2)
        inside = highest = done = 0

        async def call() -> None:
            nonlocal inside, highest, done
            async with limits.slot(1):
                inside += 1
                highest = max(highest, inside)
                await asyncio.sleep(0.01)
                inside -= 1
                done += 1

        tasks = [asyncio.create_task(call()) for _ in range(10)]
        await asyncio.sleep(0.005)
        for task in tasks[4:6]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return highest, done

    assert asyncio.run(main()) == (2, 8)


def failure(kind: FailureKind, retry_after: float | None = None) -> ProviderFailure:
    return ProviderFailure(kind, "words", retry_after=retry_after)


@pytest.mark.parametrize(
    ("kind", "tries", "again"),
    [
        (FailureKind.TRANSIENT, 1, True),
        (FailureKind.RATE_LIMITED, 4, True),
        (FailureKind.RATE_LIMITED, 5, False),
        (FailureKind.TRUNCATED, 1, False),
        (FailureKind.REFUSED, 1, False),
        (FailureKind.QUOTA_EXHAUSTED, 1, False),
    ],
)
def test_what_is_tried_again(kind: FailureKind, tries: int, again: bool) -> None:
    assert tried_again(failure(kind), tries) is again


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    assert not tried_again(failure(FailureKind.RATE_LIMITED, 3600), 1)


def test_waits_double_and_never_undercut_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 1.0)
    chance = random.Random(1)
    transient = failure(FailureKind.TRANSIENT)
    for tries, longest in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (9, 60.0)]:
        waits = [seconds_before_retry(transient, tries, chance) for _ in range(200)]
        assert longest / 2 <= min(waits) < max(waits) <= longest
    asked = [seconds_before_retry(failure(FailureKind.RATE_LIMITED, 2), 1, chance) for _ in range(200)]
    assert 2.0 <= min(asked) < max(asked) <= 3.0


@pytest.mark.parametrize(
    ("usage", "prices", "usd"),
    [
        # 600 x 2 + 400 x 1 + 100 x 8 = 2,400 millionths.
        (Usage(1000, 400, 100), Prices(2, 1, 8), 0.0024),
        # Without a price of their own, cached tokens cost like others: 1000 x 2 + 100 x 8.
        (Usage(1000, 400, 100), Prices(2, None, 8), 0.0028),
        (Usage(1000, None, 100), Prices(2, 1, 8), 0.0028),
        (Usage(1000, None, None), Prices(2, 1, 8), None),
        (Usage(1000, None, 100), Prices(None, None, 8), None),
    ],
)
def test_cost(usage: Usage, prices: Prices, usd: float | None) -> None:
    found = cost(usage, prices)
    assert (None if found is None else float(found)) == usd


def test_the_worst_prompt_is_a_fifth_longer_than_counted() -> None:
    assert worst_prompt_tokens(1000) == 1216


def test_places_are_given_ahead_only_where_answers_come_fast_and_nothing_else_is_limited() -> None:
    async def most_admitted(seconds: float, **values: int) -> tuple[int, int]:
        """Calls that had a place, and calls that were in flight, at most at one time."""
        clock = Clock()
        limits = ProcessLimits(**{"concurrency": 16, **values}, clock=clock, sleep=clock.sleep)
        admitted = in_flight = 0
        most = (0, 0)

        async def call() -> None:
            nonlocal admitted, in_flight, most
            async with limits.slot(1):
                admitted += 1
                most = (max(most[0], admitted), most[1])
                async with limits.in_flight():
                    in_flight += 1
                    most = (most[0], max(most[1], in_flight))
                    for _ in range(50):  # long enough for others to be let in meanwhile
                        await asyncio.sleep(0)
                    clock.now += seconds
                    in_flight -= 1
                admitted -= 1

        await asyncio.gather(*(call() for _ in range(200)))
        return most

    # Sixteen places; one is freed each millisecond, so two more are given ahead: an eighth.
    assert asyncio.run(most_admitted(0.001)) == (18, 16)
    # One each 20 ms: the ledger is faster.
    assert asyncio.run(most_admitted(0.02)) == (16, 16)
    assert asyncio.run(most_admitted(0.001, requests_per_minute=10_000)) == (16, 16)
