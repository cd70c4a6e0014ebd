"""Imported by every Python process whose path names this folder: notes each call from one file of a package
to another, as a line `CALLER CALLEE` in a file of the process's own. What imports call is left out."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

PACKAGE, NOTES = os.environ.get("TRACED_PACKAGE", ""), os.environ.get("TRACED_NOTES", "")


class Notes:
    """The calls of this process."""

    def __init__(self, package: str, target: int) -> None:
        self._package, self._target = f"{package}{os.sep}", target
        self._names: dict[CodeType, str] = {}
        self._importing = threading.local()

    def start(self) -> None:
        """Note the calls of this thread and of those that it starts."""
        threading.setprofile(self.note)
        sys.setprofile(self.note)

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """A profile function."""
        depth = getattr(self._importing, "depth", 0)
        if _is_import(frame):
            step = {"call": 1, "return": -1}.get(event, 0)
            self._importing.depth = max(0, depth + step)  # this file's own import has begun before
        elif event == "call" and not depth and (callee := self._name(frame.f_code)):
            caller = self._caller(frame)
            if caller != callee:
                self._write(f"{caller or '-'} {callee}\n".encode())

    def _caller(self, frame: FrameType) -> str:
        """The nearest file of the package up the stack."""
        above = frame.f_back
        while above is not None and not self._name(above.f_code):
            above = above.f_back
        return "" if above is None else self._name(above.f_code)

    def _name(self, code: CodeType) -> str:
        if code not in self._names:
            path = code.co_filename
            self._names[code] = path[len(self._package) :] if path.startswith(self._package) else ""
        return self._names[code]

    def _write(self, line: bytes) -> None:
        try:
            os.write(self._target, line)
        except OSError:  # the process has closed what it did not open
            sys.setprofile(None)


def _is_import(frame: FrameType) -> bool:
    """Whether the frame is a file's own, run by an `import`; the main file's is not."""
    above = frame.f_back
    by_import = above is not None and above.f_code.co_filename.startswith("<frozen importlib")
    return by_import and frame.f_code.co_name == "<module>"


if PACKAGE and NOTES:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    Notes(PACKAGE, os.open(Path(NOTES) / str(os.getpid()), flags, 0o600)).start()
