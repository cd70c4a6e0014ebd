"""A clock that does not run backwards during the life of the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

Clock = Callable[[], int]  # milliseconds since 1970 in UTC
SECOND_MS, HOUR_MS = 1_000, 3_600_000
DAY_MS = 24 * HOUR_MS


class MonotonicClock:
    """The system time; if it is set back, the clock continues from its last value.

    So leases and sessions end on time. CLOCK_BOOTTIME is used because it also counts while the machine
    sleeps.
    """

    def __init__(
        self,
        wall_ns: Callable[[], int] = time.time_ns,
        passed_ns: Callable[[], int] = lambda: time.clock_gettime_ns(time.CLOCK_BOOTTIME),
    ) -> None:
        self._wall_ns, self._passed_ns = wall_ns, passed_ns
        self._reported_ns, self._at = wall_ns(), passed_ns()
        self._lock = threading.Lock()

    def __call__(self) -> int:
        with self._lock:
            passed = self._passed_ns()
            self._reported_ns = max(self._wall_ns(), self._reported_ns + passed - self._at)
            self._at = passed
            return self._reported_ns // 1_000_000
