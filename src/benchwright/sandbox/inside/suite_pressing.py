"""Threads of a suite scheduled in unusual ways: late starts, long sleeps, pauses between lines.

A thread that is started runs at once and is often done before the next one begins, so most races never
happen. Under load it may as well begin a millisecond later, and be put aside anywhere: that is what is done
here, by a draw. The interpreter's own switch interval does not reach that far: the thread that waits must be
given a core first. Only threads are paused, in the suite's own files, so often at most.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from types import FrameType
from typing import Any

from .suite_import import HOME

LATEST_S = 0.002  # after which a thread that was started begins at the latest
LONGEST_S = 0.0003  # of one pause
OVERSLEPT_S = 0.006  # by which a sleep lasts longer at most
MOST_PAUSES = 60  # of one thread
_WIDER = (
    1.3  # by which factor the lines between two pauses grow: a short function is met, a long loop not held
)


def press(switch_s: float, seed: int) -> None:
    """From now on. `switch_s`: after which time a thread hands on; `seed`: of when threads pause."""
    sys.setswitchinterval(switch_s)
    _hold_up_threads(random.Random(seed))
    _oversleep(random.Random(seed + 1))


def _hold_up_threads(draw: random.Random) -> None:
    begin, pause = threading.Thread.start, time.sleep

    def start(thread: threading.Thread) -> None:
        body, late_s, pauses = thread.run, draw.uniform(0.0, LATEST_S), ThreadPauses(draw.random(), pause)

        def run() -> None:
            vars(thread).pop("run", None)
            pause(late_s)
            sys.settrace(pauses.enter)
            try:
                body()
            finally:
                sys.settrace(None)

        vars(thread)["run"] = run
        try:
            begin(thread)
        except BaseException:
            vars(thread).pop("run", None)
            raise

    threads: Any = threading.Thread
    threads.start = start


def _oversleep(draw: random.Random) -> None:
    """A sleep lasts at least as long as it is told to, and nobody says how much longer."""
    pause = time.sleep

    def sleep(seconds: Any) -> None:
        pause(seconds)
        pause(draw.uniform(0.0, OVERSLEPT_S))

    time.sleep = sleep


class ThreadPauses:
    """Trace functions of one thread, which put it aside for a moment before some of its lines."""

    def __init__(self, seed: float, pause: Any) -> None:
        self._draw, self._pause = random.Random(seed), pause
        self._left, self._gap, self._lines = MOST_PAUSES, 2.0, 1

    def enter(self, frame: FrameType, event: str, _: Any) -> Any:
        """Of a frame: whether its lines are of the suite."""
        return self.line if frame.f_code.co_filename.startswith(HOME) else None

    def line(self, frame: FrameType, event: str, _: Any) -> Any:
        """Before a line; in the end nothing is traced any more."""
        if event == "line":
            self._lines -= 1
            if self._lines <= 0:
                self._put_aside()
        return self.line if self._left else None

    def _put_aside(self) -> None:
        self._pause(self._draw.uniform(0.0, LONGEST_S))
        self._gap *= _WIDER
        self._lines = self._draw.randint(1, int(self._gap))
        self._left -= 1
        if not self._left:
            sys.settrace(None)
