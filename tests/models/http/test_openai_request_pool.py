"""Workers take prompts as they become free, and all of them end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.asking.cost import Budget
from benchwright.contracts import RequestOptions
from benchwright.errors import RunError
from benchwright.http_client import HttpReply
from benchwright.models.http.endpoint import find_endpoint
from benchwright.models.http.request_pool import ModelEvent, RequestPool
from benchwright.records import Answer
from kit.asking_kit import FakeClock, Scripted, good, prompts


def work(pool: RequestPool) -> list[Answer | ModelEvent]:
    """Run a pool to its end, which must come soon."""
    put: list[Answer | ModelEvent] = []

    async def scene() -> None:
        async with asyncio.timeout(10):
            await pool.run(put.append)

    asyncio.run(scene())
    return put


def pool_of(open_connection: Callable[[], Any], **settings: Any) -> RequestPool:
    """Two workers."""
    asking = RequestOptions(base_url="http://h/v1", concurrency=2, **settings)
    endpoint = find_endpoint("http://h/v1", api="chat", environment={})
    return RequestPool(
        "m", asking, endpoint, budget=Budget(asking), clock=FakeClock(), open_connection=open_connection
    )


def test_a_lane_without_a_prompt_opens_no_connection() -> None:
    """With a thousand workers and ten prompts, ten connections."""
    opened: list[Scripted] = []

    def open_connection() -> Scripted:
        opened.append(Scripted(good()))
        return opened[-1]

    pool = pool_of(open_connection)
    pool.give(prompts(tasks=1), last=True)
    put = work(pool)

    assert ([thing.text for thing in put if isinstance(thing, Answer)], len(opened)) == (["code"], 1)


def test_lanes_that_wait_end_when_there_is_no_money() -> None:
    """One worker finds the budget used up while the other waits for a prompt that will not come."""
    pool = pool_of(lambda: Scripted(good()), budget=0.0, price_in=1.0, price_out=1.0)
    pool.give(prompts(tasks=1), last=False)

    with pytest.raises(RunError, match="the budget of 0 is used up"):
        work(pool)


def test_an_error_in_a_lane_is_not_hidden_in_a_group() -> None:
    """What cannot be opened says why, by itself."""

    def open_connection() -> Scripted:
        raise OSError("too many open files")

    pool = pool_of(open_connection)
    pool.give(prompts(tasks=2), last=True)

    with pytest.raises(OSError, match="too many open files"):
        work(pool)


class Metered:
    """A server that counts tokens as told, each reply a few steps after its request; and how many were open."""

    def __init__(self, usage: list[tuple[int, int]]) -> None:
        self._usage, self.asked, self.open, self.most = usage, 0, 0, 0

    async def post(self, body: bytes) -> HttpReply:
        """A reply with the next usage; the last one again and again."""
        tokens_in, tokens_out = self._usage[min(self.asked, len(self._usage) - 1)]
        self.asked, self.open = self.asked + 1, self.open + 1
        self.most = max(self.most, self.open)
        for _ in range(3 + self.asked % 5):
            await asyncio.sleep(0)
        self.open -= 1
        return good(usage={"prompt_tokens": tokens_in, "completion_tokens": tokens_out})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing to close."""


def spend(server: Metered, *, connections: int, tasks: int, **changed: Any) -> Budget:
    """The budget after a run that it has ended, or that had nothing left to ask."""
    asking = RequestOptions(base_url="http://h/v1", concurrency=connections, **changed)
    endpoint, budget = find_endpoint("http://h/v1", api="chat", environment={}), Budget(asking)
    pool = RequestPool(
        "m", asking, endpoint, budget=budget, clock=FakeClock(), open_connection=lambda: server
    )
    pool.give(prompts(tasks=tasks), last=True)
    try:
        work(pool)
    except RunError as error:
        assert "is used up" in error.message
    return budget


def test_a_budget_at_sixty_four_in_flight() -> None:
    """Answers of 100 tokens in and 50 out at 10 and 20: 0.05 buys 25 of them, and no more are asked."""
    server = Metered([(100, 50)])
    budget = spend(server, connections=64, tasks=1000, budget=0.05, price_in=10.0, price_out=20.0)

    assert (server.asked, round(budget.spent, 6)) == (25, 0.05)


def test_requests_in_flight_become_fewer_near_the_end() -> None:
    """All workers are busy while the budget covers the longest answers, and all of it is used."""
    server = Metered([(10, 20)])
    budget = spend(
        server, connections=8, tasks=1000, budget=0.1, price_in=0.0, price_out=10.0, max_tokens=100
    )

    assert (server.most, server.asked, round(budget.spent, 6)) == (8, 500, 0.1)


@pytest.mark.parametrize("changed", [{"max_tokens": 10**6}, {"body": {"max_tokens": None}}])
def test_one_at_a_time_where_an_answer_could_cost_more_than_all(changed: dict[str, Any]) -> None:
    """No hang, no refusal: the longest answer that is possible is seldom the one that comes."""
    server = Metered([(10, 20)])
    spend(server, connections=8, tasks=1000, budget=0.01, price_in=0.0, price_out=10.0, **changed)

    assert (server.most, server.asked) == (1, 50)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 100)), min_size=1, max_size=20),
    st.integers(1, 64),
    st.floats(1e-5, 0.02),
)
def test_never_over_by_more_than_one_answer(
    usage: list[tuple[int, int]], connections: int, limit: float
) -> None:
    """For all costs of answers, if the server respects the limit in the request."""
    server = Metered(usage)
    budget = spend(
        server, connections=connections, tasks=100, budget=limit, price_in=5.0, price_out=10.0, max_tokens=100
    )
    most = max(tokens_in * 5.0 + tokens_out * 10.0 for tokens_in, tokens_out in usage) / 1e6

    assert budget.spent < limit + most + 1e-12
    assert server.asked == 100 or budget.is_reached


def test_a_server_that_ignores_the_limit_surprises_each_lane_once() -> None:
    """After its first long answer all later requests hold back as much."""
    server = Metered([(10, 1000)])
    budget = spend(
        server, connections=4, tasks=1000, budget=0.05, price_in=0.0, price_out=10.0, max_tokens=500
    )

    assert budget.spent <= 0.05 + 0.01
