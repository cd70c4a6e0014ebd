"""The time of a worker for one job, measured on its earlier jobs."""

from __future__ import annotations

import time

_MEMORY = 8  # jobs: how quickly those before them are forgotten


class JobPace:
    """A moving mean of the time between two judgements of a busy worker.

    `job_s` is 0 before the first measurement.
    """

    def __init__(self) -> None:
        self.job_s = 0.0
        self._since = 0.0

    def begin(self) -> None:
        """Start measuring: an idle worker got a job."""
        self._since = time.monotonic()

    def count(self, jobs: int) -> None:
        """Record the number of jobs that have ended since the last call."""
        if not jobs:
            return
        now = time.monotonic()
        mean_s = (now - self._since) / jobs
        weight = min(1.0, jobs / _MEMORY) if self.job_s else 1.0
        self.job_s += weight * (mean_s - self.job_s)
        self._since = now

    def jobs_in(self, seconds: float) -> int:
        """Return the number of jobs that fit into a time; 0 where unknown."""
        return int(seconds / self.job_s) if self.job_s else 0
