"""The jobs that wait for a worker: which of them one that is free should take.

The start of an interpreter with a large library costs as much as hundreds of executions in it. So a worker
stays with the interpreter that it has, and takes up one that no other worker has before it shares one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from benchwright.contracts import Job, ProgramSpec

AHEAD = 256  # jobs that are looked through for one that fits; they are held in memory
Interpreter = tuple[str, int, int, str]  # profile, hash seed, shift of the clock, zone


def interpreter_of(job: Job) -> Interpreter | None:
    """What a job is executed in, as far as it needs one of its own; None for what is no program."""
    spec = job.criterion.spec
    if not isinstance(spec, ProgramSpec):
        return None
    varied = spec.variation
    return spec.environment, varied.hash_seed, varied.clock_shift_s, varied.timezone


class Feed:
    """An iterator of jobs that can be looked at and given back to."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs, self._ahead = iter(jobs), deque[Job]()

    def ready(self) -> bool:
        """Whether there is a job."""
        return self._has(0)

    def first(self) -> Job:
        """The job that waits for longest."""
        return self._ahead[0]

    def next(self) -> Job:
        """Take it."""
        return self._ahead.popleft()

    def count(self, most: int) -> int:
        """How many jobs there are, as far as so many."""
        self._has(most - 1)
        return min(most, len(self._ahead))

    def take_alike(
        self, most: int, *, mine: Interpreter | None = None, others: Collection[Interpreter | None] = ()
    ) -> list[Job]:
        """A job and those behind it of the same task, so that one worker makes what judges it.

        The first one for the interpreter `mine`, else the first for none of `others`, else the first of all.
        """
        at = self._place(mine, others)
        jobs = [self._take(at)]
        while len(jobs) < most and self._has(at):
            if self._ahead[at].criterion is not jobs[0].criterion or self._ahead[at].settled is not None:
                break
            jobs.append(self._take(at))
        return jobs

    def put_back(self, jobs: list[Job]) -> None:
        """Jobs that were taken and not done; they come first again."""
        self._ahead.extendleft(reversed(jobs))

    def _place(self, mine: Interpreter | None, others: Collection[Interpreter | None]) -> int:
        """Where the job to take stands. Looks ahead only where the first would need another interpreter."""
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
        """Whether there are more than so many jobs."""
        while len(self._ahead) <= at:
            job = next(self._jobs, None)
            if job is None:
                return False
            self._ahead.append(job)
        return True
