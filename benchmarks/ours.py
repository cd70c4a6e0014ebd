"""How Benchwright itself is run here: the one place that knows its command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.dataset import Workload
from benchwright import registry
from benchwright.contracts import BatchSpec
from benchwright.errors import BenchwrightError

WORKERS = 2


def command(load: Workload, folder: Path, *, form: str) -> list[str]:
    """The whole command line of one run: stored answers in, scores out. All share a cache, as a user's do."""
    workers = ["--workers", str(WORKERS)]
    program = str(Path(sys.executable).parent / "benchwright")
    data = ["--data", str(load.problems), "--model", f"replay:{load.samples}", "--n", str(load.n)]
    return [
        "env",
        f"XDG_CACHE_HOME={folder.parent / 'cache'}",
        program,
        "run",
        "humaneval",
        *data,
        "--out",
        str(folder / "run"),
        "--json",
        *workers,
        "--form",
        form,
    ]


def tally(folder: Path) -> tuple[int, int]:
    """How many answers a run judged and how many of them passed, from its JSON."""
    outcomes = _document(folder)["outcomes"]
    return sum(outcomes.values()), outcomes.get("passed", 0)


def self_checks(folder: Path) -> int:
    """How many gold and stub answers a run executed: all, or a few where an earlier run's proof holds."""
    check = _document(folder)["self_check"]
    return int(check["gold_total"] + check["stub_total"] - check["kept"] + check["canaries"])


def _document(folder: Path) -> dict[str, Any]:
    raw = (folder / "stdout.txt").read_bytes()
    try:
        document: dict[str, Any] = msgspec.json.decode(raw)
    except msgspec.DecodeError as error:
        raise BenchwrightError(
            f"`benchwright run --json` did not print one JSON document: {error}"
        ) from error
    return document


def verdicts(folder: Path) -> dict[tuple[str, int], str]:
    """The outcome of each (task id, sample) that a run judged."""
    lines = (folder / "run" / "verdicts.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line) for line in lines if line.strip()]
    return {(row["task_id"], row.get("sample", 0)): row["outcome"] for row in rows}


def convertible(problems: Path) -> dict[str, int]:
    """The tasks whose tests are data, so that form "batch" judges them as a batch, with their calls.

    A run of form "batch" judges the others call by call, so they are left out of that comparison.
    """
    track = registry.find("track", "humaneval").in_form("batch")
    specs = ((task.task_id, track.spec(task, profile="strict")) for task in track.load(problems))
    return {task_id: len(spec.expected) for task_id, spec in specs if isinstance(spec, BatchSpec)}
