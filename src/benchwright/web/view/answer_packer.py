"""The parent of `packing_process`: one child, one request at a time, each with a limit of time and size."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence

import msgspec

from benchwright.web.core.policy import Refusal
from benchwright.web.view.packing_process import PackReply, PackRequest

TIMEOUT_S = 30.0  # for one task, with the reading of its data set
MOST_WAITING = 16  # requests
MAX_REPLY = 64 << 20  # bytes
COMMAND = (sys.executable, "-m", "benchwright.web.view.packing_process")


class AnswerPacker:
    """Packs the answers to a task in a child process, which is started when it is needed.

    If a request is cancelled or fails, the child is ended: what it would still write can never be taken for
    the reply to another request.
    """

    def __init__(self, *, command: Sequence[str] = COMMAND, timeout_s: float = TIMEOUT_S) -> None:
        self._command, self._timeout_s = command, timeout_s
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._child: asyncio.subprocess.Process | None = None

    async def pack(self, request: PackRequest) -> PackReply:
        """The reply. Raises Refusal if there is none in time, or if too many wait for one."""
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, "Too many requests", "Try again in a moment.")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._reply(request)
        finally:
            self._waiting -= 1

    async def _reply(self, request: PackRequest) -> PackReply:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._exchange(msgspec.json.encode(request) + b"\n")
        except TimeoutError:
            await self.close()
            raise Refusal(504, f"The answers could not be read in {self._timeout_s:g} seconds") from None
        except (OSError, EOFError, ValueError, msgspec.MsgspecError, asyncio.LimitOverrunError) as error:
            await self.close()
            why = "The process that reads them ended. The log of the server may say why."
            raise Refusal(502, "The answers could not be read", why) from error
        except BaseException:  # cancelled: the reply is still to come
            await self.close()
            raise

    async def _exchange(self, line: bytes) -> PackReply:
        if self._child is None or self._child.returncode is not None:
            self._child = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin is not None and stdout is not None
        stdin.write(line)
        await stdin.drain()
        size = int(await stdout.readuntil())
        if size > MAX_REPLY:
            raise ValueError(f"a reply of {size:,} bytes")
        return msgspec.json.decode(await stdout.readexactly(size), type=PackReply)

    async def close(self) -> None:
        """End the child. A second call does nothing."""
        child, self._child = self._child, None
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
