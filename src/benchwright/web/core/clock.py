"""The time, which never runs backwards while the process lives."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

Clock = Callable[[], int]  # milliseconds since 1970 in UTC
SECOND_MS, HOUR_MS = 1_000, 3_600_000
DAY_MS = 24 * HOUR_MS


class SteadyClock:
    """The system's time; where that is set back, the time that passes is added to what was last said.

    So a lease or a session ends when it should. Sleep of the machine counts, hence CLOCK_BOOTTIME.
    """

    def __init__(
        self,
        wall_ns: Callable[[], int] = time.time_ns,
        passed_ns: Callable[[], int] = lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME),
    ) -> None:
        self._wall_ns, self._passed_ns = wall_ns, passed_ns
        self._said, self._at = wall_ns(), passed_ns()
        self._lock = threading.Lock()

    def __call__(self) -> int:
        with self._lock:
            passed = self._passed_ns()
            self._said = max(self._wall_ns(), self._said + passed - self._at)
            self._at = passed
            return self._said // 1_000_000
