"""A child process of a server: it answers requests, and ends after some time without any."""

from __future__ import annotations

import asyncio
import os
import sys

from benchwright.web.core.child_process import ChildProcess

_PROGRAM = """
from benchwright.web.core.child_process import answer_requests
answer_requests(lambda line: line.upper(), niceness=0)
"""


def test_an_idle_child_ends_and_starts_again() -> None:
    """Between two requests the child ends; a new one answers the second."""

    async def ask() -> list[bytes]:
        child = ChildProcess([sys.executable, "-c", _PROGRAM], timeout_s=60, idle_s=0)
        first = await child.reply("one")
        process = child._child
        while child.is_running:
            await asyncio.sleep(0)
        second = await child.reply("two")
        assert (process is not None and process.returncode, process is child._child) == (0, False)
        await child.close()
        return [first, second]

    assert asyncio.run(ask()) == [b'"ONE"\n', b'"TWO"\n']


def test_requests_keep_a_child() -> None:
    """A request before the time limit finds the same child; a second end does nothing."""

    async def ask() -> bool:
        child = ChildProcess([sys.executable, "-c", _PROGRAM], timeout_s=60, idle_s=3600)
        await asyncio.gather(*(child.reply(str(number)) for number in range(3)))
        process = child._child
        await child.reply("again")
        is_same = process is child._child
        assert process is not None
        assert os.getsid(process.pid) == process.pid  # so Ctrl-C in a terminal does not reach it
        await child.close()
        await child.close()
        return is_same and not child.is_running

    assert asyncio.run(ask())
