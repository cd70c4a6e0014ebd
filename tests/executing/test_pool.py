"""The pool gives every job exactly one judgement, whatever happens to its workers."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from benchwright.contracts import CallsSpec, Criterion, Job, Judgement, Spec, Suite, SuiteSpec
from benchwright.errors import UsageError
from benchwright.executing import pool as pool_module
from benchwright.executing import worker_process
from benchwright.executing.pool import BATCH, Pool
from benchwright.executing.worker_process import DEEPEST, DEPTH, Worker
from benchwright.records import Outcome
from kit.processes import command_of, descendants, groups, parents, stop, wait_until, workers

ADDS = CallsSpec(
    entry_point="f",
    test="def check(candidate):\n    assert candidate(1) == 2\n",
    cpu_limit_s=1.0,
)
# A data set's own code runs in the worker and is trusted; here it plays a fault of the worker.
KILLS = CallsSpec(entry_point="f", test="import os\ndef check(candidate):\n    os._exit(1)\n")
RIGHT = "def f(x):\n    return x + 1\n"
WRONG = "def f(x):\n    return x\n"
SLOW = "import time\ndef f(x):\n    time.sleep(0.2)\n    return x + 1\n"
LARGE = RIGHT + "# a comment that fills more than any pipe holds\n" * 20_000


def jobs(programs: Iterable[str], spec: Spec = ADDS) -> Iterator[Job]:
    """One job a program."""
    criterion = Criterion(spec)
    return (Job(number, program, criterion) for number, program in enumerate(programs))


def outcomes(judged: Iterable[tuple[int, Judgement]]) -> dict[int, str]:
    """How each job ended; a job that ends twice would show as a clash."""
    found: dict[int, str] = {}
    for number, judgement in judged:
        assert number not in found
        found[number] = judgement.outcome.value
    return found


@pytest.mark.usefixtures("jail")
def test_every_job_ends_once_with_its_own_outcome() -> None:
    """Two workers, jobs of two kinds: each number comes back with the outcome of its program."""
    with Pool(workers=2) as pool:
        seen = outcomes(pool.judge(jobs([RIGHT, WRONG] * 6)))

    assert seen == {number: ("passed", "wrong")[number % 2] for number in range(12)}


@pytest.mark.usefixtures("jail")
def test_one_worker_ends_jobs_in_their_order() -> None:
    """With one worker nothing overtakes."""
    with Pool(workers=1) as pool:
        order = [number for number, _ in pool.judge(jobs([RIGHT] * 6))]

    assert order == list(range(6))


@pytest.mark.usefixtures("jail")
def test_each_job_is_judged_by_its_own_spec() -> None:
    """A worker is sent a spec only when it changes, and never uses the one before."""
    subtracts = CallsSpec(entry_point="f", test="def check(candidate):\n    assert candidate(1) == 0\n")
    criteria = Criterion(ADDS), Criterion(subtracts)
    given = [Job(number, RIGHT, criteria[number // 2 % 2]) for number in range(8)]
    with Pool(workers=1) as pool:
        seen = outcomes(pool.judge(given))

    assert seen == {number: ("passed", "wrong")[number // 2 % 2] for number in range(8)}


def test_settled_jobs_need_no_worker() -> None:
    """What cannot be run comes back as it is, and no process is started for it."""
    settled = Judgement(outcome=Outcome.no_code, detail="prose")
    with Pool(workers=2) as pool:
        seen = list(pool.judge(Job(number, "", Criterion(ADDS), settled) for number in range(3)))
        started = workers()

    assert (seen, started) == ([(0, settled), (1, settled), (2, settled)], set())


@pytest.mark.usefixtures("jail")
def test_settled_jobs_come_in_turn_among_the_others() -> None:
    """A settled job between two that run is neither lost nor run."""
    settled = Judgement(outcome=Outcome.no_code)
    adds = Criterion(ADDS)
    mixed = [Job(0, RIGHT, adds), Job(1, "", adds, settled), Job(2, WRONG, adds)]
    with Pool(workers=1) as pool:
        seen = outcomes(pool.judge(mixed))

    assert seen == {0: "passed", 1: "no_code", 2: "wrong"}


@pytest.mark.usefixtures("jail")
def test_jobs_are_taken_only_as_workers_become_free() -> None:
    """A run of a million answers must not be held in memory: few jobs are ahead of the judgements."""
    taken, ahead = 0, []

    def counted() -> Iterator[Job]:
        nonlocal taken
        for job in jobs([RIGHT] * 300):
            taken += 1
            yield job

    with Pool(workers=1) as pool:
        for done, _ in enumerate(pool.judge(counted())):
            ahead.append(taken - done)

    assert max(ahead) <= 2 * DEEPEST


def test_a_task_is_given_to_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of one criterion go together, so that its worker makes what judges them once; never more than fit."""
    given: list[tuple[int, list[int]]] = []
    give = Worker.give

    def noted(worker: Worker, *jobs: Job) -> None:
        given.append((worker.pid, [job.number for job in jobs]))
        give(worker, *jobs)

    monkeypatch.setattr(Worker, "give", noted)
    criteria = [Criterion(ADDS) for _ in range(6)]
    work = [Job(number, RIGHT, criteria[number // 2]) for number in range(12)]
    with Pool(workers=2) as pool:
        ended = outcomes(pool.judge(work))

    assert len(ended) == 12
    assert [numbers for _, numbers in given] == [[number, number + 1] for number in range(0, 12, 2)]
    assert max(len(numbers) for _, numbers in given) <= DEPTH


@pytest.mark.usefixtures("jail")
def test_a_slow_job_holds_back_none_that_is_done() -> None:
    """One worker has a whole batch; what it ended before the slow one is told while that one still runs."""
    slow = "def f(x):\n    while True:\n        pass\n"
    short = msgspec.structs.replace(ADDS, cpu_limit_s=0.3)
    batches = []
    with Pool(workers=1) as pool:
        outcomes(pool.judge(jobs([RIGHT] * 40)))  # it is known as quick, and given many at once
        for batch in pool.judge_batches(jobs([RIGHT, slow, RIGHT], short)):
            batches.append([number for number, _ in batch])

    assert batches[0] == [0]
    assert [number for batch in batches for number in batch] == [0, 1, 2]


@pytest.mark.usefixtures("jail")
def test_quick_jobs_come_back_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner does not look for each: forty workers would wake it thousands of times a second."""
    monkeypatch.setattr(pool_module, "PAUSE_S", 10.0)  # quick is what takes less, also on a busy machine
    with Pool(workers=2) as pool:
        batches = list(pool.judge_batches(jobs([RIGHT] * 200)))

    assert sorted(number for batch in batches for number, _ in batch) == list(range(200))
    assert len(batches) < 200


@pytest.mark.usefixtures("jail")
def test_the_last_jobs_are_shared_out() -> None:
    """However quick they are: no worker has many waiting while another has nothing left."""
    most = []
    with Pool(workers=2) as pool:
        outcomes(pool.judge(jobs([RIGHT] * 60)))
        for worker in pool._workers:
            worker.depth = DEEPEST
        for _ in pool.judge(jobs([RIGHT] * 12)):
            most.append(max(len(worker.jobs) for worker in pool._workers))

    assert max(most) <= 6


def test_settled_jobs_are_handed_on_in_bounded_batches() -> None:
    """A million answers that the model did not give are never all in memory."""
    settled = Judgement(outcome=Outcome.model_error)
    with Pool(workers=1) as pool:
        sizes = [
            len(batch)
            for batch in pool.judge_batches(
                Job(number, "", Criterion(ADDS), settled) for number in range(600)
            )
        ]

    assert (sum(sizes), max(sizes)) == (600, BATCH)


def test_no_jobs_end_at_once() -> None:
    """An empty iterable gives nothing and starts nothing."""
    with Pool(workers=1) as pool:
        assert list(pool.judge([])) == []


@pytest.mark.usefixtures("jail")
def test_a_worker_killed_in_the_middle_of_a_job_is_replaced() -> None:
    """No job is lost or counted as a failure, and the judgement says that a worker has died."""
    seen, troubles = {}, []
    with Pool(workers=2) as pool:
        for number, judgement in pool.judge(jobs([SLOW] * 10)):
            if not seen:
                os.kill(min(workers()), signal.SIGKILL)
            seen[number] = judgement.outcome.value
            troubles.append(judgement.trouble)

    assert (seen, "a worker has died" in troubles) == (dict.fromkeys(range(10), "passed"), True)


@pytest.mark.usefixtures("jail")
def test_a_check_that_takes_down_three_workers_is_the_answers_end() -> None:
    """It is given up, its neighbours are not blamed, and the answer is not missing: that would be a gain."""
    adds, kills = Criterion(ADDS), Criterion(KILLS)
    given = [Job(number, RIGHT, kills if number == 2 else adds) for number in range(6)]
    with Pool(workers=1) as pool:
        judged = dict(pool.judge(given))
    seen = {number: judgement.outcome.value for number, judgement in judged.items()}
    troubles = {number for number, judgement in judged.items() if judgement.trouble}

    assert (seen, troubles) == (dict.fromkeys(range(6), "passed") | {2: "wrong"}, set())
    assert judged[2].detail == "checking its values ended the worker (exit status 1), 3 times"


def test_workers_that_cannot_start_are_a_sandbox_error(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing of the answer was at work when they died, so it says nothing of the model."""
    with Pool(workers=1) as pool:
        pool._setup = msgspec.structs.replace(pool._setup, jail="prison")
        ((number, judgement),) = pool.judge(jobs([RIGHT]))

    assert (number, judgement.outcome.value) == (0, "sandbox_error")
    assert judgement.detail == "a worker has died, 3 times"
    assert "unknown jail:" in capfd.readouterr().err  # who looks for the reason finds it on the terminal


@pytest.mark.usefixtures("jail")
def test_a_worker_that_dies_while_idle_takes_nothing_with_it() -> None:
    """Between two calls a worker may be killed, for want of memory for instance: the next call goes on."""
    with Pool(workers=1) as pool:
        first = outcomes(pool.judge(jobs([RIGHT])))
        victim = workers().pop()
        os.kill(victim, signal.SIGKILL)
        second = outcomes(pool.judge(jobs([RIGHT, WRONG])))

    assert (first, second) == ({0: "passed"}, {0: "passed", 1: "wrong"})


@pytest.fixture
def hours_pass(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Puts the pool's clock on by hours: nothing depends on how long a worker really takes here."""
    ahead = [0.0]
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0], sleep=time.sleep)
    monkeypatch.setattr(pool_module, "time", clock)
    monkeypatch.setattr(worker_process, "time", clock)
    return lambda: ahead.append(ahead.pop() + 10_000)


@pytest.mark.usefixtures("jail")
def test_a_worker_that_hangs_is_replaced(
    monkeypatch: pytest.MonkeyPatch, hours_pass: Callable[[], None]
) -> None:
    """It stops for ever with work in its pipe that is larger than the pipe: the runner must not wait."""
    monkeypatch.setattr(pool_module, "ABSENT_S", float("inf"))  # it has been looked at all the time
    seen, troubles = {}, set()
    with Pool(workers=1) as pool:
        for number, judgement in pool.judge(jobs([LARGE] * 6)):
            if not seen:
                stop(workers().pop())
                hours_pass()
            seen[number] = judgement.outcome.value
            troubles.add(judgement.trouble)

    told = [trouble for trouble in troubles if trouble.startswith("a worker did not answer in time (python")]

    assert (seen, len(told), re.search(r"\(python\S* T\b", told[0]) is not None) == (
        dict.fromkeys(range(6), "passed"),
        1,
        True,
    )


@pytest.mark.usefixtures("jail")
def test_time_in_which_nobody_looked_is_not_held_against_a_worker(hours_pass: Callable[[], None]) -> None:
    """A machine that was asleep, or a terminal that was stopped, wakes up to workers that need a moment too."""
    seen, troubles = {}, set()
    with Pool(workers=2) as pool:
        for number, judgement in pool.judge(jobs([SLOW] * 8)):
            if len(seen) == 1:  # both have work now, and one of them is stopped with this process
                victim = workers().pop()
                stop(victim)
                hours_pass()
                os.kill(victim, signal.SIGCONT)
            seen[number] = judgement.outcome.value
            troubles.add(judgement.trouble)

    assert (seen, troubles) == (dict.fromkeys(range(8), "passed"), {""})


@pytest.mark.usefixtures("jail")
def test_programs_larger_than_a_pipe_go_through() -> None:
    """A megabyte of source for each of two workers blocks neither."""
    with Pool(workers=2) as pool:
        seen = outcomes(pool.judge(jobs([LARGE, WRONG] * 4)))

    assert seen == {number: ("passed", "wrong")[number % 2] for number in range(8)}


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(
    ("program", "count", "most"),
    [(RIGHT, 60, 1), (RIGHT, 300, 2), (SLOW, 12, 2)],
    ids=["few", "many", "slow"],
)
def test_as_many_workers_as_are_worth_their_start(
    program: str, count: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one for forty executions more, unless the last ones end before its start pays off."""
    monkeypatch.setattr(pool_module, "PATIENCE_S", 60.0 if program is RIGHT else 0.1)
    monkeypatch.setattr(pool_module, "STARTING_S", 60.0)
    with Pool(workers=2) as pool:
        seen = {len(workers()) for _ in pool.judge(jobs([program] * count))}

    assert max(seen) == most


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("program", [RIGHT, SLOW], ids=["idle", "busy"])
def test_close_leaves_no_process_and_no_control_group(program: str) -> None:
    """Workers, interpreters and jails are gone, whether they were idle or in the middle of an answer."""
    before = descendants(os.getpid())
    with Pool(workers=2) as pool:
        judged = pool.judge(jobs([program] * 300))  # enough for a second worker to be worth its start
        next(each for each in judged if len(workers()) == 2)
        below, owners = descendants(os.getpid()) - before, workers()
        started = len(owners)
        if program is RIGHT:
            list(judged)
    gone = wait_until(lambda: not below & parents().keys())
    left = [command_of(pid) for pid in below & parents().keys()]

    assert (started, gone, left, groups(owners)) == (2, True, [], [])


@pytest.mark.usefixtures("jail")
def test_modules_in_the_users_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is often started where a model has written files: none of them may stand in for a module."""
    monkeypatch.chdir(tmp_path)
    for name in ("random", "msgspec", "json", "contextlib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stray file was run')\n")
    with Pool(workers=1) as pool:
        seen = outcomes(pool.judge(jobs([RIGHT])))

    assert seen == {0: "passed"}


def test_an_unknown_jail_is_refused_before_anything_starts() -> None:
    """The name is checked when the pool is made."""
    with pytest.raises(UsageError, match="unknown jail: prison") as caught:
        Pool(jail="prison")

    assert caught.value.hint == "one of: auto, bubblewrap, native"


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize("pinned", [True, False])
def test_workers_are_bound_to_a_core_unless_they_are_not_to_be(pinned: bool) -> None:
    """A compiler in one would have its threads on one core."""
    cores = os.sched_getaffinity(0)
    with Pool(pinned=pinned) as pool:
        outcomes(pool.judge(jobs([RIGHT])))
        bound = {len(os.sched_getaffinity(pid)) for pid in workers()}

    assert bound == {1 if pinned else len(cores)}


@pytest.mark.usefixtures("jail")
def test_a_worker_has_time_for_each_execution_of_its_jobs() -> None:
    """Else a batch of suites would be taken for a worker that hangs."""
    suite = Suite(lang="Python", framework="pytest", files={}, focal="a", test="b", cases=[])
    with Pool(workers=1) as pool:
        outcomes(pool.judge(jobs([RIGHT])))
        (worker,) = pool._workers
        due = []
        for spec in (ADDS, SuiteSpec(suites=[suite] * 7)):
            worker.jobs.append(Job(0, "", Criterion(spec)))
            worker._be_patient()
            due.append(worker.deadline)
        worker.jobs.clear()

    assert due[1] - due[0] >= 6 * worker._guard_s
