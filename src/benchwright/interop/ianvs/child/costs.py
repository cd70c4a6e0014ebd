"""Costs of the example's code and its child processes: wall time, processor time and memory."""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

KINDS = (
    "setup",
    "predict",
    "metrics",
)  # setup: loading its code, train, load, cleanup; the others: their calls
READING_S = 0.002
_TICKS = os.sysconf("SC_CLK_TCK")


class CallCost(NamedTuple):
    """Costs of a call; `peak_mb` is the largest memory of the case's processes so far, in MiB."""

    seconds: float
    cpu_s: float
    peak_mb: float


class CostMeter:
    """Adds up the costs of the example's code in this process by kind; the remainder is Benchwright's.

    Memory and child processes are read at most once per `READING_S`, because a reading takes as long as a
    fast model. Costs that are read late count for a later call.
    """

    def __init__(self) -> None:
        self._sums = {kind: [0.0, 0.0] for kind in KINDS}
        self._read_at = -math.inf
        self.below_cpu_s = self.peak_so_far_mb = 0.0

    @contextmanager
    def of(self, kind: str) -> Iterator[None]:
        """Add the costs of the block."""
        self.read()
        watch = Stopwatch(self)
        try:
            yield
        finally:
            self._read_at = -math.inf
            watch.stop(kind)

    def add(self, kind: str, seconds: float, cpu_s: float) -> None:
        """Count one call."""
        sums = self._sums[kind]
        sums[0] += seconds
        sums[1] += cpu_s

    def peak_mb(self) -> float:
        """The largest memory so far: of this process, and of those that it has started."""
        self.read()
        return self.peak_so_far_mb

    def read(self) -> None:
        """Read memory and the processes below, now."""
        processes, children_usage = descendant_processes(), resource.getrusage(resource.RUSAGE_CHILDREN)
        self.below_cpu_s = _cpu_below(processes, children_usage)
        self.peak_so_far_mb = max(self.peak_so_far_mb, _peak_mb(processes, children_usage))
        self._read_at = time.perf_counter()

    def read_again(self, now: float) -> None:
        """The same, where the last reading is too old. `now` is of `time.perf_counter`."""
        if now - self._read_at > READING_S:
            self.read()

    def document(self) -> dict[str, dict[str, float]]:
        """Seconds on the wall and of processors, by kind."""
        return {
            kind: {"seconds": round(seconds, 6), "cpu_s": round(cpu_s, 6)}
            for kind, (seconds, cpu_s) in self._sums.items()
        }


class Stopwatch:
    """Measures one call from when it is made."""

    __slots__ = ("_below", "_costs", "_cpu", "_wall")

    def __init__(self, costs: CostMeter) -> None:
        costs.read_again(time.perf_counter())
        self._costs, self._below = costs, costs.below_cpu_s
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def stop(self, kind: str = "predict") -> CallCost:
        """Since it was made; counted as this kind."""
        now, cpu_s, costs = time.perf_counter(), time.process_time() - self._cpu, self._costs
        costs.read_again(now)
        cpu_s = max(0.0, cpu_s + costs.below_cpu_s - self._below)
        costs.add(kind, now - self._wall, cpu_s)
        return CallCost(now - self._wall, cpu_s, costs.peak_so_far_mb)


def cpu_seconds() -> float:
    """Processor seconds of this process and of all its descendants, living or ended."""
    return time.process_time() + _cpu_below(
        descendant_processes(), resource.getrusage(resource.RUSAGE_CHILDREN)
    )


def _cpu_below(processes: Sequence[str], children_usage: resource.struct_rusage) -> float:
    return children_usage.ru_utime + children_usage.ru_stime + sum(map(_cpu_of, processes))


def _peak_mb(processes: Sequence[str], children_usage: resource.struct_rusage) -> float:
    """This process's peak memory plus that of its living descendants, in MiB.

    Of ended processes the kernel keeps only the largest peak. A child starts with the peak of this process,
    so the number is informative only if it is larger.
    """
    own, largest = largest_mb(), children_usage.ru_maxrss / 1024
    return own + max(sum(map(largest_mb, processes)), largest if largest > own else 0.0)


def descendant_processes() -> list[str]:
    """The living descendants of this process."""
    with suppress(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return _descendants_by_proc()
    return []  # no child processes: the kernel reports that at once


def _descendants_by_proc() -> list[str]:
    found: list[str] = []
    waiting = ["self"]
    while waiting:
        process = waiting.pop()
        with suppress(OSError):  # it has ended meanwhile, or the kernel does not list children
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                    children = file.read().split()
                found += children
                waiting += children
    return found


def _cpu_of(process: str) -> float:
    with suppress(OSError), open(f"/proc/{process}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS  # utime, stime, and both of ended children
    return 0.0


def largest_mb(process: str = "self") -> float:
    """The peak memory of a process in MiB; 0 if it has ended."""
    with suppress(OSError), open(f"/proc/{process}/status", "rb") as file:
        _, found, rest = file.read().partition(b"VmHWM:")
        return int(rest.split(None, 1)[0]) / 1024 if found else 0.0
    return 0.0
