"""Limits of one worker while it reads a text or checks values, and a page that reports its phase to the
runner.

Three bounds, from soft to hard. Memory: a soft RLIMIT_DATA, so that a growing value raises MemoryError. A
clock in Python, which raises an exception between two steps. A clock of the kernel, whose signal ends the
process: for a single call into C that never returns, such as sum(range(10 ** 13)). Nothing of them remains
after the block, so the launchers that a worker starts inherit none. The page is shared memory: the runner
reads it after a death.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import time
from contextlib import AbstractContextManager
from enum import IntEnum
from mmap import PAGESIZE, mmap
from struct import Struct
from types import FrameType

from benchwright.sandbox import untrusted
from benchwright.sandbox.untrusted import BOUNDS

# MiB of private writable memory. The largest value that is read takes 150 (`codec`), so checks do with less.
READ_MEMORY_MB = 512
CHECK_MEMORY_MB = 256  # with the interpreter's own files less than 300 MB resident
HARDER = 1.25  # limit of the kernel's clock, as a multiple of that of Python's
SWOLLEN_MB = 192  # resident after a job; normal are about 30
SWELLING_S = 0.01  # processor time between two checks: too short to fill that much memory
END_BY_CLOCK = signal.SIGPROF  # of ITIMER_PROF, which counts user and system time; nothing else sends it
_PAGE = os.sysconf("SC_PAGE_SIZE")


class WorkerLimits:
    """The limits of one worker. They apply to its whole process.

    `read_cpu_s` and `check_cpu_s` limit the processor time of reading a text and of checking values.
    """

    def __init__(self, page: PhasePage, *, read_cpu_s: float, check_cpu_s: float) -> None:
        signal.signal(END_BY_CLOCK, signal.SIG_DFL)
        signal.signal(signal.SIGVTALRM, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {END_BY_CLOCK, signal.SIGVTALRM})
        self._page, self._number = page, 0
        self._clock: untrusted.ProcessorClock | None = None
        self._before = resource.getrlimit(resource.RLIMIT_DATA)
        self._looked = 0.0  # processor time of the last check of the memory
        self._reading = _LimitedPhase(self, Phase.reading, read_cpu_s, READ_MEMORY_MB)
        self._checking = _LimitedPhase(self, Phase.checking, check_cpu_s, CHECK_MEMORY_MB)

    def begin(self, number: int) -> None:
        """Report to the runner that a job is in progress."""
        self._number = number
        self._page.write(Phase.executing, number)

    def end(self) -> None:
        """Report to the runner that the job has ended."""
        self._page.write(Phase.idle)

    def reading(self) -> AbstractContextManager[untrusted.ProcessorClock]:
        """Limit the reading of an answer's text. Raises CpuTimeExceeded and MemoryError."""
        return self._reading

    def checking(self) -> AbstractContextManager[untrusted.ProcessorClock]:
        """Limit the checking of an answer's values. Raises CpuTimeExceeded and MemoryError."""
        return self._checking

    def bind(self, phase: Phase, cpu_s: float, memory_mb: int) -> untrusted.ProcessorClock:
        """Set all limits for a phase."""
        self._page.write(phase, self._number)
        clock = self._clock = untrusted.ProcessorClock(cpu_s)
        within = (_least(memory_mb << 20, *self._before), self._before[1])
        resource.setrlimit(resource.RLIMIT_DATA, within)
        BOUNDS.depth += 1
        signal.setitimer(signal.ITIMER_PROF, HARDER * cpu_s)
        signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s, untrusted.AGAIN_S)
        return clock

    def release(self) -> None:
        """Remove all limits."""
        BOUNDS.depth -= 1
        self._clock = None
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, self._before)
        self._page.write(Phase.executing, self._number)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._clock is None:
            return
        if frame is not None and frame.f_code in _LIFTING:
            self._clock.expired = True  # an exception there would leave the bounds in force
        else:
            self._clock.stop(number, frame)

    def is_swollen(self) -> bool:
        """Whether memory of earlier jobs was not released: the process should then be replaced."""
        now = time.process_time()
        if now - self._looked < SWELLING_S:
            return False
        self._looked = now
        if _resident_mb() <= SWOLLEN_MB:
            return False
        gc.collect()
        return _resident_mb() > SWOLLEN_MB

    def leave(self) -> None:
        """Report to the runner that the process exits on purpose."""
        self._page.write(Phase.leaving)


class _LimitedPhase:
    """A limited phase, entered repeatedly. It is a class because a generator costs twice as much."""

    __slots__ = ("_cpu_s", "_guard", "_memory_mb", "_phase")

    def __init__(self, guard: WorkerLimits, phase: Phase, cpu_s: float, memory_mb: int) -> None:
        self._guard, self._phase, self._cpu_s, self._memory_mb = guard, phase, cpu_s, memory_mb

    def __enter__(self) -> untrusted.ProcessorClock:
        return self._guard.bind(self._phase, self._cpu_s, self._memory_mb)

    def __exit__(self, *exc: object) -> None:
        self._guard.release()


# Where the clock may strike once the block has ended.
_LIFTING = frozenset({_LimitedPhase.__exit__.__code__, WorkerLimits.release.__code__})


def _resident_mb() -> int:
    """Return resident memory: the second field of /proc/self/statm (proc(5)) counts pages."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE >> 20


def _least(*limits: int) -> int:
    return min(limit for limit in limits if limit != resource.RLIM_INFINITY)


_WORD = Struct("<q")
_BITS = 3  # of the phase, below the job's number


class Phase(IntEnum):
    """The phase of a job in a worker."""

    idle = 0
    executing = 1  # starting, running or ending an execution in the sandbox
    reading = 2  # extracting the program from an answer's text
    checking = 3  # comparing the answer's values
    leaving = 4  # ending by itself, without a job as the cause

    @property
    def is_the_answers(self) -> bool:
        """Whether the worker processes text or values of the answer, and nothing else."""
        return self in (Phase.reading, Phase.checking)


class PhasePage:
    """The shared word. One side makes it with `create` and passes `fd`; the other opens it."""

    def __init__(self, fd: int) -> None:
        self._memory = mmap(fd, PAGESIZE)

    @classmethod
    def create(cls) -> tuple[PhasePage, int]:
        """Return a new page in phase "idle", and the descriptor of its memory, which the caller closes."""
        fd = os.memfd_create("phase", os.MFD_CLOEXEC)
        os.ftruncate(fd, PAGESIZE)
        return cls(fd), fd

    def write(self, phase: Phase, number: int = 0) -> None:
        """Set the phase and the number of the job."""
        _WORD.pack_into(self._memory, 0, number << _BITS | phase)

    def read(self) -> tuple[Phase, int]:
        """Return the last phase and job."""
        (word,) = _WORD.unpack_from(self._memory)
        return Phase(word & (1 << _BITS) - 1), word >> _BITS

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()
