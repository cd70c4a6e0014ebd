"""What a worker may take while it reads a text or checks values, and a sign to the runner of which it does.

Three bounds, from the mild to the hard. Memory: a soft RLIMIT_DATA, so that a value that swells is a
MemoryError. A clock in Python, which is an exception between two of its steps. A clock of the kernel, whose
signal ends the process: for a single call into C that never returns, such as sum(range(10 ** 13)).
Nothing is left of them when the block ends, so the launchers that a worker starts inherit none.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from benchwright.executing.phase import Phase, PhasePage
from benchwright.judges import bounds

MEMORY_MB = 512  # of private writable memory; with the interpreter's own files some 550 MB resident
HARDER = 1.25  # how much longer the kernel's clock is than Python's
SWOLLEN_MB = 192  # resident after a job: a worker has some 30
SWELLING_S = 0.01  # of processor time, in which nobody can fill as much
END_BY_CLOCK = signal.SIGPROF  # of ITIMER_PROF, which counts user and system time; nothing else sends it
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Guard:
    """The bounds of one worker, which is the whole process: limits hold for all of it.

    `read_cpu_s` and `check_cpu_s` are the clocks of the two things that are bounded.
    """

    def __init__(self, page: PhasePage, *, read_cpu_s: float, check_cpu_s: float) -> None:
        signal.signal(END_BY_CLOCK, signal.SIG_DFL)
        signal.signal(signal.SIGVTALRM, self._stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {END_BY_CLOCK, signal.SIGVTALRM})
        self._page, self._number = page, 0
        self._read_cpu_s, self._check_cpu_s = read_cpu_s, check_cpu_s
        self._clock: bounds.ProcessorClock | None = None
        self._before = resource.getrlimit(resource.RLIMIT_DATA)
        self._within = (_least(MEMORY_MB << 20, *self._before), self._before[1])
        self._began = 0.0  # the job, in processor time

    @contextmanager
    def job(self, number: int) -> Iterator[None]:
        """A job is at work: the runner is told so."""
        self._number, self._began = number, time.process_time()
        self._page.write(Phase.executing, number)
        yield
        self._page.write(Phase.idle)

    def reading(self) -> AbstractContextManager[bounds.ProcessorClock]:
        """While an answer's text is read. TimeUsedUp and MemoryError are its outcomes."""
        return self._bounded(Phase.reading, self._read_cpu_s)

    def checking(self) -> AbstractContextManager[bounds.ProcessorClock]:
        """While an answer's values are checked. TimeUsedUp and MemoryError are its outcomes."""
        return self._bounded(Phase.checking, self._check_cpu_s)

    @contextmanager
    def _bounded(self, phase: Phase, cpu_s: float) -> Iterator[bounds.ProcessorClock]:
        self._page.write(phase, self._number)
        clock = self._clock = bounds.ProcessorClock(cpu_s)
        resource.setrlimit(resource.RLIMIT_DATA, self._within)
        signal.setitimer(signal.ITIMER_PROF, HARDER * cpu_s)
        signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s, bounds.AGAIN_S)
        try:
            yield clock
        finally:
            try:
                self._clock = None
            finally:  # also if the clock struck in the line above: it does so once a second at most
                self._release()

    def _release(self) -> None:
        self._clock = None
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, self._before)
        self._page.write(Phase.executing, self._number)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._clock is not None:
            self._clock.stop(number, frame)

    def is_swollen(self) -> bool:
        """Whether the last job's memory has stayed: the process then does best to end and be replaced."""
        if time.process_time() - self._began < SWELLING_S or _resident_mb() <= SWOLLEN_MB:
            return False
        gc.collect()
        return _resident_mb() > SWOLLEN_MB

    def leave(self) -> None:
        """Tell the runner that the process ends of itself."""
        self._page.write(Phase.leaving)


def _resident_mb() -> int:
    """The second field of /proc/self/statm (proc(5)): resident pages."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE >> 20


def _least(*limits: int) -> int:
    return min(limit for limit in limits if limit != resource.RLIM_INFINITY)
