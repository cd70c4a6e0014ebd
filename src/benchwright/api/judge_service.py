"""A thread that judges answers for others: it owns the workers, takes requests and resolves their futures.

The workers must be children of a thread that lives as long as they do, since the kernel ends them with it. So
one thread opens the pool, makes the self-check, judges, and closes the pool. Callers only append to a queue
and wait. A request is taken from the queue when a worker has room for it.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import NamedTuple

from benchwright.contracts import Criterion, Executor, Job, Judgement
from benchwright.errors import UsageError
from benchwright.executing.pool import Pool
from benchwright.records import Answer, SelfCheck

_CLOSED_MESSAGE = "the judge is closed"


class JudgeRequest(NamedTuple):
    """An answer to judge, and the future of its judgement."""

    answer: Answer
    criterion: Criterion
    future: Future[Judgement]


class JudgeService:
    """Judges requests on its own thread until it is closed. Safe to use from any thread."""

    def __init__(self, open_pool: Callable[[], Pool], prove: Callable[[Executor], SelfCheck]) -> None:
        self._open_pool, self._prove = open_pool, prove
        self._ready: Future[SelfCheck] = Future()
        self._queue = deque[JudgeRequest]()
        self._pending: dict[int, JudgeRequest] = {}
        self._numbers = iter(range(1 << 62))
        self._changed = threading.Condition()
        self._closed, self._pid = False, os.getpid()
        self.size = 1  # number of workers, known when it is ready
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        # A daemon: the interpreter joins all other threads before it closes what is still open.
        self._thread = threading.Thread(target=self._serve, name="benchwright-judge", daemon=True)
        self._thread.start()

    def wait_ready(self) -> SelfCheck:
        """Wait for the self-check. Raises what opening the pool or the self-check raised."""
        return self._ready.result()

    def submit(self, answer: Answer, criterion: Criterion) -> Future[Judgement]:
        """Queue an answer; a cancelled future is not judged. Raises UsageError after `close`."""
        if os.getpid() != self._pid:
            message = "the judge was opened by another process"
            raise UsageError(message, hint="open a Judge in each process, after the fork")
        request = JudgeRequest(answer, criterion, Future())
        with self._changed:
            if self._closed:
                raise UsageError(_CLOSED_MESSAGE, hint="open another one: with bw.Judge(…) as judge:")
            self._queue.append(request)
            self._notify()
        return request.future

    def close(self) -> None:
        """End workers and thread; requests without a verdict raise UsageError. Later calls do nothing."""
        if os.getpid() != self._pid:
            return  # a forked copy owns neither thread nor workers
        with self._changed:
            first, self._closed = not self._closed, True
            if first:
                self._notify()
        if self._thread is not threading.current_thread():
            self._thread.join()
        if first:
            os.close(self._wake)

    def _notify(self) -> None:
        self._changed.notify_all()
        os.eventfd_write(self._wake, 1)

    def _serve(self) -> None:
        try:
            with self._open_pool() as pool:
                self.size = pool.size
                check = self._prove(_InterruptiblePool(pool, self._stop_if_closed))
                self._ready.set_result(check)
                pool.wake = self._wake
                while self._wait():
                    self._judge(pool)
        except BaseException as error:  # noqa: BLE001 (each caller gets it: this thread has nobody else to tell)
            self._fail(error)
        else:
            self._fail(UsageError(_CLOSED_MESSAGE))

    def _stop_if_closed(self) -> None:
        if self._closed:
            raise UsageError(_CLOSED_MESSAGE)

    def _wait(self) -> bool:
        """Wait for a request; False after `close`."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
        return not self._closed

    def _judge(self, pool: Pool) -> None:
        """Judge until nothing is queued and nothing is at work."""
        for batch in pool.judge_batches(self._jobs()):
            for number, judgement in batch:
                self._pending.pop(number).future.set_result(judgement)
            self._stop_if_closed()

    def _jobs(self) -> Iterator[Job | None]:
        while not self._closed:
            yield self._next()

    def _next(self) -> Job | None:
        while True:
            try:
                request = self._queue.popleft()
            except IndexError:
                return None
            if request.future.set_running_or_notify_cancel():
                number = next(self._numbers)
                self._pending[number] = request
                return Job(number, request.answer, request.criterion)

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._closed = True
            waiting = [*self._pending.values(), *self._queue]
            self._pending.clear()
            self._queue.clear()
        if not self._ready.done():
            self._ready.set_exception(error)
        for request in waiting:
            if not request.future.done() and (
                request.future.running() or request.future.set_running_or_notify_cancel()
            ):
                request.future.set_exception(error)


class _InterruptiblePool:
    """A pool whose work ends when the judge is closed, as during a long self-check."""

    def __init__(self, pool: Pool, check: Callable[[], None]) -> None:
        self.size, self._pool, self._check = pool.size, pool, check

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        for batch in self._pool.judge_batches(jobs):
            self._check()
            yield batch
