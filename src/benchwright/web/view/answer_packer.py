"""Packs the answers to a task in a child process, `packing_process`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from benchwright.web.core.child_process import FAILURES, ChildProcess
from benchwright.web.core.policy import Refusal
from benchwright.web.view.packing_process import PackReply, PackRequest

TIMEOUT_S = 30.0  # for one task, with the reading of its data set
IDLE_S = 60.0  # after which the child is ended, with the data sets that it has read
MOST_WAITING = 16  # requests
COMMAND = (sys.executable, "-m", "benchwright.web.view.packing_process")


class AnswerPacker:
    """Packs the answers to a task in a child process, which is started when it is needed."""

    def __init__(self, *, command: Sequence[str] = COMMAND, timeout_s: float = TIMEOUT_S) -> None:
        self._child = ChildProcess(command, timeout_s=timeout_s, idle_s=IDLE_S)
        self._waiting = 0

    async def pack(self, request: PackRequest) -> PackReply:
        """The reply. Raises Refusal if there is none in time, or if too many wait for one."""
        if self._waiting >= MOST_WAITING:
            raise Refusal(503, "Too many requests", "Try again in a moment.")
        self._waiting += 1
        try:
            return msgspec.json.decode(await self._child.reply(request), type=PackReply)
        except TimeoutError:
            seconds = f"{self._child.timeout_s:g}"
            raise Refusal(504, f"The answers could not be read in {seconds} seconds") from None
        except FAILURES as error:
            why = "The process that reads them ended. The log of the server may say why."
            raise Refusal(502, "The answers could not be read", why) from error
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End the child. A second call does nothing."""
        await self._child.close()
