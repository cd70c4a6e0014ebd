"""The pool as it would be with a core to itself: workers in its own process, and a clock that it alone moves.

Time passes as the runner uses its processor, and in jumps where it waits. So what else a machine does, and
how many cores it has, decides little; what the runner writes, reads and computes is what it is beside real
workers, over pipes of the same kind. Not in it: the disk, and what real workers do to the caches.
"""

from __future__ import annotations

import os
import selectors
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any, BinaryIO
from unittest.mock import patch

import msgspec

from benchmarks.waiting_worker import Numbered, passed
from benchwright.executing import pool, wire, worker_process

_DECODE = msgspec.msgpack.Decoder(Numbered).decode


class OwnCore:
    """The clock, and the workers that live by it. `seconds` are what executions take, by job."""

    def __init__(self, seconds: Sequence[float]) -> None:
        self._seconds = seconds
        self._jumped = 0.0
        self._elsewhere = time.thread_time()  # what was before is none of the runner's
        self.workers: list[_Worker] = []

    def cpu_s(self) -> float:
        """Processor time of the runner, without that of the workers."""
        return time.thread_time() - self._elsewhere

    def monotonic(self) -> float:
        """The time, in seconds."""
        return self.cpu_s() + self._jumped

    def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        self._jumped += seconds

    def start(self, _program: str, _page: int) -> _Worker:
        """A worker in the place of a process."""
        self.workers.append(_Worker(self._seconds))
        return self.workers[-1]

    def work(self) -> None:
        """Have the workers take what has come, and give what is done by now. It takes no time."""
        now, began = self.monotonic(), time.thread_time()
        for worker in self.workers:
            worker.work(now)
        self._elsewhere += time.thread_time() - began

    def await_work(self, seconds: float) -> None:
        """Let time pass until something is done, at most so much."""
        ends = [worker.next_end for worker in self.workers if worker.next_end is not None]
        self.sleep(max(0.0, min([seconds, *(end - self.monotonic() for end in ends)])))
        self.work()


class _Worker:
    """What the pool sees of a process: it takes jobs by one pipe and gives judgements by another."""

    pid, returncode = 0, 0

    def __init__(self, seconds: Sequence[float]) -> None:
        self._seconds = seconds
        jobs, self.stdin = _pipe()
        self.stdout, done = _pipe()
        self._jobs, self._done = jobs, done
        os.set_blocking(jobs.fileno(), False)
        self._buffer, self._is_set_up = bytearray(), False
        self._free_at = 0.0
        self._ends: deque[tuple[float, bytes]] = deque()

    @property
    def next_end(self) -> float | None:
        """When its next job is done; None where it has none."""
        return self._ends[0][0] if self._ends else None

    def work(self, now: float) -> None:
        """Take the jobs that are there, and give what is done."""
        while chunk := self._read():
            self._buffer += chunk
        for body in wire.split(self._buffer):
            if self._is_set_up:
                self._take(_DECODE(body).number, now)
            self._is_set_up = True
        while self._ends and self._ends[0][0] <= now:
            os.write(self._done.fileno(), self._ends.popleft()[1])

    def _read(self) -> bytes:
        try:
            return os.read(self._jobs.fileno(), 1 << 16)
        except BlockingIOError:
            return b""

    def _take(self, number: int, now: float) -> None:
        spent = self._seconds[number % len(self._seconds)]
        self._free_at = max(self._free_at, now) + spent
        self._ends.append(
            (self._free_at, wire.frame(wire.WorkerResult(number=number, judgement=passed(spent))))
        )

    def terminate(self) -> None:
        """Nothing: it does nothing by itself."""

    kill = terminate

    def wait(self, timeout: float | None = None) -> int:
        """It has ended when it is told to."""
        self._jobs.close()
        self._done.close()
        return 0


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    source, target = os.pipe()
    return open(source, "rb", buffering=0), open(target, "wb", buffering=0)


@contextmanager
def own_core(seconds: Sequence[float]) -> Iterator[OwnCore]:
    """Pools that are opened inside have such workers and live by such a clock."""
    core = OwnCore(seconds)

    class Selector(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> Any:
            """What is ready; where nothing is, time passes."""
            core.work()
            if not (ready := super().select(0)):
                core.await_work(1.0 if timeout is None else timeout)
                ready = super().select(0)
            return ready

    class Worker(pool.Worker):
        def flush(self) -> None:
            """Write, and have it seen at once."""
            super().flush()
            core.work()

    names = SimpleNamespace(**{**vars(selectors), "DefaultSelector": Selector})
    with ExitStack() as patches:
        for module, name, value in (
            (pool, "time", core),
            (worker_process, "time", core),
            (pool, "selectors", names),
            (pool, "Worker", Worker),
            (worker_process, "_start", core.start),
        ):
            patches.enter_context(patch.object(module, name, value))
        yield core
