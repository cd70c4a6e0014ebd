"""Batches of several threads in one pool: each caller gets its own, and no core waits for the end of a batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from benchwright.cluster.batch_feed import BatchFeed, Judged
from benchwright.contracts import Criterion, Job, Judgement, LabelSpec
from benchwright.executing.pool import JobQueue
from benchwright.records import Outcome


class OpenPool:
    """A pool of two cores. A job "long" ends when the test says so; "broken" breaks the pool."""

    def __init__(self) -> None:
        self.wake: int | None = None
        self.released, self.threads = threading.Event(), set[int]()

    def __enter__(self) -> OpenPool:
        self.threads.add(threading.get_ident())
        return self

    def __exit__(self, *exc: object) -> None:
        self.threads.add(threading.get_ident())

    def judge_batches(self, jobs: Iterable[Job | None]) -> Iterator[Judged]:
        waiting, long = JobQueue(jobs), list[Job]()
        while True:
            while waiting.ready() and not (long and self.released.is_set()):
                job = waiting.next()
                if job.given == "broken":
                    raise OSError("the pool is broken")
                if job.given == "long":
                    long.append(job)
                else:
                    yield [_judged(job)]
            if not long:
                return
            if self.released.wait(0.001):
                yield [_judged(long.pop())]


def _judged(job: Job) -> tuple[int, Judgement]:
    return job.number, Judgement(outcome=Outcome.passed, detail=str(job.given))


def _jobs(*texts: str) -> list[Job]:
    return [Job(number, text, Criterion(LabelSpec(expected=""))) for number, text in enumerate(texts)]


def _texts(judged: Judged) -> dict[int, str]:
    return {number: judgement.detail for number, judgement in judged}


@pytest.mark.timeout(60)
def test_a_batch_ends_before_an_earlier_one_that_has_a_long_job() -> None:
    """Each caller gets its judgements by its own numbers; pool and callers have different threads."""
    pool: Any = OpenPool()
    feed = BatchFeed(lambda: pool)
    feed.start()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(feed.judge, _jobs("a", "long", "b"))
        for _ in range(3):
            second = feed.judge(_jobs("c", "d"))
            assert _texts(second) == {0: "c", 1: "d"}
        assert not first.done()
        pool.released.set()
        assert _texts(first.result()) == {0: "a", 1: "long", 2: "b"}
    feed.close()
    assert len(pool.threads) == 1
    assert threading.get_ident() not in pool.threads


@pytest.mark.timeout(60)
def test_callers_get_the_error_of_the_pool_and_the_end() -> None:
    """Those that wait, and those that come later."""
    pool: Any = OpenPool()
    feed = BatchFeed(lambda: pool)
    feed.start()
    with ThreadPoolExecutor(2) as threads:
        waits: Future[Judged] = threads.submit(feed.judge, _jobs("long"))
        with pytest.raises(OSError, match="broken"):
            feed.judge(_jobs("broken"))
        with pytest.raises(OSError, match="broken"):
            waits.result()
    with pytest.raises(OSError, match="broken"):
        feed.judge(_jobs("a"))
    feed.close()

    def unopened() -> Any:
        raise FileNotFoundError("no jail")

    with pytest.raises(FileNotFoundError, match="no jail"):
        BatchFeed(unopened).start()
