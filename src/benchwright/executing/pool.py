"""A pool of workers, one for each core: jobs in, judgements out as they finish.

A worker that dies or hangs is replaced, and its jobs return to the queue. `judge_worker_deaths` decides the
outcome of a job that has ended workers.

A worker writes each judgement at once, and the pipe keeps it until the runner reads. While all workers have
enough jobs, the runner does not read. It then takes all available judgements together, and gives out as many
jobs. So no answer costs a wake-up of its own, and one runner feeds many workers.

The start of an interpreter with a large library costs as much as hundreds of executions. So a worker keeps
its interpreter, and prefers one that no other worker has over one that it would share.
"""

from __future__ import annotations

import math
import os
import selectors
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import Self

import msgspec

from benchwright.contracts import Job, Judgement, ProgramSpec
from benchwright.executing import wire
from benchwright.executing.executors import ExecutorSetup, may_fork
from benchwright.executing.worker_process import (
    DEPTH,
    START,
    Death,
    Interpreter,
    Worker,
    describe_wait_state,
    judge_worker_deaths,
)
from benchwright.sandbox.jail import choose_jail
from benchwright.sandbox.limits import Limits

HALF = 0.5  # share of a full queue below which a worker is given more jobs
PAUSE_S = 0.04  # longest time between two checks for judgements
COUNTING_S = 0.01  # the same while the rate of judgements decides whether to start another worker
BATCH = 256  # most judgements of jobs without a worker that are returned at once
ABSENT_S = 5.0  # a longer time between two checks of the workers extends their deadlines
# Jobs that cost as much as the start of another worker. Longer jobs get more workers all the same.
LABELS_A_WORKER, EXECUTIONS_A_WORKER = 500, 40
PATIENCE_S = 0.2  # after the first judgement, all workers are started if there is still work for them
STARTS = 5  # the last jobs get another worker if they take this many times as long as the first one's start
STARTING_S = 2.0  # longest wait for the first judgement


class Pool:
    """Judges jobs in `workers` processes (default: one for each available core).

    `track` reads the answers, by its name in the registry, in `form`; without a track all jobs are programs.
    `pinned` False lets workers move between cores, for programs with threads. `program` is the code of each
    worker's interpreter; benchmarks replace it. `forked` lets workers be forks of this process where that is
    safe; only for the process of a command, which has no state of a user.
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        jail: str = "auto",
        limits: Limits | None = None,
        track: str = "",
        form: str | None = None,
        pinned: bool = True,
        program: str = START,
        forked: bool = False,
    ) -> None:
        self.size = workers or len(os.sched_getaffinity(0))
        self._program, self._forked = program, forked
        self._setup = wire.WorkerSetup(
            jail=choose_jail(jail), limits=limits or Limits(), track=track, form=form
        )
        # A worker and its answers run in turn, so one core for both avoids waking another one. Only if the
        # pool has every core; otherwise two pools would choose the same ones.
        cores = sorted(os.sched_getaffinity(0))
        pinned = pinned and self.size == len(cores)
        self._free_cores: list[int | None] = [*cores] if pinned else [None] * self.size
        self._workers: list[Worker] = []
        self._looked = time.monotonic()
        self._deaths: dict[int, list[Death]] = {}  # by job: ends of the workers that executed it
        self._job_count = 0  # number of jobs so far
        self._judged = 0  # after the first judgements of this iterator
        self._began = self._first = 0.0  # when the iterator and its judgements began
        self._hurry = math.inf  # when all workers are started, if there is still work for them
        self.wake: int | None = None  # a descriptor that is readable when an iterator of jobs has new ones

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers and all processes that they started."""
        for worker in self._workers:
            worker.stop()
        while self._workers:
            self._workers.pop().close()

    def judge(self, jobs: Iterable[Job | None]) -> Iterator[tuple[int, Judgement]]:
        """Yield number and judgement of each job as it finishes. Takes jobs only as workers become free.

        An iterator that yields None has no job now, and is asked again.
        """
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job | None]) -> Iterator[list[tuple[int, Judgement]]]:
        """Yield the same in batches: all available judgements at once, never an empty batch."""
        waiting = JobQueue(jobs)
        self._deaths.clear()
        self._looked = self._began = time.monotonic()
        self._judged, self._first = 0, math.inf
        self._hurry = self._looked + (PATIENCE_S if self._workers else STARTING_S)
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                selector.register(worker.out, selectors.EVENT_READ, worker)
            if self.wake is not None:
                selector.register(self.wake, selectors.EVENT_READ)
            while True:
                while settled := self._fill(waiting, selector):
                    yield settled
                if not any(worker.jobs for worker in self._workers):
                    return
                if done := self._collect(waiting, selector):
                    yield done

    def _fill(self, waiting: JobQueue, selector: selectors.BaseSelector) -> list[tuple[int, Judgement]]:
        """Give jobs to workers with room. Returns settled jobs, which need no worker."""
        settled: list[tuple[int, Judgement]] = []
        while len(settled) < BATCH and waiting.ready():
            first = waiting.first()
            if first.settled is not None:
                settled.append((waiting.next().number, first.settled))
                continue
            worker = min(self._workers, key=attrgetter("filled"), default=None)
            if worker is None or (worker.jobs and len(self._workers) < self._useful_workers(first, waiting)):
                worker = self._start()
                selector.register(worker.out, selectors.EVENT_READ, worker)
            room = self._room(worker, waiting)
            if worker.filled > HALF or room <= 0:
                break
            others = self._beside(worker, first)
            jobs = waiting.take_alike(room, mine=worker.interpreter, others=others)
            worker.give(*jobs)
            worker.interpreter = interpreter_of(jobs[-1])
            self._job_count += len(jobs)
        return settled

    def _beside(self, worker: Worker, job: Job) -> set[Interpreter | None]:
        """Return the interpreters of the other workers, where the job needs another than this one's."""
        if interpreter_of(job) == worker.interpreter:
            return set()
        return {each.interpreter for each in self._workers if each is not worker}

    def _room(self, worker: Worker, waiting: JobQueue) -> int:
        """Return how many more jobs a worker may have. Of the last jobs it gets its share only."""
        left = waiting.count(worker.depth * self.size)
        return min(worker.depth, max(DEPTH, left // self.size)) - len(worker.jobs)

    def _useful_workers(self, job: Job, waiting: JobQueue) -> int:
        """Return the number of workers that are worth their start."""
        if not job.criterion.spec.executes:
            return min(self.size, 1 + self._job_count // LABELS_A_WORKER)
        if job.criterion.spec.executions > EXECUTIONS_A_WORKER:
            return self.size
        hurry = time.monotonic() > self._hurry
        wanted = min(self.size, self.size if hurry else 1 + self._job_count // EXECUTIONS_A_WORKER)
        if wanted > len(self._workers) and self._ends_soon(waiting):
            return len(self._workers)
        return wanted

    def _ends_soon(self, waiting: JobQueue) -> bool:
        """Whether the workers finish the last jobs before another one's start has paid off.

        Both times are those of this machine now: of the first worker's start, and of the jobs since then. The
        second grows while nothing is judged.
        """
        left = waiting.last(AHEAD)
        if left is None or not self._judged:
            return False
        left += sum(len(worker.jobs) for worker in self._workers)
        job_s = (time.monotonic() - self._first) / self._judged
        return left * job_s < STARTS * (self._first - self._began)

    def _start(self) -> Worker:
        setup = msgspec.structs.replace(self._setup, core=self._free_cores.pop(0))
        worker = Worker(setup, self._program, forked=self._forked)
        self._workers.append(worker)
        return worker

    def _collect(self, waiting: JobQueue, selector: selectors.BaseSelector) -> list[tuple[int, Judgement]]:
        self._await_room(selector)
        if (pause_s := self._pause_s()) > 0:
            time.sleep(pause_s)
        left = self._hurry - time.monotonic()
        longest = 1.0 if len(self._workers) == self.size else PATIENCE_S
        done: list[tuple[int, Judgement]] = []
        for key, _ in selector.select(timeout=min(longest, left) if left > 0 else longest):
            if key.data is None:
                os.eventfd_read(key.fd)
                continue
            worker: Worker = key.data
            if key.fileobj is worker.input:
                worker.flush()
            elif (messages := worker.take()) is not None:
                self._hurry = min(self._hurry, time.monotonic() + PATIENCE_S)
                self._count(len(messages))
                done += map(self._result, messages)
            else:
                done += self._replace(worker, waiting, selector)
                return done  # the other events are reported again; some may be those of the replaced worker
        now = self._watched()
        for worker in [each for each in self._workers if each.jobs and now > each.deadline]:
            done += self._replace(worker, waiting, selector, late=describe_wait_state(worker.pid))
        return done

    def _count(self, judged: int) -> None:
        """Count judgements; the first ones show how long the first worker's start took."""
        if self._first < math.inf:
            self._judged += judged
        elif judged:
            self._first = time.monotonic()

    def _pause_s(self) -> float:
        """Return how long the runner may wait: half the time until the first worker becomes idle.

        0 for a worker whose pipe was full.
        """
        busy = [worker for worker in self._workers if worker.jobs]
        if any(worker.unsent for worker in busy):
            return 0.0
        longest = PAUSE_S if len(self._workers) == self.size else COUNTING_S
        return min(longest, min(worker.busy_s for worker in busy) / 2)

    def _watched(self) -> float:
        """Return the time. Extends deadlines by the time in which nobody read judgements."""
        now = time.monotonic()
        if now - self._looked > ABSENT_S:
            for worker in self._workers:
                worker.deadline += now - self._looked
        self._looked = now
        return now

    def _await_room(self, selector: selectors.BaseSelector) -> None:
        """Watch full pipes for room."""
        for worker in self._workers:
            registered = worker.input in selector.get_map()
            if worker.unsent and not registered:
                selector.register(worker.input, selectors.EVENT_WRITE, worker)
            elif registered and not worker.unsent:
                selector.unregister(worker.input)

    def _result(self, done: wire.WorkerResult) -> tuple[int, Judgement]:
        judgement = done.judgement
        if done.number in self._deaths:
            trouble = [death.why for death in self._deaths[done.number]]
            trouble += filter(None, [judgement.trouble])
            judgement = msgspec.structs.replace(judgement, trouble="; ".join(trouble))
        return done.number, judgement

    def _replace(
        self, worker: Worker, waiting: JobQueue, selector: selectors.BaseSelector, *, late: str = ""
    ) -> list[tuple[int, Judgement]]:
        """Replace a dead worker: return its jobs to the queue, and the judgement of the job that ended it."""
        selector.unregister(worker.out)
        if worker.input in selector.get_map():
            selector.unregister(worker.input)
        self._workers.remove(worker)
        self._free_cores.append(worker.core)
        jobs = list(worker.jobs)
        if (found := worker.find_death(late=late)) is not None:
            job, death = found
            deaths = self._deaths.setdefault(job.number, [])
            deaths.append(death)
            if (judgement := judge_worker_deaths(deaths, job.criterion.spec)) is not None:
                jobs.remove(job)
                waiting.put_back(jobs)
                return [(job.number, judgement)]
        waiting.put_back(jobs)
        return []


def open_local(setup: ExecutorSetup) -> Pool:
    """The pool of this machine: the executor `local` of the registry."""
    return Pool(
        workers=setup.workers,
        jail=setup.jail,
        limits=setup.limits,
        track=setup.track,
        form=setup.form,
        pinned=setup.pinned,
        forked=may_fork(),
    )


AHEAD = 256  # jobs held in memory, from which one that suits a worker is chosen
_END = object()


def interpreter_of(job: Job) -> Interpreter | None:
    """Return the interpreter that a job needs; None for a job that executes no Python program."""
    spec = job.criterion.spec
    if not isinstance(spec, ProgramSpec):
        return None
    varied = spec.variation
    return spec.environment, varied.hash_seed, varied.clock_shift_s, varied.timezone


class JobQueue:
    """An iterator of jobs with look-ahead, to which jobs can be returned."""

    def __init__(self, jobs: Iterable[Job | None]) -> None:
        self._jobs, self._ahead = iter(jobs), deque[Job]()
        self._is_ended = False

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

    def last(self, most: int) -> int | None:
        """Count the last jobs; None if there are more than `most`, or more may come."""
        return None if self._has(most) or not self._is_ended else len(self._ahead)

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
            job = next(self._jobs, _END)
            if job is None or job is _END:
                self._is_ended = job is _END
                return False
            assert isinstance(job, Job)
            self._ahead.append(job)
        return True
