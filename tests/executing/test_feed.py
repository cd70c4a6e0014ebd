"""Which of the waiting jobs a free worker takes: it stays with its interpreter, and shares one last of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.contracts import CallsSpec, Criterion, Job, Judgement, SuiteSpec, Variation
from benchwright.executing.pool import AHEAD, Interpreter, JobQueue, interpreter_of
from benchwright.records import Outcome


def criterion(environment: str, hash_seed: int = 0) -> Criterion:
    variation = Variation(number=hash_seed, hash_seed=hash_seed)
    return Criterion(CallsSpec(entry_point="f", environment=environment, variation=variation))


TORCH, VARIED, BARE = criterion("torch"), criterion("torch", 7), criterion("bare")


def feed(*criteria: Criterion) -> JobQueue:
    return JobQueue(Job(number, "", each) for number, each in enumerate(criteria))


def taken(waiting: JobQueue, most: int, mine: Criterion | None = None, *others: Criterion) -> list[int]:
    """The numbers of the jobs that a worker takes which has this interpreter."""
    assert waiting.ready()
    needed = _interpreter(mine) if mine else None
    return [
        job.number
        for job in waiting.take_alike(most, mine=needed, others={_interpreter(each) for each in others})
    ]


def _interpreter(each: Criterion) -> Interpreter | None:
    return interpreter_of(Job(0, "", each))


def test_a_worker_stays_with_its_interpreter() -> None:
    """It passes over jobs that would need another start, and what it passed over keeps its order."""
    waiting = feed(TORCH, TORCH, BARE, VARIED, BARE)

    assert taken(waiting, 3, BARE) == [2]
    assert taken(waiting, 3, BARE) == [4]
    assert taken(waiting, 3, BARE, TORCH) == [3]  # of the rest the one that nobody else has
    assert taken(waiting, 3, BARE, TORCH) == [0, 1]  # then it helps
    assert not waiting.ready()


def test_a_new_worker_takes_what_no_other_has() -> None:
    """The first has taken up the first, so a second one begins elsewhere."""
    assert taken(feed(TORCH, TORCH, VARIED, BARE), 2, None, TORCH) == [2]
    assert taken(feed(TORCH, TORCH), 2, None, TORCH) == [0, 1]
    assert taken(feed(TORCH, BARE), 2) == [0]


def test_jobs_of_one_task_go_together() -> None:
    """Up to as many as are wanted; another task's are left, and so is one that is settled."""
    other = criterion("torch")
    assert taken(feed(TORCH, TORCH, TORCH, other), 2, TORCH) == [0, 1]
    assert taken(feed(TORCH, other), 2, TORCH) == [0]
    settled = Job(1, "", TORCH, Judgement(outcome=Outcome.no_code))
    assert taken(JobQueue([Job(0, "", TORCH), settled]), 2, TORCH) == [0]


def test_a_settled_job_is_never_taken_from_the_middle() -> None:
    """Whoever gives out jobs looks at the first alone for that."""
    settled = Job(1, "", BARE, Judgement(outcome=Outcome.no_code))
    waiting = JobQueue([Job(0, "", TORCH), settled, Job(2, "", BARE)])

    assert taken(waiting, 2, BARE) == [2]


def test_what_is_no_program_waits_for_no_interpreter() -> None:
    """Labels and suites are taken in their order."""
    suite = Criterion(SuiteSpec(suites=[]))
    waiting = feed(suite, BARE)

    assert (_interpreter(suite), taken(waiting, 1, BARE, TORCH)) == (None, [0])


def test_few_jobs_are_taken_ahead() -> None:
    """So many at most, where none fits; and but one more than are wanted, where the first does."""
    given = 0

    def counted(each: Criterion) -> Iterable[Job]:
        def endless() -> Iterator[Job]:
            nonlocal given
            while True:
                yield Job(given, "", each)
                given += 1

        return endless()

    assert taken(JobQueue(counted(TORCH)), 2, BARE, TORCH) == [0, 1]
    assert given < AHEAD + 1
    given = 0
    assert taken(JobQueue(counted(BARE)), 2, BARE, TORCH) == [0, 1]
    assert given <= 2


def test_what_is_put_back_comes_first() -> None:
    """In its old order."""
    waiting = feed(TORCH, TORCH, BARE)
    assert waiting.ready()
    jobs = waiting.take_alike(2)
    waiting.put_back(jobs)

    assert [waiting.next().number for _ in range(3) if waiting.ready()] == [0, 1, 2]


def test_it_counts_what_waits_as_far_as_it_is_asked_to() -> None:
    """Without taking more of it than that."""
    taken = []

    def jobs() -> Iterator[Job]:
        for number in range(5):
            taken.append(number)
            yield Job(number, "", BARE)

    waiting = JobQueue(jobs())

    assert (waiting.count(3), len(taken)) == (3, 3)
    assert (waiting.count(9), waiting.next().number, waiting.count(9)) == (5, 0, 4)
