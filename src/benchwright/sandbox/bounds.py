"""Limits on the CPU time that a judge spends on model-written data."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from benchwright.sandbox.untrusted import BOUNDS

READ_CPU_S = 8.0  # for extracting a program; the most expensive known text takes a tenth of it
CHECK_CPU_S = 7.0  # for a check of an answer's values
AGAIN_S = 1.0  # interval of the signal: the code may have caught the first exception


class TimeUsedUp(BaseException):
    """The CPU time is exceeded. Not an Exception, so that `except Exception` does not catch it."""


class ProcessorClock:
    """A limit; `expired` is True once it is exceeded, even if the code caught the exception."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.expired = seconds, False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        self.expired = True
        raise TimeUsedUp


Bound = Callable[[], AbstractContextManager[ProcessorClock]]


@contextmanager
def processor_limit(seconds: float | None = None) -> Iterator[ProcessorClock]:
    """Raise TimeUsedUp in the block after `seconds` of CPU time of this process (default: CHECK_CPU_S).

    Works between steps of Python only: a call into C is not interrupted, which requires a limit on the
    process. Only the main thread is limited.
    """
    clock = ProcessorClock(CHECK_CPU_S if seconds is None else seconds)
    BOUNDS.depth += 1
    try:
        if threading.current_thread() is threading.main_thread():
            yield from _timed(clock)
        else:
            yield clock
    finally:
        BOUNDS.depth -= 1


@contextmanager
def some_limit() -> Iterator[None]:
    """Use the active bounds, or those of `processor_limit` if there are none."""
    if BOUNDS.depth:
        yield
        return
    with processor_limit():
        yield


def _timed(clock: ProcessorClock) -> Iterator[ProcessorClock]:
    before = signal.signal(signal.SIGVTALRM, clock.stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, clock.seconds, AGAIN_S)
        yield clock
    finally:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        finally:  # again, in case the signal came in the line above; it cannot come twice within a second
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
