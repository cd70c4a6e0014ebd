"""How long a worker takes for a job, learnt from what it has done."""

from __future__ import annotations

import time

_MEMORY = 8  # jobs: how quickly those before them are forgotten


class JobPace:
    """A moving mean of the time between two judgements, while there are jobs.

    `job_s` is 0 as long as nothing is known.
    """

    def __init__(self) -> None:
        self.job_s = 0.0
        self._since = 0.0

    def begin(self) -> None:
        """A worker that had nothing to do has something now."""
        self._since = time.monotonic()

    def count(self, jobs: int) -> None:
        """So many have ended since the last call, or since it began."""
        if not jobs:
            return
        now = time.monotonic()
        mean_s = (now - self._since) / jobs
        weight = min(1.0, jobs / _MEMORY) if self.job_s else 1.0
        self.job_s += weight * (mean_s - self.job_s)
        self._since = now

    def jobs_in(self, seconds: float) -> int:
        """How many jobs that time is enough for; 0 as long as nothing is known."""
        return int(seconds / self.job_s) if self.job_s else 0
