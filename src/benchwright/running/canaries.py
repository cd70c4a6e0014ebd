"""Canaries: reference and stub answers in the queue of a run's answers. They prove the sandbox of the run.

No judgement leaves before all canaries have ended as they must. So no verdict of a sandbox that judges
wrongly is stored, and a killed run judges again at most the answers that were held back.
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
    """Return `most` items drawn at random without replacement; all items where there are fewer."""
    return _RANDOM.sample(items, min(most, len(items)))


class Proving:
    """An executor that mixes canaries into its first jobs, once.

    `canaries` returns their jobs, made to look like the first job. `ended` receives the judgement of each
    canary with the number of its job, and raises for a wrong one. Jobs get new numbers, so their judge cannot
    recognize canaries.
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
        """Yield number and judgement of each job that is not a canary, as they finish."""
        for batch in self.judge_batches(jobs):
            yield from batch

    def judge_batches(self, jobs: Iterable[Job]) -> Iterator[list[tuple[int, Judgement]]]:
        """Yield the same in batches."""
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
    """Yield both in one random order; each kind keeps its own order."""
    places = set(_RANDOM.sample(range(len(jobs) + len(canaries)), len(canaries)))
    ordinary, planted = iter(jobs), iter(canaries)
    for place in range(len(jobs) + len(canaries)):
        yield (True, next(planted)) if place in places else (False, next(ordinary))
