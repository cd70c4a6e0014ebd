"""Canaries are among the first answers, look like them, and delay all results until they have ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import BatchSpec, Criterion, Job, Judgement
from benchwright.records import Outcome
from benchwright.running.judging import AMONG, CanaryExecutor, drawn

CRITERION = Criterion(BatchSpec(entry_point="f"))


class Queue:
    """An executor that ends jobs in batches, the last of each first, and records the order of jobs."""

    size = 2

    def __init__(self, ahead: int = 3) -> None:
        self.given: list[Job] = []
        self._ahead = ahead

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Pass all; the detail identifies the program."""
        held: list[Job] = []
        for job in jobs:
            self.given.append(job)
            held.append(job)
            if len(held) == self._ahead:
                yield from map(_passed, reversed(held))
                held.clear()
        yield from map(_passed, reversed(held))


def _passed(job: Job) -> tuple[int, Judgement]:
    return job.number, Judgement(outcome=Outcome.passed, detail=str(job.given))


def jobs(count: int, name: str = "answer") -> list[Job]:
    """Return jobs with their own numbers, which differ from those of the queue."""
    return [Job(100 + number, f"{name} {number}", CRITERION) for number in range(count)]


def proving(queue: Queue, ended: list[tuple[int, str]], canaries: int = 8) -> CanaryExecutor:
    """Add canaries, and record their ends."""
    return CanaryExecutor(
        queue, lambda _: jobs(canaries, "canary"), lambda number, told: ended.append((number, told.detail))
    )


@given(answers=st.integers(1, 150), canaries=st.integers(1, 12), ahead=st.integers(1, 9))
def test_each_answer_comes_back_once_and_no_canary_does(answers: int, canaries: int, ahead: int) -> None:
    """Answers keep their numbers; the ends of canaries are reported under theirs."""
    ended: list[tuple[int, str]] = []
    found = list(proving(Queue(ahead), ended, canaries).judge(jobs(answers)))

    assert {number: told.detail for number, told in found} == {
        100 + number: f"answer {number}" for number in range(answers)
    }
    assert (len(found), sorted(ended)) == (
        answers,
        sorted((100 + number, f"canary {number}") for number in range(canaries)),
    )


@given(answers=st.integers(1, 150))
def test_nothing_is_given_out_before_all_canaries_have_ended(answers: int) -> None:
    """So no verdict of a sandbox that fails them is stored."""
    ended: list[tuple[int, str]] = []
    for _ in proving(Queue(), ended).judge(jobs(answers)):
        assert len(ended) == 8


def test_they_are_numbered_as_the_answers_are() -> None:
    """Numbers are consecutive, so they do not reveal canaries."""
    queue, models = Queue(), list[object]()

    def like(first: object) -> list[Job]:
        models.append(first)
        return jobs(8, "canary")

    list(CanaryExecutor(queue, like, lambda *_: None).judge(jobs(20)))

    assert ([job.number for job in queue.given], models) == (list(range(28)), ["answer 0"])


def test_they_are_anywhere_among_the_first() -> None:
    """Over many runs each place of the queue is equally likely, and no later one."""
    places: Counter[int] = Counter()
    for _ in range(300):
        queue = Queue()
        list(proving(queue, []).judge(jobs(200)))
        places.update(at for at, job in enumerate(queue.given) if "canary" in str(job.given))

    assert (len(places), max(places)) == (AMONG + 8, AMONG + 8 - 1)
    assert max(places.values()) < 80  # each is expected 33 times, with a standard deviation of 5.4


def test_a_run_without_answers_needs_no_canary() -> None:
    """They wait for the first call with answers, and are executed once."""
    queue, ended = Queue(), list[tuple[int, str]]()
    prove = proving(queue, ended)
    empty = list(prove.judge([]))
    counts = [len(list(prove.judge(jobs(5)))) for _ in range(2)]

    assert (empty, counts, len(ended), len(queue.given)) == ([], [5, 5], 8, 18)


def test_more_answers_than_are_looked_at_are_taken_as_they_are_needed() -> None:
    """The queue of a run may be larger than memory."""
    taken: list[int] = []

    def endless() -> Iterator[Job]:
        for number in range(10**9):
            taken.append(number)
            yield Job(number, f"answer {number}", CRITERION)

    found = proving(Queue(), []).judge(endless())
    for _ in range(500):
        next(found)

    assert len(taken) < 520


def test_a_canary_that_ends_wrongly_ends_it() -> None:
    """The callback raises, and no result was returned."""

    def refuse(number: int, told: Judgement) -> None:
        raise ValueError(told.detail)

    found = CanaryExecutor(Queue(), lambda _: jobs(1, "canary"), refuse).judge(jobs(100))
    with pytest.raises(ValueError, match="canary 0"):
        next(found)


@given(items=st.lists(st.integers(), unique=True), most=st.integers(0, 9))
def test_a_draw_repeats_nothing(items: list[int], most: int) -> None:
    """As many as exist, at most the requested number."""
    found = drawn(items, most)

    assert (len(found), set(found) <= set(items), len(set(found))) == (
        min(most, len(items)),
        True,
        len(found),
    )
