"""CPU time and memory of a running answer's process tree.

It is read only for slow answers: most end before the first tick. Limits apply to CPU time, not wall time, so
a loaded machine does not change a score.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple, Protocol

from benchwright.sandbox.cgroups import ControlGroup

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SHARE = 0.1  # maximum share of a core for reading proportional sizes
_LOOKS = 10  # checks of an answer's threads before it is ended; one costs a tenth of an answer
_AWAKE = 0.02  # share of a core below which an answer only wakes up to sleep again
_MAX_WAIT_S = 1.0  # maximum interval between readings, for any number of pages


class ResourceUse(NamedTuple):
    """Resource use of a process tree: CPU seconds, and current memory in bytes."""

    cpu_s: float
    memory: int


class AnswerClock(Protocol):
    """Measures the answer that runs in one slot."""

    def start(self) -> None:
        """Start measuring an answer."""

    def read(self) -> ResourceUse:
        """Return the use since the start."""

    def is_runnable(self) -> bool:
        """Return whether a thread runs, waits for a CPU, or waits for a disk."""


class GroupClock:
    """Clock based on the slot's control group: includes ended processes. The kernel limits memory."""

    def __init__(self, group: ControlGroup) -> None:
        self._group, self._base = group, 0.0

    def start(self) -> None:
        """Start at the group's current use."""
        self._base = self._group.cpu_s()

    def read(self) -> ResourceUse:
        """Return the CPU seconds of the group since the start."""
        return ResourceUse(self._group.cpu_s() - self._base, 0)

    def is_runnable(self) -> bool:
        """Check the whole slot: its zygote waits while an answer runs."""
        return any(map(_is_runnable, self._group.threads()))


class TreeClock:
    """Clock based on /proc: descendants of the launcher, except the jail's own processes.

    Misses processes that ended and were never waited for (at most their time, limited by the wall
    guard), so a control group is preferred.

    Resident memory counts a page once for each process that shares it, which overstates the memory of an
    answer that forks. The kernel's proportional size (PSS) counts it once, but walks every page: 6 ms of CPU
    time per GiB. Resident memory is an upper bound, so PSS is read only if it is above `enough`, and takes
    at most a tenth of the time.
    """

    def __init__(self, root: int, *, enough: int = 0) -> None:
        self._root, self._enough = root, enough
        self._own = set(_descendants(root))
        self._proportional, self._due = 0, 0.0

    def start(self) -> None:
        """Forget measurements of earlier processes."""
        self._proportional, self._due = 0, 0.0

    def read(self) -> ResourceUse:
        """Return sums over living processes; memory is an upper bound."""
        pids = [pid for pid in _descendants(self._root) if pid not in self._own]
        uses = [_process_use(pid) for pid in pids]
        cpu, resident = sum(use.cpu_s for use in uses), sum(use.memory for use in uses)
        return ResourceUse(cpu, resident if resident <= self._enough else self._refined_size(pids, resident))

    def is_runnable(self) -> bool:
        """Check the living processes."""
        pids = (pid for pid in _descendants(self._root) if pid not in self._own)
        return any(map(_is_runnable, (thread for pid in pids for thread in _threads(pid))))

    def _refined_size(self, pids: list[int], resident: int) -> int:
        if time.monotonic() >= self._due:
            began = time.process_time()
            self._proportional = _proportional_size(pids)
            spent = time.process_time() - began
            self._due = time.monotonic() + min(_MAX_WAIT_S, spent / _SHARE)
        return min(resident, self._proportional)


def tree_cpu_s(root: int) -> float:
    """Return the CPU seconds of a process and its living descendants, with those they waited for."""
    return sum(_process_use(pid).cpu_s for pid in _descendants(root))


def _proportional_size(pids: list[int]) -> int:
    """Return the bytes that processes hold together, each page counted once.

    If the kernel does not offer PSS, or not to this user, pages of files and shared memory count once, for
    the process with most of them; pages shared by a fork still count for each process.
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
    """Read the line `Pss: N kB` of /proc/PID/smaps_rollup (proc(5))."""
    with open(f"/proc/{pid}/smaps_rollup", "rb") as handle:
        return next((int(line.split()[1]) << 10 for line in handle if line.startswith(b"Pss:")), 0)


def _private_and_shared(pid: int) -> tuple[int, int]:
    """Read private and shared bytes from /proc/PID/statm (proc(5)); zero for an ended process."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as handle:
            resident, shared = map(int, handle.read().split()[1:3])
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    return (resident - shared) * _PAGE, shared * _PAGE


def _descendants(root: int) -> list[int]:
    """Return a process and its descendants, by the parents in /proc (not every kernel lists children)."""
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
    """Detects answers that only sleep, as opposed to those that work or wait for a CPU.

    An answer only sleeps if no thread was runnable in all checks within `patience_s`, and if they used almost
    no CPU time. Code that waits for an answer checks; it restarts the watch when data arrives.
    """

    def __init__(self, clock: AnswerClock, patience_s: float) -> None:
        self._clock, self._patience_s = clock, patience_s
        self._since: float | None = None
        self._cpu_s = self._due = 0.0

    def begin(self) -> None:
        """Restart the watch."""
        self._since = None

    def only_sleeps(self, now: float, cpu_s: float) -> bool:
        """Return whether the answer has slept for `patience_s`; `cpu_s` is its use so far."""
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
    """Return whether a thread runs or waits for a CPU (R), or waits for a disk (D) (proc(5))."""
    return _stat(thread)[:1] in ([b"R"], [b"D"])


def _process_use(pid: int) -> ResourceUse:
    """Read fields 14 to 17 (times, including children) and 24 (resident pages)."""
    fields = _stat(pid)
    if not fields:
        return ResourceUse(0.0, 0)
    return ResourceUse(sum(map(int, fields[11:15])) / _TICKS, int(fields[21]) * _PAGE)


def _stat(pid: int) -> list[bytes]:
    """Read /proc/PID/stat (proc(5)) from field 3, after the name's closing bracket; empty if it ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as handle:
            return handle.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
