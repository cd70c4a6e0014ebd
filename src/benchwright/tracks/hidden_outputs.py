"""ruHumanEval rows without golds, for publication of a closed set: blank outputs, no solution.

A row keeps only the fields that are needed to ask and execute, and its author and licence. Unknown fields are
removed, because they might contain results, as `meta.typed_outputs` of a converted row does.
"""

from __future__ import annotations

from typing import Any

from benchwright.records import Task
from benchwright.tracks.rows import task_error
from benchwright.tracks.ruhumaneval import TRACK, is_private

_META = ("id", "entry_point", "author", "license")
_INPUTS = ("function", "tests")


def without_golds(task: Task) -> tuple[dict[str, Any], list[str]]:
    """The row of a task with blank outputs, and the names of the removed fields.

    Raises DataError for a row whose outputs are already hidden, because it has no golds to keep.
    """
    if is_private(task):
        hint = "use rows that have outputs and solutions"
        raise task_error(task, "the outputs are already hidden", field="outputs", hint=hint)
    row = TRACK.to_row(task)
    inputs = {name: value for name, value in task.inputs.items() if _is_needed(name, task.instruction)}
    meta = {name: row["meta"][name] for name in _META if name in row["meta"]}
    hidden = {
        "instruction": task.instruction,
        "inputs": inputs,
        "outputs": _blank(task.outputs),
        "meta": {**meta, "canonical_solution": ""},
    }
    left = [name for name in row if name not in hidden]
    left += [f"inputs.{name}" for name in task.inputs if name not in inputs]
    left += [f"meta.{name}" for name in row["meta"] if name not in hidden["meta"]]
    return hidden, left


def _is_needed(name: str, instruction: str) -> bool:
    """Whether an input is executed, or filled into the instruction."""
    return name in _INPUTS or f"{{{name}}}" in instruction


def _blank(outputs: list[Any]) -> list[Any]:
    return [_blank(each) if isinstance(each, list) else "" for each in outputs]
