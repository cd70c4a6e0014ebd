"""How much processor time and memory an answer's whole process tree has used while it runs.

Read only when an answer is slow: most end before the first tick. Processor time, not wall time, ends
an answer, so a loaded machine does not change a score.
"""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from benchwright.sandbox.cgroups import Group

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Use(NamedTuple):
    """What a process tree has used: processor seconds, and bytes of memory resident now."""

    cpu_s: float
    memory: int


class Clock(Protocol):
    """Measures the answer that runs in one slot."""

    def start(self) -> None:
        """An answer is about to run."""

    def read(self) -> Use:
        """What it has used since."""


class GroupClock:
    """By the slot's control group: sees ended processes too. Memory is the kernel's to bound."""

    def __init__(self, group: Group) -> None:
        self._group, self._base = group, 0.0

    def start(self) -> None:
        """Count from what the group has used so far."""
        self._base = self._group.cpu_s()

    def read(self) -> Use:
        """Processor seconds of the group since the start."""
        return Use(self._group.cpu_s() - self._base, 0)


class TreeClock:
    """By /proc: the processes below the launcher that are not the jail's own.

    Misses processes that ended and were never waited for (at most their time, bounded by the wall
    guard), which is why a control group is preferred.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._own = set(_descendants(root))

    def start(self) -> None:
        """Nothing to note: the processes that count are those begun later."""

    def read(self) -> Use:
        """The sums over the processes that are alive now."""
        cpu, memory = 0.0, 0
        for pid in _descendants(self._root):
            if pid not in self._own:
                use = _process_use(pid)
                cpu, memory = cpu + use.cpu_s, memory + use.memory
        return Use(cpu, memory)


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
