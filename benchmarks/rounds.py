"""Runs the contestants in turn, A B C A B C …, so that a change of load meets all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path

import msgspec

from benchmarks import ours
from benchmarks.contestants import WORKERS, Contestant
from benchmarks.dataset import Row, Workload, subset, write_workload
from benchmarks.environment import DRIVERS, PYTHON
from benchmarks.measure import Usage, measure
from benchwright.errors import BenchwrightError

LIMIT_S = 1800.0


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One measured run: round 0 is the warm-up, which is not counted."""

    contestant: str
    n: int
    round: int
    executions: int  # of the samples
    passed: int
    usage: Usage
    checks: int = 0  # executions of a self-check, beside those of the samples

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds an execution, of all that were made."""
        return 1000 * self.usage.cpu_s / (self.executions + self.checks)

    @property
    def sample_ms(self) -> float:
        """CPU milliseconds of the whole run for each scored sample: what a user pays, self-check included."""
        return 1000 * self.usage.cpu_s / self.executions


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What all runs of a bench share: a scratch folder and the workloads by (field, n)."""

    folder: Path
    loads: Mapping[tuple[str, int], Workload]
    calls: Mapping[str, int]  # by contestant: how many calls one sample of every task makes


_serial = count()


def pin_cpus() -> int:
    """Keep this process and all it starts on two CPUs; how many it got.

    Two workers are compared, so a contestant that starts one worker a CPU starts two as well.
    """
    chosen = sorted(os.sched_getaffinity(0))[:WORKERS]
    os.sched_setaffinity(0, chosen)
    return len(chosen)


def prepare(
    rows: Sequence[Row], chosen: Sequence[Contestant], sizes: Sequence[int], *, folder: Path
) -> Ground:
    """Write each field's files. The tasks of the batch field are those that our batch form can judge."""
    loads: dict[tuple[str, int], Workload] = {}
    calls: dict[str, int] = {}
    for field in dict.fromkeys(each.field for each in chosen):
        tasks = rows
        if field == "batch" and any(each.name == "batch" for each in chosen):
            converted = ours.convertible(write_workload(rows, 1, folder=folder / "all").problems)
            tasks = subset(rows, converted)
            calls["batch"] = sum(converted.values())
        for n in sizes:
            loads[field, n] = write_workload(tasks, n, folder=folder / f"{field}-{n}")
            if any(each.name == "evalplus" and each.field == field for each in chosen):
                calls["evalplus"] = record_calls(loads[field, n])
    return Ground(folder=folder, loads=loads, calls=calls)


def record_calls(load: Workload) -> int:
    """Write the calls that the tests of a workload make, for EvalPlus; how many there are."""
    driver = [str(PYTHON), str(DRIVERS / "record_calls.py")]
    command = [*driver, "--problems", str(load.problems), "--out", str(load.calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchwrightError(f"the calls of HumanEval's tests could not be recorded:\n{done.stderr[-800:]}")
    return int(msgspec.json.decode(done.stdout.splitlines()[-1])["calls"])


def run_once(
    contestant: Contestant, n: int, ground: Ground, *, number: int, memory: str = "not sampled"
) -> Run:
    """One run of one contestant. Raises BenchwrightError when it did not judge every sample."""
    folder = ground.folder / f"run-{next(_serial)}"
    folder.mkdir()
    load = ground.loads[contestant.field, n]
    usage = measure(contestant.command(load, folder), folder=folder, limit_s=LIMIT_S, memory=memory)
    judged, passed = contestant.tally(folder)
    if judged != load.executions:
        raise BenchwrightError(f"{contestant.title} judged {judged} of {load.executions} samples")
    done = Run(
        contestant=contestant.name,
        n=n,
        round=number,
        executions=judged,
        passed=passed,
        usage=usage,
        checks=contestant.checks(folder),
    )
    _say(done)
    return done


def _say(done: Run) -> None:
    place = "warm-up" if done.round == 0 else f"round {done.round}"
    spent = f"{done.usage.cpu_s:.2f} CPU-s, {done.usage.wall_s:.1f} s"
    peak = "" if done.usage.peak_mib is None else f", peak {done.usage.peak_mib:.0f} MiB"
    print(f"{place}: {done.contestant} × {done.executions}: {spent}{peak}", file=sys.stderr)


def time_rounds(
    chosen: Sequence[Contestant], sizes: Sequence[int], ground: Ground, *, rounds: int
) -> list[Run]:
    """One warm-up at the least size, and `rounds` counted rounds of all contestants and sizes."""
    for contestant in chosen:
        run_once(contestant, min(sizes), ground, number=0)
    return [
        run_once(contestant, n, ground, number=number)
        for number in range(1, rounds + 1)
        for n in sizes
        for contestant in chosen
    ]
