"""How much processor time and memory an answer's whole process tree has used while it runs.

Read only when an answer is slow: most end before the first tick. Processor time, not wall time, ends
an answer, so a loaded machine does not change a score.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple, Protocol

from benchwright.sandbox.cgroups import ControlGroup

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SHARE = 0.1  # of one core, at most, for reading proportional sizes
_LOOKS = 10  # at the threads of an answer before it is ended: one costs what a tenth of an answer does
_AWAKE = 0.02  # of one core: who takes less wakes up only to sleep again
_MAX_WAIT_S = 1.0  # but never longer without a look, however many pages there are


class Use(NamedTuple):
    """What a process tree has used: processor seconds, and bytes of memory held now."""

    cpu_s: float
    memory: int


class AnswerClock(Protocol):
    """Measures the answer that runs in one slot."""

    def start(self) -> None:
        """An answer is about to run."""

    def read(self) -> Use:
        """What it has used since."""

    def is_runnable(self) -> bool:
        """Whether a thread of its processes runs, waits for a processor, or waits for a disk."""


class GroupClock:
    """By the slot's control group: sees ended processes too. Memory is the kernel's to bound."""

    def __init__(self, group: ControlGroup) -> None:
        self._group, self._base = group, 0.0

    def start(self) -> None:
        """Count from what the group has used so far."""
        self._base = self._group.cpu_s()

    def read(self) -> Use:
        """Processor seconds of the group since the start."""
        return Use(self._group.cpu_s() - self._base, 0)

    def is_runnable(self) -> bool:
        """Of the whole slot: its zygote waits, as long as an answer runs."""
        return any(map(_is_runnable, self._group.threads()))


class TreeClock:
    """By /proc: the processes below the launcher that are not the jail's own.

    Misses processes that ended and were never waited for (at most their time, bounded by the wall
    guard), which is why a control group is preferred.

    Resident memory counts a page once for each process that shares it, so an answer that forks would
    seem to hold many times what it does. The kernel's proportional size (PSS) counts it once, but walks
    every page: 6 ms of processor time for a gibibyte. Resident memory is never less, so PSS is read only
    where that is above `enough`, and at most a tenth of the time goes into it.
    """

    def __init__(self, root: int, *, enough: int = 0) -> None:
        self._root, self._enough = root, enough
        self._own = set(_descendants(root))
        self._proportional, self._due = 0, 0.0

    def start(self) -> None:
        """The processes that count are those begun later; what was measured of earlier ones does not."""
        self._proportional, self._due = 0, 0.0

    def read(self) -> Use:
        """The sums over the processes that are alive now; of memory at least what they hold, if not more."""
        pids = [pid for pid in _descendants(self._root) if pid not in self._own]
        uses = [_process_use(pid) for pid in pids]
        cpu, resident = sum(use.cpu_s for use in uses), sum(use.memory for use in uses)
        return Use(cpu, resident if resident <= self._enough else self._held(pids, resident))

    def is_runnable(self) -> bool:
        """Of the processes that are alive now."""
        pids = (pid for pid in _descendants(self._root) if pid not in self._own)
        return any(map(_is_runnable, (thread for pid in pids for thread in _threads(pid))))

    def _held(self, pids: list[int], resident: int) -> int:
        if time.monotonic() >= self._due:
            began = time.process_time()
            self._proportional = _proportional_size(pids)
            spent = time.process_time() - began
            self._due = time.monotonic() + min(_MAX_WAIT_S, spent / _SHARE)
        return min(resident, self._proportional)


def tree_cpu_s(root: int) -> float:
    """Processor seconds of a process and of all below it that are alive, with those that they waited for."""
    return sum(_process_use(pid).cpu_s for pid in _descendants(root))


def _proportional_size(pids: list[int]) -> int:
    """Bytes that these processes hold together, each page counted once.

    A kernel may not offer PSS, or not to this user. Then pages of files and of shared memory count once
    by the process that has most of them; those that a fork left shared still count for each process.
    """
    total = largest_shared = 0
    for pid in pids:
        try:
            total += _pss(pid)
        except OSError:
            private, shared = _private_and_shared(pid)
            total, largest_shared = total + private, max(largest_shared, shared)
    return total + largest_shared


def _pss(pid: int) -> int:
    """/proc/PID/smaps_rollup (proc(5)): the line `Pss: N kB`."""
    with open(f"/proc/{pid}/smaps_rollup", "rb") as handle:
        return next((int(line.split()[1]) << 10 for line in handle if line.startswith(b"Pss:")), 0)


def _private_and_shared(pid: int) -> tuple[int, int]:
    """/proc/PID/statm (proc(5)): resident less shared, and shared; nothing for a process that has ended."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as handle:
            resident, shared = map(int, handle.read().split()[1:3])
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    return (resident - shared) * _PAGE, shared * _PAGE


def _descendants(root: int) -> list[int]:
    """A process and all below it, by the parents named in /proc (not every kernel lists children)."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = _stat(int(name))
            if fields:
                children.setdefault(int(fields[1]), []).append(int(name))
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children.get(pid, [])
    return found


class SleepWatch:
    """Tells an answer that only sleeps from one that works, also from one that waits for a processor.

    It only sleeps if in all looks of `patience_s` no thread was runnable, and all together used next to no
    processor time. Whoever waits for an answer looks; to begin anew is to say that something came of it.
    """

    def __init__(self, clock: AnswerClock, patience_s: float) -> None:
        self._clock, self._patience_s = clock, patience_s
        self._since: float | None = None
        self._cpu_s = self._due = 0.0

    def begin(self) -> None:
        """It has done something, or was asked for something."""
        self._since = None

    def only_sleeps(self, now: float, cpu_s: float) -> bool:
        """Whether it has been asleep for long enough; `cpu_s` is what it has used so far."""
        busy = cpu_s - self._cpu_s > _AWAKE * self._patience_s
        if self._since is None or busy:
            self._since, self._cpu_s = now, cpu_s
        elif now < self._due:
            return False
        elif self._clock.is_runnable():
            self._since, self._cpu_s = now, cpu_s
        self._due = now + self._patience_s / _LOOKS
        return now - self._since > self._patience_s


def _threads(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _is_runnable(thread: int) -> bool:
    """R runs or waits for a processor, D waits for a disk (proc(5))."""
    return _stat(thread)[:1] in ([b"R"], [b"D"])


def _process_use(pid: int) -> Use:
    """Fields 14 to 17 (times, children's included) and 24 (resident pages)."""
    fields = _stat(pid)
    if not fields:
        return Use(0.0, 0)
    return Use(sum(map(int, fields[11:15])) / _TICKS, int(fields[21]) * _PAGE)


def _stat(pid: int) -> list[bytes]:
    """/proc/PID/stat (proc(5)) from field 3 on, after the name's closing bracket; empty if it ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as handle:
            return handle.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
