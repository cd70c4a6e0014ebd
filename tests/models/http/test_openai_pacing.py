"""The gate before each request: how many at once, how many a minute, and none while a server is overloaded."""

from __future__ import annotations

import asyncio

import pytest

from benchwright.models.http.pacing import RequestPacer
from kit.asking_kit import FakeClock


class Load:
    """A server under this pace: requests that take two turns of the loop."""

    def __init__(self, pace: RequestPacer) -> None:
        self.pace, self.now, self.most = pace, 0, 0
        self.starts: list[float] = []

    async def request(self) -> None:
        """One request through the gate."""
        async with self.pace.turn() as started:
            self.starts.append(started)
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self.now -= 1

    async def requests(self, number: int) -> None:
        """Many at once."""
        await asyncio.gather(*(self.request() for _ in range(number)))


def test_no_more_are_in_flight_than_allowed() -> None:
    """And all get their turn, in the order they came."""
    load = Load(RequestPacer(most=3, per_minute=None, clock=FakeClock()))
    asyncio.run(load.requests(20))

    assert (load.most, len(load.starts)) == (3, 20)


def test_whoever_waits_for_a_rate_is_told_how_long() -> None:
    """The time between two starts; the first of all waits for nothing."""
    told: list[float] = []
    asyncio.run(Load(RequestPacer(most=9, per_minute=6, clock=FakeClock(), tell=told.append)).requests(3))
    asyncio.run(Load(RequestPacer(most=9, per_minute=6, clock=FakeClock(), tell=told.append)).requests(1))

    assert told == [10.0, 10.0]


def test_a_rate_spaces_starts_evenly() -> None:
    """120 a minute are half a second apart: no minute, wherever it begins, has more."""
    load = Load(RequestPacer(most=50, per_minute=120, clock=FakeClock()))
    asyncio.run(load.requests(5))

    assert load.starts == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_a_rate_is_not_made_up_for_after_a_pause() -> None:
    """Time in which nothing was asked does not allow a burst."""
    clock = FakeClock()
    load = Load(RequestPacer(most=5, per_minute=60, clock=clock))
    asyncio.run(load.requests(1))
    clock.time = 100.0
    asyncio.run(load.requests(3))

    assert load.starts == [0.0, 100.0, 101.0, 102.0]


def test_an_overloaded_server_is_left_alone_by_all() -> None:
    """Not only the request that was refused waits."""
    load = Load(RequestPacer(most=4, per_minute=None, clock=FakeClock()))
    load.pace.throttled(7.0, started=0.0)
    asyncio.run(load.requests(3))

    assert load.starts == [7.0, 7.0, 7.0]


def test_a_shorter_wait_does_not_end_a_longer_one() -> None:
    """Two refusals at once: the longer wait counts."""
    load = Load(RequestPacer(most=4, per_minute=None, clock=FakeClock()))
    load.pace.throttled(9.0, started=0.0)
    load.pace.throttled(1.0, started=0.0)
    asyncio.run(load.requests(1))

    assert load.starts == [9.0]


def test_refusals_of_one_moment_halve_once() -> None:
    """Eight requests that were in flight together are one sign of overload, not eight."""
    clock = FakeClock()
    clock.time = 1.0
    load = Load(RequestPacer(most=8, per_minute=None, clock=clock))
    for _ in range(8):
        load.pace.throttled(0.0, started=0.5)
    asyncio.run(load.requests(20))

    assert load.most == 4


def test_it_shrinks_to_one_and_grows_back() -> None:
    """A server that gives little gets one request at a time; after some answers it gets more."""
    clock = FakeClock()
    load = Load(RequestPacer(most=8, per_minute=None, clock=clock))
    for moment in range(1, 10):
        clock.time = float(moment)
        load.pace.throttled(0.0, started=float(moment))
    asyncio.run(load.requests(5))
    smallest, load.most = load.most, 0
    for _ in range(60):
        load.pace.answered()
    asyncio.run(load.requests(50))

    assert (smallest, load.most) == (1, 8)


@pytest.mark.parametrize("when", ["in line", "waiting for its start"])
def test_a_cancelled_request_leaves_its_place_to_others(when: str) -> None:
    """Otherwise a run that is paused and stopped would lose its places."""

    async def scene() -> int:
        load = Load(RequestPacer(most=1, per_minute=None if when == "in line" else 0.001, clock=_Patient()))
        first = asyncio.create_task(load.request())
        second = asyncio.create_task(load.request())
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        async with asyncio.timeout(5):
            load.pace._gap = load.pace._next = 0.0
            await load.request()
        return len(load.starts)

    assert asyncio.run(scene()) == 2


class _Patient(FakeClock):
    """Sleeps until it is cancelled."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.get_running_loop().create_future()


def test_a_place_that_was_given_to_a_cancelled_request_goes_on() -> None:
    """Cancelled in the very moment in which its turn had come."""

    async def scene() -> int:
        load = Load(RequestPacer(most=1, per_minute=None, clock=FakeClock()))
        async with load.pace.turn():
            waiting = asyncio.create_task(load.request())
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5):
            await load.request()
        return len(load.starts)

    assert asyncio.run(scene()) == 1
