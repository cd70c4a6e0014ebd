"""A coroutine in a thread beside the caller, and no thread left behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from benchwright.models.http.request_pool import BackgroundLoop
from kit.processes import HANG_S


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Any:
    """Holds for each test of this file."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


async def forever(put: Callable[[int], None]) -> None:
    """Puts 1 and never ends by itself."""
    put(1)
    await asyncio.get_running_loop().create_future()


async def failing(put: Callable[[int], None]) -> None:
    """Puts 1 and raises."""
    put(1)
    raise KeyError("why")


async def three(put: Callable[[int], None]) -> None:
    """Puts three numbers, with turns of the loop between them."""
    for number in (1, 2, 3):
        put(number)
        await asyncio.sleep(0)


def test_things_come_in_order_and_then_the_end() -> None:
    """None again and again after the last one."""
    with BackgroundLoop[int](three) as background:
        actual = [background.take() for _ in range(5)]

    assert actual == [1, 2, 3, None, None]


def test_what_was_put_comes_before_the_error() -> None:
    """An answer that was paid for is not lost because the next one failed."""
    with BackgroundLoop[int](failing) as background:
        first = background.take()
        with pytest.raises(KeyError, match="why"):
            background.take()

    assert first == 1


def test_leaving_ends_the_work() -> None:
    """However far it is; its end is not an error."""
    with BackgroundLoop[int](forever) as background:
        first = background.take()
    later = background.take()

    assert (first, later) == (1, None)


def test_an_error_of_the_caller_ends_the_work_too() -> None:
    """And is the one that is seen."""
    with pytest.raises(ValueError) as caught, BackgroundLoop[int](forever) as background:
        background.take()
        raise ValueError("mine")

    assert caught.value.args == ("mine",)


def test_calls_after_the_end_do_nothing() -> None:
    """The caller cannot know that the work has ended in this moment."""
    called: list[int] = []
    with BackgroundLoop[int](three) as background:
        while background.take() is not None:
            pass
        background.call(lambda: called.append(1))
    background.close()

    assert called == []


def test_a_call_runs_in_the_thread_of_the_work() -> None:
    """Where the loop's objects may be touched."""
    seen: list[str] = []

    async def work(put: Callable[[int], None]) -> None:
        await asyncio.get_running_loop().create_future()

    with BackgroundLoop[int](work) as background:
        done = threading.Event()
        background.call(lambda: (seen.append(threading.current_thread().name), done.set()))
        assert done.wait(HANG_S)

    assert seen == ["asking"]


def test_it_works_beside_a_running_loop() -> None:
    """As in a notebook, whose cells run inside one."""

    async def cell() -> list[int | None]:
        with BackgroundLoop[int](three) as background:
            return [background.take(), background.take()]

    assert asyncio.run(cell()) == [1, 2]


def test_what_was_not_taken_can_be_had_after_the_end() -> None:
    """With the thing that was taken last: whoever took it may have been interrupted before using it."""

    async def work(put: Callable[[int], None]) -> None:
        for number in (1, 2, 3):
            put(number)

    with BackgroundLoop[int](work) as background:
        taken = [background.take(), background.take()]

    assert (taken, background.rest()) == ([1, 2], [2, 3])
