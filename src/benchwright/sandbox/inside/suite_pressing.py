"""Provokes races in a suite: starts threads late, prolongs sleeps, pauses threads between lines.

A started thread usually finishes before the next one begins, so most races never occur. Under load it may
begin a millisecond later and be interrupted anywhere; this module simulates that at random from a seed. The
interpreter's switch interval is not enough, because a waiting thread first needs a core. Only threads are
paused, only in files of the suite, and a limited number of times.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from types import FrameType
from typing import Any

from .suite_import import HOME

LATEST_S = 0.002  # the longest delay of a thread's start
LONGEST_S = 0.0003  # the longest pause
OVERSLEPT_S = 0.006  # the longest extension of a sleep
MOST_PAUSES = 60  # per thread
_WIDER = 1.3  # growth of the lines between two pauses: short functions are paused, long loops are not slowed


def press(switch_s: float, seed: int) -> None:
    """Start to provoke races. `switch_s`: switch interval in seconds; `seed`: of the random delays."""
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
    """Prolong sleeps: the standard guarantees only their minimum."""
    pause = time.sleep

    def sleep(seconds: Any) -> None:
        pause(seconds)
        pause(draw.uniform(0.0, OVERSLEPT_S))

    time.sleep = sleep


class ThreadPauses:
    """Trace functions that pause one thread before some of its lines."""

    def __init__(self, seed: float, pause: Any) -> None:
        self._draw, self._pause = random.Random(seed), pause
        self._pauses_left, self._gap, self._lines = MOST_PAUSES, 2.0, 1

    def enter(self, frame: FrameType, event: str, _: Any) -> Any:
        """Trace the lines of frames in files of the suite."""
        return self.line if frame.f_code.co_filename.startswith(HOME) else None

    def line(self, frame: FrameType, event: str, _: Any) -> Any:
        """Pause before some lines; tracing ends after the last pause."""
        if event == "line":
            self._lines -= 1
            if self._lines <= 0:
                self._put_aside()
        return self.line if self._pauses_left else None

    def _put_aside(self) -> None:
        self._pause(self._draw.uniform(0.0, LONGEST_S))
        self._gap *= _WIDER
        self._lines = self._draw.randint(1, int(self._gap))
        self._pauses_left -= 1
        if not self._pauses_left:
            sys.settrace(None)
