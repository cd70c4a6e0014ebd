"""The queue of jobs that wait for a worker, and the choice of the next job.

The start of an interpreter with a large library costs as much as hundreds of executions. So a worker keeps
its interpreter, and prefers one that no other worker has over one that it would share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from benchwright.contracts import Job, ProgramSpec
from benchwright.executing.worker_process import Interpreter

AHEAD = 256  # jobs that are looked through for one that fits; they are held in memory


def interpreter_of(job: Job) -> Interpreter | None:
    """Return the interpreter that a job needs; None for a job that executes no Python program."""
    spec = job.criterion.spec
    if not isinstance(spec, ProgramSpec):
        return None
    varied = spec.variation
    return spec.environment, varied.hash_seed, varied.clock_shift_s, varied.timezone


class Feed:
    """An iterator of jobs with look-ahead, to which jobs can be returned."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs, self._ahead = iter(jobs), deque[Job]()

    def ready(self) -> bool:
        """Whether the queue has a job."""
        return self._has(0)

    def first(self) -> Job:
        """Return the oldest job."""
        return self._ahead[0]

    def next(self) -> Job:
        """Remove and return the oldest job."""
        return self._ahead.popleft()

    def count(self, most: int) -> int:
        """Count the jobs, up to `most`."""
        self._has(most - 1)
        return min(most, len(self._ahead))

    def take_alike(
        self, most: int, *, mine: Interpreter | None = None, others: Collection[Interpreter | None] = ()
    ) -> list[Job]:
        """Remove and return a job and its successors of the same task, so that one worker prepares its judge.

        Prefers the first job for the interpreter `mine`, then the first for none of `others`, then the
        oldest.
        """
        at = self._place(mine, others)
        jobs = [self._take(at)]
        while len(jobs) < most and self._has(at):
            if self._ahead[at].criterion is not jobs[0].criterion or self._ahead[at].settled is not None:
                break
            jobs.append(self._take(at))
        return jobs

    def put_back(self, jobs: list[Job]) -> None:
        """Return unfinished jobs to the front of the queue."""
        self._ahead.extendleft(reversed(jobs))

    def _place(self, mine: Interpreter | None, others: Collection[Interpreter | None]) -> int:
        """Return the position of the next job. Looks ahead only where the first needs another interpreter."""
        if interpreter_of(self._ahead[0]) in (None, mine) or (mine is None and not others):
            return 0
        free = None
        for at in range(AHEAD):
            if not self._has(at):
                break
            if self._ahead[at].settled is not None:
                continue
            needed = interpreter_of(self._ahead[at])
            if needed == mine:
                return at
            if free is None and needed not in others:
                free = at
        return free or 0

    def _take(self, at: int) -> Job:
        job = self._ahead[at]
        del self._ahead[at]
        return job

    def _has(self, at: int) -> bool:
        """Whether the queue has more than `at` jobs."""
        while len(self._ahead) <= at:
            job = next(self._jobs, None)
            if job is None:
                return False
            self._ahead.append(job)
        return True
