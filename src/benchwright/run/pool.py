"""A pool of workers, one for each core: jobs in, judgements out as they finish.

A worker that dies or hangs is replaced and its jobs are given to another; a job that takes down three
workers ends as a sandbox error, which is never counted as the model's failure.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from benchwright.contracts import CallSpec
from benchwright.errors import SandboxError
from benchwright.judges.python import Judgement
from benchwright.records import Outcome
from benchwright.run import wire
from benchwright.sandbox.jail import choose_jail
from benchwright.sandbox.limits import Limits

DEPTH = 3  # jobs given to a worker ahead: one runs, one waits, one is on its way
ATTEMPTS = 3
SLACK_S = 90.0  # beyond three wall guards: starting an interpreter on a loaded machine


class Job(NamedTuple):
    """A program to judge against a spec; `number` names it in the result.

    `settled` is the judgement of what cannot be run: it comes back in turn, without a worker.
    """

    number: int
    program: str
    spec: CallSpec
    settled: Judgement | None = None


class Worker:
    """The runner's end of one worker process."""

    def __init__(self, setup: wire.Setup) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchwright.run.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the runner to act on
            env={**os.environ, "PYTHONHASHSEED": "random"},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self.out = self._process.stdin, self._process.stdout
        self.jobs: deque[Job] = deque()
        self._last_spec: CallSpec | None = None
        self.core = setup.core
        self._guard_s = 3 * setup.limits.wall_guard_s + SLACK_S
        self.deadline = time.monotonic() + self._guard_s
        self._buffer = bytearray()
        self._write(wire.frame(setup))

    def give(self, job: Job) -> None:
        """Queue a job. A worker that has died is noticed when it is read from."""
        spec = None if job.spec is self._last_spec else job.spec
        self._last_spec = job.spec
        if not self.jobs:
            self.deadline = time.monotonic() + self._guard_s
        self.jobs.append(job)
        self._write(wire.frame(wire.Work(number=job.number, program=job.program, spec=spec)))

    def _write(self, data: bytes) -> None:
        try:
            self._in.write(data)
            self._in.flush()
        except BrokenPipeError:
            return

    def take(self) -> Iterator[wire.Done] | None:
        """The judgements that have come in; None when the worker has died."""
        chunk = os.read(self.out.fileno(), 1 << 16)
        if not chunk:
            return None
        self._buffer += chunk
        self.deadline = time.monotonic() + self._guard_s
        return self._messages()

    def _messages(self) -> Iterator[wire.Done]:
        while len(self._buffer) >= 4:
            end = 4 + int.from_bytes(self._buffer[:4], "little")
            if len(self._buffer) < end:
                return
            done = msgspec.msgpack.decode(bytes(self._buffer[4:end]), type=wire.Done)
            del self._buffer[:end]
            self.jobs.popleft()
            yield done

    def close(self) -> None:
        """Let an idle worker clean up and end; end a busy one."""
        if self.jobs:
            self._process.kill()
        self._write_end()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.out.close()

    def _write_end(self) -> None:
        try:
            self._in.close()
        except BrokenPipeError:
            return


class Pool:
    """Judges jobs on `workers` processes (default: one for each core this process may use)."""

    def __init__(
        self, *, workers: int | None = None, jail: str = "auto", limits: Limits | None = None
    ) -> None:
        self.size = workers or len(os.sched_getaffinity(0))
        self.limits = limits or Limits()
        self.jail = choose_jail(jail)
        # A worker and its answers take turns, so they do best on one core: the hand-over then wakes no
        # other. Only when the pool has every core; else two pools would choose the same few.
        cores = sorted(os.sched_getaffinity(0))
        self._free_cores: list[int | None] = [*cores] if self.size == len(cores) else [None] * self.size
        self._workers: list[Worker] = []
        self._failures: dict[int, int] = {}
        self.trouble: list[str] = []  # workers that had to be replaced

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all workers and everything they started."""
        while self._workers:
            self._workers.pop().close()

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Number and judgement of each job, as they finish. Jobs are taken only as workers become free."""
        waiting = _Feed(jobs)
        self._failures.clear()
        with selectors.DefaultSelector() as selector:
            for worker in self._workers:
                selector.register(worker.out, selectors.EVENT_READ, worker)
            while True:
                yield from self._fill(waiting, selector)
                if not any(worker.jobs for worker in self._workers):
                    return
                yield from self._collect(waiting, selector)

    def _fill(self, waiting: _Feed, selector: selectors.BaseSelector) -> Iterator[tuple[int, Judgement]]:
        """Give jobs out while workers have room; yields those that need no worker."""
        while waiting.ready():
            settled = waiting.first().settled
            if settled is not None:
                yield waiting.next().number, settled
                continue
            worker = min(self._workers, key=lambda each: len(each.jobs), default=None)
            if worker is None or (worker.jobs and len(self._workers) < self.size):
                worker = self._start()
                selector.register(worker.out, selectors.EVENT_READ, worker)
            if len(worker.jobs) >= DEPTH:
                break
            worker.give(waiting.next())

    def _start(self) -> Worker:
        setup = wire.Setup(jail=self.jail, limits=self.limits, core=self._free_cores.pop(0))
        worker = Worker(setup)
        self._workers.append(worker)
        return worker

    def _collect(self, waiting: _Feed, selector: selectors.BaseSelector) -> Iterator[tuple[int, Judgement]]:
        for key, _ in selector.select(timeout=1.0):
            worker: Worker = key.data
            messages = worker.take()
            if messages is None:
                yield from self._replace(worker, waiting, selector, "a worker has died")
                continue
            for done in messages:
                yield done.number, done.judgement or _failed(done.error)
        now = time.monotonic()
        for worker in [each for each in self._workers if each.jobs and now > each.deadline]:
            yield from self._replace(worker, waiting, selector, "a worker did not answer in time")

    def _replace(
        self, worker: Worker, waiting: _Feed, selector: selectors.BaseSelector, why: str
    ) -> Iterator[tuple[int, Judgement]]:
        selector.unregister(worker.out)
        self._workers.remove(worker)
        self._free_cores.append(worker.core)
        jobs = list(worker.jobs)
        worker.close()
        if not jobs:
            raise SandboxError("a worker ended before it had work", hint="benchwright doctor")
        first = jobs[0].number
        self._failures[first] = self._failures.get(first, 0) + 1
        if self._failures[first] < ATTEMPTS:
            self.trouble.append(why)
        else:
            yield first, _failed(f"{why}, {ATTEMPTS} times")
            jobs = jobs[1:]
        waiting.put_back(jobs)


class _Feed:
    """An iterator of jobs that can be looked at and given back to."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs, self._ahead = iter(jobs), deque[Job]()

    def ready(self) -> bool:
        if not self._ahead:
            self._ahead.extend(job for job in [next(self._jobs, None)] if job is not None)
        return bool(self._ahead)

    def first(self) -> Job:
        return self._ahead[0]

    def next(self) -> Job:
        return self._ahead.popleft()

    def put_back(self, jobs: list[Job]) -> None:
        self._ahead.extendleft(reversed(jobs))


def _failed(error: str) -> Judgement:
    return Judgement(outcome=Outcome.sandbox_error, detail=error)
