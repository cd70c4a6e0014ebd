"""How long a judge may work on what a model wrote: a clock of processor time that ends Python code."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from benchwright.sandbox.untrusted import BOUNDS

READ_CPU_S = 8.0  # for taking a program from a text: the dearest text known takes a tenth of it
CHECK_CPU_S = 7.0  # for a check on an answer's own values
AGAIN_S = 1.0  # between two ends: what is bounded may have caught the first one


class TimeUsedUp(BaseException):
    """The processor time is used up. Not an Exception, so that `except Exception` does not hold it up."""


class ProcessorClock:
    """`expired` is True from the moment the time was used up, also where the code caught that and went on."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.expired = seconds, False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """What its signal does."""
        self.expired = True
        raise TimeUsedUp


Bound = Callable[[], AbstractContextManager[ProcessorClock]]


@contextmanager
def processor_limit(seconds: float | None = None) -> Iterator[ProcessorClock]:
    """Raise TimeUsedUp in the block after so many seconds (default: CHECK_CPU_S) of its own processor time.

    Only between two steps of Python: a single call into C is not interrupted, so whoever needs more bounds
    the process as well. Only the main thread can have it; others go without.
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
    """The bounds that are in force, or where there are none those of `processor_limit`."""
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
        finally:  # again, if it went off in the line above: it cannot do so twice within a second
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
