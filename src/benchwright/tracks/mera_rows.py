"""Rows in MERA's format, {instruction, inputs, outputs, meta}, with unknown fields kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from benchwright.contracts import Spec
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, instruction_of, open_mera
from benchwright.tracks.wordings import fill

MAX_TEXT = 1 << 20
EXTRA = "_row"  # key of `Task.meta` for fields other than MERA's four
S = TypeVar("S")
_OWN = ("instruction", "inputs", "outputs", "meta")


def task_of(fields: Fields, read_spec: Callable[[Fields, Fields], Spec], *, kind: str, shown: str) -> Task:
    """Read a task from a row: `read_spec` checks inputs and outputs; the instruction shows the input `shown`.

    Raises DataError with file, line, task, field and hint.
    """
    fields, meta = open_mera(fields)
    inputs, outputs = fields.inner("inputs"), fields.inner("outputs")
    read_spec(inputs, outputs)
    instruction = instruction_of(fields, limit=4 * MAX_TEXT)
    _check_instruction(fields, instruction, inputs, shown)
    if EXTRA in meta.data:
        raise meta.error("the name is reserved", field=EXTRA, hint="rename the field")
    extra = {name: value for name, value in fields.data.items() if name not in _OWN}
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=outputs.data,
        meta={**meta.data, **({EXTRA: extra} if extra else {})},
        revision=content_key(kind, inputs.data, outputs.data, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def parts_of(task: Task) -> tuple[Fields, Fields]:
    """Inputs and outputs of a loaded task, as fields whose errors name the task."""
    both = Fields({}, task.origin, 1, task.task_id)
    return both._replace(data=task.inputs, within="inputs."), both._replace(
        data=task.outputs, within="outputs."
    )


def row_of(task: Task) -> dict[str, Any]:
    """The row of a task, with its unknown fields."""
    meta = {name: value for name, value in task.meta.items() if name != EXTRA}
    row = {"instruction": task.instruction, "inputs": task.inputs, "outputs": task.outputs, "meta": meta}
    return {**row, **task.meta.get(EXTRA, {})}


def remembered(read: Callable[[Task], S]) -> Callable[[Task], S]:
    """Cache the last result of a function, because answers to one task follow each other."""
    last: tuple[Task, S] | None = None

    @wraps(read)
    def of(task: Task) -> S:
        nonlocal last
        if last is None or last[0] is not task:
            last = task, read(task)
        return last[1]

    return of


def optional_text(fields: Fields, name: str, *, limit: int = MAX_TEXT) -> str:
    """A string; empty if the field is missing."""
    return fields.text(name, limit=limit) if name in fields.data else ""


def items(fields: Fields, name: str) -> list[Fields]:
    """The objects of a list, each as fields; empty if the field is missing."""
    value = fields.data.get(name, [])
    hint = f'write "{name}": [{{…}}]'
    if not isinstance(value, list):
        raise fields.error("must be a list of objects", field=name, hint=hint)
    for at, each in enumerate(value):
        if not isinstance(each, dict):
            raise fields.error("must be an object", field=f"{name}[{at}]", hint=hint)
    return [
        fields._replace(data=each, within=f"{fields.within}{name}[{at}].") for at, each in enumerate(value)
    ]


def _check_instruction(fields: Fields, instruction: str, inputs: Fields, shown: str) -> None:
    try:
        prompt = fill(instruction, inputs.data)
    except ValueError as error:
        hint = f"use {{{shown}}}; double each brace of the text itself"
        raise fields.error(str(error), field="instruction", hint=hint) from None
    if inputs.data[shown].strip() not in prompt:
        hint = f"add {{{shown}}}"
        raise fields.error(f"does not show `{shown}` to the model", field="instruction", hint=hint)
