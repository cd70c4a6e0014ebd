"""Loaded runs for tests of tables, charts and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.report.runs import Run, load_runs
from kit import small_data
from kit.made_runs import Given, finished_run

GOOD, BAD = ("good", "passed"), ("bad", "wrong")


def answers(passed: int, n: int) -> list[Given]:
    """Return this number of passed answers; the rest are wrong."""
    return [GOOD] * passed + [BAD] * (n - passed)


def run_of(folder: Path, name: str, counts: list[int], *, n: int = 4, **options: Any) -> Path:
    """Return a finished run with this number of right answers to each task."""
    data = folder / "tasks.jsonl"
    if not data.exists():
        small_data.humaneval(folder, tasks=12)
    rows = {f"Small/{task}": answers(passed, n) for task, passed in enumerate(counts)}
    return finished_run(folder / name, data, rows, model=options.pop("model", f"openai:{name}"), **options)


def loaded(folder: Path, **counts: list[int]) -> list[Run]:
    """Return runs by name, as a report has them."""
    return load_runs([run_of(folder, name, each) for name, each in counts.items()])


STRONG, WEAK = [4, 4, 4, 4, 3, 4, 4, 4, 2, 4, 4, 4], [1, 0, 2, 1, 0, 1, 0, 0, 1, 4, 0, 1]
