"""Batches judged in one pool without a gap: a core that has no job left of one batch takes one of the next.

A separate thread opens the pool and feeds it until `close`, because the workers of a pool end with the
thread that started them. Callers wait for their batch in other threads.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from benchwright.contracts import Job, Judgement
from benchwright.executing.pool import Pool

Judged = list[tuple[int, Judgement]]


@dataclass(eq=False)
class _Batch:
    jobs: Sequence[Job]
    judged: Judged = field(default_factory=list)
    result: Future[Judged] = field(default_factory=Future)


class BatchFeed:
    """A pool for several threads. Batches are judged in the order of the calls, and may end in another."""

    def __init__(self, opener: Callable[[], Pool]) -> None:
        self._opener = opener
        self._waiting = queue.SimpleQueue[_Batch | None]()  # None: wakes the thread at the end
        self._open = set[_Batch]()
        self._at_work: dict[int, tuple[_Batch, int]] = {}  # by number: a job's batch, and its number there
        self._wake = os.eventfd(0, os.EFD_CLOEXEC)
        self._opened = Future[None]()
        self._lock = threading.Lock()  # no batch is put after the end
        self._error: BaseException | None = None
        self._is_ending = False
        self._thread = threading.Thread(target=self._work, name="benchwright-batches", daemon=True)

    def start(self) -> None:
        """Open the pool. Raises what the opener raises."""
        self._thread.start()
        self._opened.result()

    def judge(self, jobs: Sequence[Job]) -> Judged:
        """Wait for the judgements of a batch. Raises what ended the pool."""
        batch = _Batch(jobs)
        with self._lock:
            if self._error is not None:
                raise self._error
            self._open.add(batch)
            self._put(batch)
        try:
            return batch.result.result()
        finally:
            with self._lock:
                self._open.discard(batch)

    def close(self) -> None:
        """End the workers. Callers of batches that have not ended get a RuntimeError."""
        self._is_ending = True
        self._put(None)
        self._thread.join()
        os.close(self._wake)

    def _put(self, batch: _Batch | None) -> None:
        self._waiting.put(batch)
        os.eventfd_write(self._wake, 1)

    def _work(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])  # Ray blocks SIGINT, which answers would inherit
        error: BaseException = RuntimeError("the pool is closed")
        try:
            with self._opener() as pool:
                pool.wake = self._wake
                self._opened.set_result(None)
                while not self._is_ending and (batch := self._waiting.get()) is not None:
                    self._feed(pool, batch)
        except BaseException as raised:  # noqa: BLE001 (each caller raises it)
            error = raised
        self._fail(error)

    def _feed(self, pool: Pool, first: _Batch) -> None:
        """Judge a batch, and all that come until no job is left."""
        for judged in pool.judge_batches(self._jobs(first)):
            for number, judgement in judged:
                batch, own = self._at_work.pop(number)
                batch.judged.append((own, judgement))
                if len(batch.judged) == len(batch.jobs):
                    batch.result.set_result(batch.judged)
            if self._is_ending:
                return

    def _jobs(self, first: _Batch) -> Iterator[Job | None]:
        """Yield the jobs of a batch and of all further ones, numbered through; None if there is none now."""
        batch: _Batch | None = first
        number = 0
        while batch is not None:
            for job in batch.jobs:
                number += 1
                self._at_work[number] = batch, job.number
                yield job._replace(number=number)
            while self._waiting.empty():
                yield None
            batch = self._waiting.get()

    def _fail(self, error: BaseException) -> None:
        if not self._opened.done():
            self._opened.set_exception(error)
        with self._lock:
            self._error = error
            for batch in self._open:
                if not batch.result.done():
                    batch.result.set_exception(error)
