"""Untrusted bytes: a type for what an answer has chosen, and bounds on time and memory while it is read."""

from __future__ import annotations

import hashlib
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType


class UnguardedRead(RuntimeError):
    """Untrusted bytes were read without bounds on time and memory: a bug in this package."""


class ActiveBounds:
    """Number of active bounds in this process; code that sets bounds increments `depth` meanwhile."""

    depth = 0


BOUNDS = ActiveBounds()


class UntrustedBytes:
    """Bytes chosen by an answer.

    >>> UntrustedBytes(b"N") == b"N"
    True
    """

    __slots__ = ("_content",)

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __len__(self) -> int:
        return len(self._content)

    def __eq__(self, other: object) -> bool:
        return self._content == (other._content if isinstance(other, UntrustedBytes) else other)

    def __hash__(self) -> int:
        return hash(self._content)

    def __repr__(self) -> str:
        return f"Untrusted({len(self._content)} bytes)"

    def startswith(self, beginnings: tuple[bytes, ...]) -> bool:
        """Return whether the bytes begin with one of `beginnings`."""
        return self._content.startswith(beginnings)

    def digest(self) -> bytes:
        """Return the SHA-256 of the bytes."""
        return hashlib.sha256(self._content).digest()

    def reveal(self) -> bytes:
        """Return the bytes. Raises Unguarded without active bounds."""
        if not BOUNDS.depth:
            raise UnguardedRead("untrusted bytes read without bounds on time and memory")
        return self._content


READ_CPU_S = 8.0  # for extracting a program; the most expensive known text takes a tenth of it
CHECK_CPU_S = 7.0  # for a check of an answer's values
AGAIN_S = 1.0  # interval of the signal: the code may have caught the first exception


class CpuTimeExceeded(BaseException):
    """The CPU time is exceeded. Not an Exception, so that `except Exception` does not catch it."""


class ProcessorClock:
    """A limit; `expired` is True once it is exceeded, even if the code caught the exception."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.expired = seconds, False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        self.expired = True
        raise CpuTimeExceeded


OpenClock = Callable[[], AbstractContextManager[ProcessorClock]]


@contextmanager
def processor_limit(seconds: float | None = None) -> Iterator[ProcessorClock]:
    """Raise CpuTimeExceeded in the block after `seconds` of CPU time of this process (default: CHECK_CPU_S).

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
def default_limit() -> Iterator[None]:
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
