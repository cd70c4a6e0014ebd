"""Limits on an answer."""

from __future__ import annotations

import msgspec

from benchwright.records import Record

SLEEP_S = 5.0


class Limits(Record, frozen=True, kw_only=True):
    """Limits on an answer. Time is CPU time; wall time only ends answers that hang."""

    cpu_s: float = 3.0
    wall_s: float | None = None  # None: ten times cpu_s, at least 10 s
    memory_mb: int = 1024
    bare_memory_mb: int | None = None  # for programs with the standard library only; None: memory_mb
    processes: int = 64
    tmp_mb: int = 64
    output_bytes: int = 1 << 20  # stdout and stderr together, and any one file
    reply_bytes: int = 16 << 20  # a value
    namespaces: str = "slot"  # "answer": separate user and network namespaces for every answer

    @property
    def wall_guard_s(self) -> float:
        """Wall seconds after which an answer is ended, regardless of its CPU time."""
        return self.guard_of(self.cpu_s)

    def guard_of(self, cpu_s: float) -> float:
        """Return the wall limit for an answer with its own CPU limit."""
        return self.wall_s if self.wall_s is not None else max(10.0, 10 * max(cpu_s, self.cpu_s))

    def sleep_of(self, cpu_s: float) -> float:
        """Return the seconds that an answer may sleep without a break: it has nothing to wait for."""
        return max(SLEEP_S, self.guard_of(cpu_s) / 10)

    def of_bare(self) -> Limits:
        """Return the limits of a program with the standard library only."""
        if self.bare_memory_mb is None:
            return self
        return msgspec.structs.replace(self, memory_mb=self.bare_memory_mb)
