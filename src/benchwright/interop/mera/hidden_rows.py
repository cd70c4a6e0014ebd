"""Rows of a task set without their golds, to publish while the owner keeps the golds.

A hidden row has the instruction, the inputs that it shows, and the facts that readers of the set need. All
other fields are removed, since they may hold a result.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from benchwright.contracts import ExportableTrack
from benchwright.errors import DataError
from benchwright.interop.mera.task_sets import OutputsShape, TaskSetKind, hides_outputs
from benchwright.records import Task
from benchwright.tracks.functions.ruhumaneval import without_golds
from benchwright.tracks.rows import task_error

_META = ("id", "language", "author", "license")


class HiddenRow(NamedTuple):
    """A row without golds, and the names of the removed fields."""

    row: dict[str, Any]
    left_out: list[str]


def hidden_row(track: ExportableTrack, kind: TaskSetKind, task: Task) -> HiddenRow:
    """Return the row of a task without golds. Raises DataError for one whose outputs are already hidden."""
    if kind.shape is OutputsShape.generations:
        return HiddenRow(*without_golds(task))
    if hides_outputs(task, kind):
        hint = "use rows that have outputs"
        raise task_error(task, "the outputs are already hidden", field="outputs", hint=hint)
    row = track.to_row(task)
    meta = {name: row["meta"][name] for name in _META if name in row["meta"]}
    outputs = task.outputs if kind.shape is OutputsShape.responses else ""
    inputs = {name: value for name, value in task.inputs.items() if _is_shown(name, kind, task)}
    hidden = {"instruction": task.instruction, "inputs": inputs, "outputs": outputs, "meta": meta}
    left = [name for name in row if name not in hidden]
    left += [f"inputs.{name}" for name in row["inputs"] if name not in inputs]
    left += [f"meta.{name}" for name in row["meta"] if name not in meta]
    return HiddenRow(hidden, left)


def _is_shown(name: str, kind: TaskSetKind, task: Task) -> bool:
    return f"{{{name}}}" in task.instruction or (name == "lang" and kind.name == "CodeCorrectness")


def check_readable(track: ExportableTrack, path: str) -> None:
    """Raise DataError if the hidden set cannot be read as one of its track."""
    try:
        for _ in track.load(path):
            pass
    except DataError as error:
        error.hint = "rows of this task set need a field that may hold a result, so they cannot be hidden"
        raise
