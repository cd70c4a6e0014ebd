"""Number of workers that one runner keeps busy, and cost of an answer for the runner outside of its
execution.

Everything is real except the execution: stored answers are read, sent over pipes to the processes, judged by
`waiting_worker` after the time of an execution, and their verdicts stored. A worker that only waits needs no
core, so forty of them fit on any machine. The runner needs one for itself; if it must share, the share of
busy time is lower. With `--own-core` it does not share: see `own_core`.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import msgspec

from benchmarks import environment
from benchmarks.dataset import DEFAULT_DATA, REPOSITORY, Row, Sample, load, write_lines
from benchmarks.figures import Spread, spread
from benchmarks.measure import peak_mib
from benchmarks.own_core import own_core
from benchmarks.waiting_worker import PROGRAM, recorded_s
from benchwright.contracts import CallsSpec, Criterion, Job
from benchwright.errors import BenchwrightError
from benchwright.executing.pool import Pool
from benchwright.progress import Silent
from benchwright.records import SelfCheck
from benchwright.running.answering import ask_questions
from benchwright.running.judging import judge_answers
from benchwright.running.options import RunOptions
from benchwright.running.plan import Plan, make_plan
from benchwright.running.run_folders import open_folder
from benchwright.running.scoring import score
from benchwright.store.runfolder import RunFolder

WORKERS = (10, 20, 40)
LIMIT_S = 600.0
GOAL_MS, GOAL_BUSY = 0.08, 0.9
How = Literal["processes", "own core"]  # workers that wait, or a clock that the runner alone moves
_SAID = {
    "processes": "Workers are processes that wait.",
    "own core": "Workers are in the runner's process, and time passes as it uses its processor.",
}


class Fed(msgspec.Struct, frozen=True, kw_only=True):
    """One run with this number of workers. The CPU is the runner's alone; `busy` is a share of the workers'
    time."""

    workers: int
    answers: int
    load_cpu_s: float  # data set and stored answers are read, checked and indexed
    ask_cpu_s: float
    judge_cpu_s: float
    end_cpu_s: float
    judge_wall_s: float
    waited_s: float  # of it, for a core: what a machine with other work takes from the runner
    busy: float
    peak_mib: float

    @property
    def cpu_ms(self) -> float:
        """Processor time of the runner per answer, from the files to the score."""
        spent = self.load_cpu_s + self.ask_cpu_s + self.judge_cpu_s + self.end_cpu_s
        return 1000 * spent / self.answers

    @property
    def runner_share(self) -> float:
        """Share of one core, while answers are judged."""
        return self.judge_cpu_s / self.judge_wall_s

    @property
    def waited_share(self) -> float:
        """Share of the judging time in which the runner had no core."""
        return self.waited_s / self.judge_wall_s


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """The rounds with one number of workers."""

    workers: int
    cpu_ms: Spread
    busy: Spread
    runner_share: Spread
    waited_share: Spread


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of `./run bench feeding`."""

    machine: environment.Machine
    answers: int
    n: int
    rounds: int
    how: How
    execution_ms: float
    series: list[Series]
    runs: list[Fed]


def bench(
    workers: Sequence[int],
    *,
    answers: int,
    n: int,
    rounds: int,
    data: Path = DEFAULT_DATA,
    how: How = "processes",
) -> Report:
    """Measure all numbers of workers in turn, round by round."""
    machine = environment.describe()
    runs = [run(each, answers=answers, n=n, data=data, how=how) for _ in range(rounds) for each in workers]
    return Report(
        machine=machine,
        answers=runs[0].answers,
        n=n,
        rounds=rounds,
        how=how,
        execution_ms=1000 * fmean(recorded_s()),
        series=[_series(each, runs) for each in workers],
        runs=runs,
    )


def _series(workers: int, runs: Sequence[Fed]) -> Series:
    mine = [each for each in runs if each.workers == workers]
    return Series(
        workers=workers,
        cpu_ms=spread(each.cpu_ms for each in mine),
        busy=spread(each.busy for each in mine),
        runner_share=spread(each.runner_share for each in mine),
        waited_share=spread(each.waited_share for each in mine),
    )


def run(workers: int, *, answers: int, n: int, data: Path = DEFAULT_DATA, how: How = "processes") -> Fed:
    """Run once in a new process."""
    command = [sys.executable, "-m", "benchmarks.feeding", *map(str, (workers, answers, n, data, how))]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=False, timeout=LIMIT_S)
    if done.returncode:
        raise BenchwrightError(f"a measured run ended with exit code {done.returncode}")
    return msgspec.json.decode(done.stdout, type=Fed)


class Clocks(NamedTuple):
    """Seconds: elapsed, of this process on a processor, and of this process waiting for one."""

    time_s: Callable[[], float]
    cpu_s: Callable[[], float]
    waited_s: Callable[[], float]


def feed(
    workers: int, answers: int, n: int, *, data: Path, folder: Path, clocks: Clocks | None = None
) -> Fed:
    """Judge this number of answers in this process, `n` for each task, with workers that wait."""
    time_s, cpu_s, waited_s = clocks or Clocks(time.monotonic, time.process_time, _waited_s)
    watch, lap = Silent(), _Laps(cpu_s)
    plan = timed_plan(load(data), answers, n, folder)
    with (
        open_folder(plan, folder / "run", "new", watch) as run_folder,
        Pool(workers=workers, track=plan.options.track, form="batch", pinned=False, program=PROGRAM) as pool,
    ):
        loaded = lap.cpu_s()
        ask_questions(plan, run_folder, watch)
        asked = lap.cpu_s()
        list(pool.judge(_warming(workers)))
        for task in plan.tasks.values():
            plan.spec(task, "strict")  # the self-check has made it by then
        lap.cpu_s()
        began, waited = time_s(), waited_s()
        judge_answers(plan, run_folder, pool, watch, profile="strict")
        judged, wall_s, waited = lap.cpu_s(), time_s() - began, waited_s() - waited
        _end(plan, run_folder)
        ended = lap.cpu_s()
    return Fed(
        workers=workers,
        answers=plan.total,
        load_cpu_s=loaded,
        ask_cpu_s=asked,
        judge_cpu_s=judged,
        end_cpu_s=ended,
        judge_wall_s=wall_s,
        waited_s=waited,
        busy=_executed_s(plan.total) / (workers * wall_s),
        peak_mib=peak_mib(),
    )


def feed_alone(workers: int, answers: int, n: int, *, data: Path, folder: Path) -> Fed:
    """Return the same as if the runner and each worker had a core: see `own_core`."""
    with own_core(recorded_s()) as core:
        clocks = Clocks(core.monotonic, core.cpu_s, lambda: 0.0)
        return feed(workers, answers, n, data=data, folder=folder, clocks=clocks)


class _Laps:
    """Processor time between two calls."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._looked = clock, clock()

    def cpu_s(self) -> float:
        """Return the seconds since the last call."""
        before, self._looked = self._looked, self._clock()
        return self._looked - before


def timed_plan(rows: Sequence[Row], answers: int, n: int, folder: Path) -> Plan:
    """Return the plan of a run with this number of stored answers, which are correct."""
    return make_plan(_options(rows, answers, n, folder))


def _options(rows: Sequence[Row], answers: int, n: int, folder: Path) -> RunOptions:
    """So many answers as files, to the data set's tasks, again and again by other names."""
    tasks = [
        msgspec.structs.replace(rows[number % len(rows)], task_id=f"Task/{number}")
        for number in range(-(-answers // n))
    ]
    samples = (
        Sample(
            task_id=task.task_id, completion=f"{task.canonical_solution.rstrip()}\n    # sample {sample}\n"
        )
        for task in tasks
        for sample in range(n)
    )
    data, stored = write_lines(folder / "tasks.jsonl", tasks), write_lines(folder / "stored.jsonl", samples)
    return RunOptions(track="humaneval", data=str(data), model=f"replay:{stored}", form="batch")


def _warming(workers: int) -> Iterator[Job]:
    """Return enough jobs to start all workers: a start is not part of the cost of an answer."""
    criterion = Criterion(CallsSpec(entry_point="f"))
    return (Job(number, "", criterion) for number in range(20 * workers))


def _end(plan: Plan, folder: RunFolder) -> None:
    """What follows the last verdict of a run."""
    folder.finalize(lambda head: plan.rank(head.task_id, head.sample), profiles=plan.profiles)
    folder.write_json(
        "scores.json",
        score(plan, folder, SelfCheck(gold_passed=0, gold_total=0, stub_passed=0, stub_total=0)),
    )


def _waited_s() -> float:
    """Return how long this process was ready and had no core: the second field of schedstat, in ns."""
    return int(Path("/proc/self/schedstat").read_text().split()[1]) / 1e9


def _executed_s(answers: int) -> float:
    """Return the recorded execution time of this number of answers."""
    seconds = recorded_s()
    return sum(seconds[number % len(seconds)] for number in range(answers))


def page(report: Report) -> str:
    """Return the figures as text."""
    machine = report.machine
    lines = [
        f"{report.rounds} rounds of {report.answers:,} answers, {report.n} to a task, executions of "
        f"{report.execution_ms:.2f} ms on average; medians, with the least and greatest in brackets. "
        f"{_SAID[report.how]}",
        "",
        "| workers | runner, CPU-ms an answer | workers busy | runner, of one core | runner without a core |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {each.workers} | {each.cpu_ms.text(3)} | {each.busy.text()} | {each.runner_share.text()} | "
        f"{each.waited_share.text()} |"
        for each in report.series
    ]
    lines += [
        "",
        f"Goals: at most {GOAL_MS:g} ms, and {GOAL_BUSY:.0%} busy. Machine: {machine.cpu}, "
        f"{machine.cores} cores, Linux {machine.kernel}, Python {machine.python}, "
        f"load {machine.load} at the start.",
    ]
    return "\n".join(lines)


def main(words: Sequence[str]) -> None:
    """Run the measured process: workers, answers, n, data, how; writes its cost to stdout."""
    workers, answers, n, data, how = words
    measured = feed_alone if how == "own core" else feed
    with TemporaryDirectory() as folder:
        fed = measured(int(workers), int(answers), int(n), data=Path(data), folder=Path(folder))
    sys.stdout.buffer.write(msgspec.json.encode(fed))


if __name__ == "__main__":
    main(sys.argv[1:])
