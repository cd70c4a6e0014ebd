"""Records the executed lines of one file: a claim that helps selection and never decides a verdict."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

LINES = 2000  # in one message


class ExecutedLines:
    """The lines of one file that are executed after `begin`, also by threads that start later."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: set[int] = set()

    def begin(self) -> None:
        """Start to record."""
        monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
        if monitoring is None:
            threading.settrace(self._called)
            sys.settrace(self._called)
            return
        monitoring.use_tool_id(monitoring.COVERAGE_ID, __name__)
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, self._on_line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)

    def messages(self) -> Iterator[str]:
        """Yield the line numbers, separated by spaces, at most LINES per message."""
        seen = sorted(self._seen)
        for at in range(0, len(seen), LINES):
            yield " ".join(map(str, seen[at : at + LINES]))

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename == self._path else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._seen.add(frame.f_lineno)
        return self._line

    def _on_line(self, code: CodeType, line: int) -> Any:
        if code.co_filename == self._path:
            self._seen.add(line)
        return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore]
