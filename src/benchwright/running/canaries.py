"""Canaries: gold and stub answers judged among those of a run, in the same queue, which prove its sandbox.

Nothing of what comes out is given on before all of them have ended as they must. So no verdict of a sandbox
that judges wrongly is ever stored, and a killed run judges again at most what was held back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from random import SystemRandom
from typing import TypeVar

from benchwright.contracts import Executor, Job, Judgement
from benchwright.records import Answer
from benchwright.running.judging import batches

AMONG = 64  # the first answers of a run, among which they are
EACH = 4  # gold answers, and stubs
_RANDOM = SystemRandom()  # what is drawn must not be known before
T = TypeVar("T")


def drawn(items: Sequence[T], most: int = EACH) -> list[T]:
    """So many of the items at random, each as likely; all where there are no more."""
    return _RANDOM.sample(items, min(most, len(items)))


class Proving:
    """An executor that has canaries judged among the first jobs that it is given, once.

    `canaries` gives their jobs, in the likeness of the first one. `ended` is told of each judgement of them,
    by the number of its job, and raises where it is wrong. Jobs are numbered anew, so that who judges them
    has nothing to tell them by.
    """

    def __init__(
        self,
        executor: Executor,
        canaries: Callable[[Answer | str], Iterable[Job]],
        ended: Callable[[int, Judgement], None],
    ) -> None:
        self.size = executor.size
        self._executor, self._canaries, self._ended = executor, canaries, ended
        self._is_done = False

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Number and judgement of each job that is no canary, as they finish."""
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        """The same, together as they come in."""
        jobs = iter(jobs)
        first = [] if self._is_done else list(islice(jobs, AMONG))
        if not first:
            yield from batches(self._executor, jobs)
            return
        canaries, self._is_done = list(self._canaries(first[0].given)), True
        mixed = chain(_mixed(first, canaries), ((False, job) for job in jobs))
        yield from self._proved(mixed, len(canaries))

    def _proved(
        self, mixed: Iterable[tuple[bool, Job]], awaited: int
    ) -> Iterator[list[tuple[int, Judgement]]]:
        at_work: dict[int, tuple[bool, int]] = {}

        def numbered() -> Iterator[Job]:
            for number, (is_canary, job) in enumerate(mixed):
                at_work[number] = is_canary, job.number
                yield job._replace(number=number)

        held: list[tuple[int, Judgement]] = []
        for batch in batches(self._executor, numbered()):
            for number, judgement in batch:
                is_canary, own = at_work.pop(number)
                if is_canary:
                    self._ended(own, judgement)
                    awaited -= 1
                else:
                    held.append((own, judgement))
            if held and not awaited:
                yield held
                held = []


def _mixed(jobs: Sequence[Job], canaries: Sequence[Job]) -> Iterator[tuple[bool, Job]]:
    """Both in one queue: each keeps its order, and all ways to mix them are as likely."""
    places = set(_RANDOM.sample(range(len(jobs) + len(canaries)), len(canaries)))
    ordinary, planted = iter(jobs), iter(canaries)
    for place in range(len(jobs) + len(canaries)):
        yield (True, next(planted)) if place in places else (False, next(ordinary))
