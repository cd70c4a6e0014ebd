"""Tasks and prompts for the tests of models."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import Prompt
from benchwright.records import Task, TaskId


def tasks_of(*ids: TaskId) -> dict[TaskId, Task]:
    """Return tasks with these ids."""
    return {
        task_id: Task(task_id=task_id, instruction="", inputs={}, outputs=None, meta={}, revision="r")
        for task_id in ids
    }


def prompts_of(pairs: Iterable[tuple[TaskId, int]]) -> list[Prompt]:
    """Return prompts for these tasks and samples."""
    return [
        Prompt(key=f"{task_id}-{sample}", task_id=task_id, sample=sample, text="?", variant="base")
        for task_id, sample in pairs
    ]


def write_samples(folder: Path, *rows: Any, name: str = "samples.jsonl") -> Path:
    """Write a samples file with these rows."""
    path = folder / name
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path
