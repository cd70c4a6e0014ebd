"""Workers by a clock that the runner alone moves: time passes as it should, and every answer is judged once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.dataset import Row, write_lines
from benchmarks.feeding import feed_alone
from benchmarks.own_core import OwnCore, own_core
from benchwright.contracts import CallsSpec, Criterion, Job
from benchwright.executing import pool, worker_process
from benchwright.executing.pool import Pool

CRITERION = Criterion(CallsSpec(entry_point="f"))


def jobs(number: int) -> list[Job]:
    """So many programs."""
    return [Job(each, "", CRITERION) for each in range(number)]


def judged(workers: int, seconds: list[float], number: int) -> tuple[float, list[int]]:
    """How long so many take, and the numbers of what was judged."""
    with own_core(seconds) as core, Pool(workers=workers, pinned=False) as pool_:
        found = [each for each, _ in pool_.judge(jobs(number))]
        return core.monotonic(), found


def test_time_passes_by_waiting_and_by_computing() -> None:
    """A second that is slept is one; what the workers do takes none."""
    core = OwnCore([1.0])
    before = core.monotonic()
    core.sleep(1.0)
    core.work()

    assert 1.0 <= core.monotonic() - before < 1.5


@pytest.mark.parametrize("workers", [1, 3])
def test_jobs_take_their_time(workers: int) -> None:
    """Shared among the workers, the last of which are started late: less would be two jobs of one at once."""
    took, found = judged(workers, [1.0, 3.0], 120)

    assert sorted(found) == list(range(120))
    assert 240 / workers <= took < 240 / workers + 30


def test_nothing_stays_changed() -> None:
    """The pool has its own clock and processes again."""
    before = (pool.time, pool.Worker, worker_process._start, pool.selectors, worker_process.time)
    judged(1, [0.001], 3)

    assert (pool.time, pool.Worker, worker_process._start, pool.selectors, worker_process.time) == before


def test_a_run_is_as_any_other(tmp_path: Path) -> None:
    """Each answer has one verdict, and the figures are those of the clock."""
    row = Row(
        task_id="T/0",
        prompt="def f(x):\n",
        entry_point="f",
        canonical_solution="    return x\n",
        test="def check(candidate):\n    assert candidate(1) == 1\n",
    )
    fed = feed_alone(4, 400, 20, data=write_lines(tmp_path / "data.jsonl", [row]), folder=tmp_path)
    verdicts = [json.loads(line) for line in (tmp_path / "run" / "verdicts.jsonl").read_text().splitlines()]

    assert (fed.answers, len({(each["task_id"], each["sample"]) for each in verdicts})) == (400, 400)
    assert (0 < fed.busy <= 1, fed.waited_s) == (True, 0.0)
    assert fed.judge_cpu_s < fed.judge_wall_s
