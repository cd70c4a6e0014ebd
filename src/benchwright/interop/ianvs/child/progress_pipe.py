"""Reports of a case's process: progress, remarks and the reason of a failure."""

from __future__ import annotations

import json
import os
import time
from mmap import mmap
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.errors import BenchwrightError

PAGE = 4096
_PAUSE_S = 0.05


class ProgressPipe:
    """Reports progress to the parent process: JSON lines on a pipe, at most a few per second.

    The current stage is in a page of shared memory: a process that hangs or is killed sends nothing, and a
    message per item would cost more than many models.
    """

    def __init__(self, pipe: int, page: mmap) -> None:
        self._pipe, self._page = pipe, page
        self._last = 0.0
        self.stage = ""
        self.hint = ""  # the hint if the example's code fails at this stage
        self.remarks: list[str] = []
        self.at("its start")

    def at(self, stage: str, items: int = 0) -> None:
        """Set the current stage and the number of predictions."""
        self.stage = stage
        write_stage(self._page, stage)
        if (now := time.monotonic()) - self._last > _PAUSE_S:
            self._last = now
            self._say({"stage": stage, "items": items})

    def remark(self, text: str) -> None:
        """Add a remark to the result."""
        self.remarks.append(text)

    def end(self, outcome: dict[str, Any]) -> None:
        """The last word."""
        self._say({**outcome, "remarks": self.remarks})

    def _say(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self._pipe, data) :]


def write_stage(page: mmap, stage: str) -> None:
    """Put a text into the page, its length before it."""
    data = stage.encode("utf-8", "replace")[: len(page) - 2]
    page[: len(data) + 2] = len(data).to_bytes(2, "little") + data


def read_stage(page: mmap) -> str:
    """The text in the page; "its start" where nothing was written."""
    size = int.from_bytes(page[:2], "little")
    return page[2 : 2 + size].decode("utf-8", "replace") or "its start"


def failure_message(error: BaseException, stage: str, hint: str = "") -> dict[str, Any]:
    """Describe a failed case: stage, error, and the line in the example's code."""
    if isinstance(error, BenchwrightError):
        return {"failed": {"stage": stage, "message": error.message, "hint": error.hint or "", "place": ""}}
    message = f"{type(error).__name__}: {escaped_name(str(error), 300)}"
    return {"failed": {"stage": stage, "message": message, "hint": hint, "place": _place_of(error)}}


def _place_of(error: BaseException) -> str:
    """The innermost line of the example's own code, else the innermost of all."""
    from traceback import extract_tb  # noqa: PLC0415 (only where something failed)

    if isinstance(error, SyntaxError) and error.filename:
        return f"{escaped_name(error.filename, 300)}:{error.lineno}"
    frames = extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if not _is_installed(frame.filename)]
    return "".join(
        f"{escaped_name(each.filename, 300)}:{each.lineno}" for each in (own_frames or frames)[-1:]
    )


def _is_installed(file: str) -> bool:
    """Whether a file belongs to Benchwright, to Python or to a library; `<string>` is not a file."""
    from sysconfig import get_paths  # noqa: PLC0415 (only where something failed)

    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
    paths = get_paths()
    folders = (own, paths["stdlib"], paths["platstdlib"])
    return (
        file.startswith(("<", *(f"{folder}{os.sep}" for folder in folders)))
        or f"{os.sep}site-packages{os.sep}" in file
        or f"{os.sep}dist-packages{os.sep}" in file
    )
