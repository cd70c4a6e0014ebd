"""Lanes take prompts as they become free, and all of them end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asking_kit import FakeClock, Scripted, good, prompts

from benchwright.contracts import Asking
from benchwright.errors import RunError
from benchwright.models.openai.budget import Budget
from benchwright.models.openai.crew import Crew, Told
from benchwright.models.openai.endpoint import find_endpoint
from benchwright.records import Answer


def work(crew: Crew) -> list[Answer | Told]:
    """Run a crew to its end, which must come soon."""
    put: list[Answer | Told] = []

    async def scene() -> None:
        async with asyncio.timeout(10):
            await crew.run(put.append)

    asyncio.run(scene())
    return put


def crew_of(open_lane: Callable[[], Any], **settings: Any) -> Crew:
    """Two lanes."""
    asking = Asking(base_url="http://h/v1", concurrency=2, **settings)
    endpoint = find_endpoint("http://h/v1", api="chat", environment={})
    return Crew("m", asking, endpoint, budget=Budget(asking), clock=FakeClock(), open_lane=open_lane)


def test_a_lane_without_a_prompt_opens_no_connection() -> None:
    """With a thousand lanes and ten prompts, ten connections."""
    opened: list[Scripted] = []

    def open_lane() -> Scripted:
        opened.append(Scripted(good()))
        return opened[-1]

    crew = crew_of(open_lane)
    crew.give(prompts(tasks=1), last=True)
    put = work(crew)

    assert ([thing.text for thing in put if isinstance(thing, Answer)], len(opened)) == (["code"], 1)


def test_lanes_that_wait_end_when_there_is_no_money() -> None:
    """One lane finds the budget used up while the other waits for a prompt that will not come."""
    crew = crew_of(lambda: Scripted(good()), budget=0.0, price_in=1.0, price_out=1.0)
    crew.give(prompts(tasks=1), last=False)

    with pytest.raises(RunError, match="the budget of 0 is used up"):
        work(crew)


def test_an_error_in_a_lane_is_not_hidden_in_a_group() -> None:
    """What cannot be opened says why, by itself."""

    def open_lane() -> Scripted:
        raise OSError("too many open files")

    crew = crew_of(open_lane)
    crew.give(prompts(tasks=2), last=True)

    with pytest.raises(OSError, match="too many open files"):
        work(crew)
