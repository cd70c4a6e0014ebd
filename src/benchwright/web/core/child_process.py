"""A child process that replies to requests, one at a time, each with a limit of time and size.

A request is a line of JSON. A reply is its size in bytes on a line, then as many bytes (`answer_requests`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence

import msgspec

MAX_REPLY = 64 << 20  # bytes
FAILURES = (OSError, EOFError, ValueError, msgspec.MsgspecError, asyncio.LimitOverrunError)


class ChildProcess:
    """A child process, started when it is needed, and ended after `idle_s` seconds without a request.

    If a request is cancelled or fails, the child is ended: what it would still write can never be taken for
    the reply to another request.
    """

    def __init__(
        self, command: Sequence[str], *, timeout_s: float, idle_s: float, max_reply: int = MAX_REPLY
    ) -> None:
        self.timeout_s = timeout_s
        self._command, self._max_reply, self._idle_s = command, max_reply, idle_s
        self._idle: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None

    async def reply(self, request: object) -> bytes:
        """The reply to a request.

        Raises TimeoutError, or one of FAILURES if the child ended or its reply is malformed.
        """
        async with self._turn:
            self._cancel_idle()
            try:
                async with asyncio.timeout(self.timeout_s):
                    reply = await self._exchange(msgspec.json.encode(request) + b"\n")
            except BaseException:  # also if it was cancelled: the reply is still to come
                await self.close()
                raise
            self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._end_idle)
            return reply

    @property
    def is_running(self) -> bool:
        """Whether there is a child to take the next request."""
        child = self._child
        if child is None or child.returncode is not None:
            return False
        return child.stdin is not None and not child.stdin.is_closing()

    def _end_idle(self) -> None:
        """Close the child's stdin, which ends it, unless a request has begun meanwhile.

        The next request or `close` waits for its end.
        """
        if not self._turn.locked() and self._child is not None and self._child.stdin is not None:
            self._child.stdin.close()

    def _cancel_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def _exchange(self, line: bytes) -> bytes:
        if not self.is_running:
            if self._child is not None:
                await self._child.wait()
            self._child = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C must not reach it while it imports; the end of stdin does
            )
        assert self._child is not None
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None and stdout is not None
        stdin.write(line)
        await stdin.drain()
        size = int(await stdout.readuntil())
        if size > self._max_reply:
            raise ValueError(f"a reply of {size:,} bytes")
        return await stdout.readexactly(size)

    async def close(self) -> None:
        """End the child. A second call does nothing."""
        self._cancel_idle()
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()


def answer_requests(answer: Callable[[bytes], bytes], *, niceness: int) -> None:
    """Reply to requests until stdin ends: the main loop of a child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, whose end closes stdin
    os.nice(niceness)
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)  # output of a library must not mix with replies
        for line in sys.stdin.buffer:
            data = answer(line)
            replies.write(b"%d\n" % len(data) + data)
            replies.flush()
