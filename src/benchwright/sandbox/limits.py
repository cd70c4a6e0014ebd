"""What one answer may use."""

from __future__ import annotations

import msgspec

from benchwright.records import Record

SLEEP_S = 5.0


class Limits(Record, frozen=True, kw_only=True):
    """Bounds on one answer. The clock is processor time; wall time only ends what hangs."""

    cpu_s: float = 3.0
    wall_s: float | None = None  # None: ten times cpu_s, at least 10 s
    memory_mb: int = 1024
    bare_memory_mb: int | None = None  # of programs that see the standard library alone; None: as for all
    processes: int = 64
    tmp_mb: int = 64
    output_bytes: int = 1 << 20  # stdout and stderr together, and any one file
    reply_bytes: int = 16 << 20  # one value
    namespaces: str = "slot"  # "answer": user and network namespaces of its own for every answer

    @property
    def wall_guard_s(self) -> float:
        """Seconds on the wall clock after which an answer is ended, whatever it has used."""
        return self.guard_of(self.cpu_s)

    def guard_of(self, cpu_s: float) -> float:
        """The same for an answer that has a limit of its own: one that may work longer may take longer."""
        return self.wall_s if self.wall_s is not None else max(10.0, 10 * max(cpu_s, self.cpu_s))

    def sleep_of(self, cpu_s: float) -> float:
        """Seconds that it may sleep in one piece: for what comes in there is nothing to wait for."""
        return max(SLEEP_S, self.guard_of(cpu_s) / 10)

    def of_bare(self) -> Limits:
        """Those of a program that sees the standard library alone."""
        if self.bare_memory_mb is None:
            return self
        return msgspec.structs.replace(self, memory_mb=self.bare_memory_mb)
