"""Rows of AICoderEval: one entry per line, as JSON with the fields of `BenchmarkEntry`; others are kept.

Runs, builds and audits all read entries with this module.
"""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.aicodereval.entry import BenchmarkEntry
from benchwright.tracks.aicodereval.program import entry_point_of, faults_in, head_of
from benchwright.tracks.rows import Fields

ENTRY_POINT = "entry_point"  # key in a task's meta, in addition to the row's fields
MAX_ROW_TEXT = 1 << 20
_TEXTS = ("description", "signature", "docstring", "implementation")


def build(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    entry = read_entry(fields)
    fields = fields.named(entry.task_id)
    fault = next(faults_in(entry), None)
    if fault is not None:
        raise fields.error(fault.message, field=fault.field, hint=fault.hint)
    head = head_of(entry)
    decides = [head, entry.description, entry.libraries, entry.environment]
    if entry.stand_ins:
        decides.append(msgspec.to_builtins(entry.stand_ins))
    return Task(
        task_id=entry.task_id,
        instruction="",
        inputs={"function": head, "description": entry.description.strip(), "libraries": entry.libraries},
        outputs=None,
        meta={**fields.data, ENTRY_POINT: entry_point_of(entry)},
        revision=content_key("aicodereval", *decides, msgspec.to_builtins(entry.cases)),
        origin=f"{fields.path}:{fields.line}",
    )


def read_entry(fields: Fields) -> BenchmarkEntry:
    """Read the entry of a row. Raises DataError for a field of a wrong type."""
    if "instruction" in fields.data and "inputs" in fields.data:
        raise fields.error(
            "this is a MERA row", hint="use the track `ruhumaneval` or `codecorrectness` for it"
        )
    if "prompt" in fields.data and "test" in fields.data:
        raise fields.error("this is a HumanEval row", hint="use the track `humaneval` for it")
    task_id = fields.identity("task_id")
    if not isinstance(task_id, str):
        raise fields.error(
            "must be a string, not a number", field="task_id", hint='write "task_id": "task_0001"'
        )
    fields = fields.named(task_id)
    for name in _TEXTS:
        fields.text(name, limit=MAX_ROW_TEXT)
    try:
        return msgspec.convert(fields.data, BenchmarkEntry)
    except msgspec.ValidationError as error:
        raise _bad_field(fields, error) from None


def entry_of(task: Task) -> BenchmarkEntry:
    """The entry of a task."""
    return msgspec.convert(task.meta, BenchmarkEntry)


def entry_row(entry: BenchmarkEntry) -> dict[str, Any]:
    """An entry as a row, without fields that have default values."""
    row: dict[str, Any] = msgspec.to_builtins(entry)
    return row


def to_row(task: Task) -> dict[str, Any]:
    """The row of a task."""
    return {name: value for name, value in task.meta.items() if name != ENTRY_POINT}


def _bad_field(fields: Fields, error: msgspec.ValidationError) -> DataError:
    """Convert an error of msgspec, which gives the field's path after " - at", into a DataError."""
    message, _, place = str(error).partition(" - at `$")
    field = escaped_name(place.rstrip("`").lstrip("."), 80) or None
    missing = "missing required field" in message
    hint = "see docs/aicodereval.md for the fields of an entry" if missing else _hint(field or "")
    return fields.error(message[:1].lower() + message[1:], field=field, hint=hint)


def _hint(field: str) -> str:
    types = {each.name: each.type for each in msgspec.structs.fields(BenchmarkEntry)}
    kind = types.get(field)
    if isinstance(kind, type) and hasattr(kind, "__members__"):
        return f"one of: {', '.join(each.value for each in kind)}"  # type: ignore[attr-defined]
    if field.endswith(".level"):
        return "one of: normal, edge_case, correctness"
    return "see docs/aicodereval.md for the fields of an entry"
