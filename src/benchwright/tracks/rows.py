"""Read and check the fields of an untrusted row; errors name file, line, task and field.

Rows in MERA's format ({instruction, inputs, outputs, meta}) keep unknown fields.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from benchwright.contracts import Spec
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.records import Record, Task, TaskId
from benchwright.sandbox.codec import Unsendable, encode
from benchwright.store.keys import content_key
from benchwright.tracks.prompt_templates import fill

MAX_ID = 200
MAX_INT = 1 << 63
_EXAMPLES = {"a string": '"text"', "an object": "{…}", "an integer or a string": "1"}


Refuse = Callable[[DataError], None]  # called with the error of an invalid row
_Converted = TypeVar("_Converted", bound=Record)


class Fields(NamedTuple):
    """A JSON object of a row, its position (`path`, `line`, `task_id`) and its path in the row (`within`)."""

    data: dict[str, Any]
    path: str
    line: int
    task_id: TaskId | None = None
    within: str = ""

    def error(self, message: str, *, field: str | None = None, hint: str | None = None) -> DataError:
        """Create the error for a field of this object."""
        name = f"{self.within}{escaped_name(field)}" if field else None
        return DataError(message, path=self.path, line=self.line, task_id=self.task_id, field=name, hint=hint)

    def named(self, task_id: TaskId) -> Fields:
        """The same fields; their errors name the task."""
        return self._replace(task_id=task_id)

    def text(self, name: str, *, limit: int | None = None) -> str:
        """A required string."""
        value: str = self._take(name, str, "a string")
        if limit is not None and len(value) > limit:
            message = f"has {len(value):,} characters; the limit is {limit:,}"
            raise self.error(message, field=name, hint="shorten it, or leave the row out")
        return value

    def inner(self, name: str) -> Fields:
        """A required object, as fields."""
        data = self._take(name, dict, "an object")
        return self._replace(data=data, within=f"{self.within}{name}.")

    def identifier(self, name: str) -> str:
        """A required name of a function."""
        value = self.text(name, limit=MAX_ID)
        if not value.isidentifier() or keyword.iskeyword(value):
            hint = f'write a Python name: "{name}": "solve"'
            raise self.error(f"{escaped_name(value)!r} cannot be a function's name", field=name, hint=hint)
        return value

    def identity(self, name: str) -> TaskId:
        """A required task id: an integer or one line of text."""
        value: TaskId = self._take(name, int | str, "an integer or a string")
        if isinstance(value, int):
            if not -MAX_INT <= value < MAX_INT:
                raise self.error("the number does not fit into 64 bits", field=name)
        elif not value or len(value) > MAX_ID or not value.isprintable():
            hint = f"use 1 to {MAX_ID} printable characters"
            raise self.error("the id is empty, too long, or not printable", field=name, hint=hint)
        return value

    def converted(self, kind: type[_Converted], *, hint: str | None = None) -> _Converted:
        """Convert the object into a record. Raises DataError, with the field's path, for a wrong type."""
        try:
            return msgspec.convert(self.data, kind)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at `$")
            field = place.rstrip("`").lstrip(".")[:80] or None
            raise self.error(message[:1].lower() + message[1:], field=field, hint=hint) from None

    def _take(self, name: str, kind: Any, expected: str) -> Any:
        if name not in self.data:
            found = ", ".join(f"`{escaped_name(key, 30)}`" for key in list(self.data)[:8]) or "nothing"
            raise self.error("the field is missing", field=name, hint=f"the object has {found}")
        value = self.data[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            hint = f"write it as {json.dumps(escaped_name(name, 30))}: {_EXAMPLES[expected]}"
            raise self.error(f"must be {expected}, not {_json_name(value)}", field=name, hint=hint)
        return value


def load_tasks(
    source: str | Path,
    build: Callable[[Fields], Task],
    *,
    refuse: Refuse | None = None,
    numbers: Literal["finite", "any"] = "finite",
) -> Iterator[Task]:
    """Yield the tasks of a data set. Raises DataError for an empty data set and for a duplicate id.

    Ids are compared as text, because answers do not distinguish `7` and `"7"`. If `refuse` is given, it is
    called with the error of each invalid row, and reading continues; an error that ends the file is raised
    anyway. `numbers` as in `open_rows`.
    """
    from benchwright.store.data_files import no_rows, open_rows, place  # noqa: PLC0415 (a worker reads no files)

    path = place(source)
    seen: dict[str, int] = {}
    rows = 0
    for line, data in open_rows(source, refuse=refuse, numbers=numbers):
        rows += 1
        try:
            task = _check_first(build(Fields(data, path, line)), path, line, seen)
        except DataError as error:
            if refuse is None:
                raise
            refuse(error)
            continue
        yield task
    if not rows and refuse is None:
        raise no_rows(path)


def _check_first(task: Task, path: str, line: int, seen: dict[str, int]) -> Task:
    """Return the task. Raises DataError if an earlier one has its id."""
    if (key := str(task.task_id)) in seen:
        message = f"duplicate id; line {seen[key]} has it too"
        hint = "give each task its own id, or remove one of the two"
        raise DataError(message, path=path, line=line, task_id=task.task_id, hint=hint)
    seen[key] = line
    return task


def open_mera(fields: Fields) -> tuple[Fields, Fields]:
    """A row in MERA's format and its `meta`; their errors name the task. A HumanEval row is a DataError."""
    if "prompt" in fields.data and "test" in fields.data:
        raise fields.error("this is a HumanEval row, not a MERA row", hint="use the track `humaneval` for it")
    meta = fields.inner("meta")
    task_id = meta.identity("id")
    return fields.named(task_id), meta.named(task_id)


def instruction_of(fields: Fields, *, limit: int) -> str:
    """The instruction of a row in MERA's format. Raises DataError for a number, which some data sets have."""
    if isinstance(fields.data.get("instruction"), int):
        hint = "replace the number by the text of that prompt"
        raise fields.error("is a number, not a text", field="instruction", hint=hint)
    return fields.text("instruction", limit=limit)


def task_error(task: Task, message: str, *, field: str | None = None, hint: str | None = None) -> DataError:
    """Create the error for a loaded task; its origin gives file and line."""
    return DataError(message, path=task.origin or None, task_id=task.task_id, field=field, hint=hint)


def encoded(task: Task, value: object, *, field: str) -> bytes:
    """Encode a value for the sandbox. Raises DataError for an unsupported type."""
    try:
        return encode(value)
    except (Unsendable, ValueError) as error:
        hint = "use numbers, text, lists, tuples, dicts and sets"
        raise task_error(task, f"cannot be sent to the sandbox: {error}", field=field, hint=hint) from None


def _json_name(value: object) -> str:
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "an array" if isinstance(value, list) else "an object")


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
    check_shown(fields, instruction, inputs, shown)
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=outputs.data,
        meta=with_extra(fields, meta),
        revision=content_key(kind, inputs.data, outputs.data, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def with_extra(fields: Fields, meta: Fields) -> dict[str, Any]:
    """The meta of a task, with the row's unknown fields under EXTRA. Raises DataError if it has that key."""
    if EXTRA in meta.data:
        raise meta.error("the name is reserved", field=EXTRA, hint="rename the field")
    extra = {name: value for name, value in fields.data.items() if name not in _OWN}
    return {**meta.data, **({EXTRA: extra} if extra else {})}


def parts_of(task: Task) -> tuple[Fields, Fields]:
    """Inputs and outputs of a loaded task, as fields whose errors name the task."""
    base = Fields({}, task.origin, 1, task.task_id)
    return base._replace(data=task.inputs, within="inputs."), base._replace(
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


def text_task(
    fields: Fields,
    meta: Fields,
    inputs: Fields,
    *,
    shown: str,
    limit: int,
    outputs_limit: int,
    revision: Callable[[str | None, str], str],
) -> Task:
    """Make the task of a row whose `outputs` is a text or null; the instruction shows the input `shown`.

    `limit` is that of the instruction, in characters. `revision` makes the task's revision from outputs and
    instruction. Raises DataError with file, line, task, field and hint.
    """
    outputs = fields.data.get("outputs")
    if outputs is not None:
        fields.text("outputs", limit=outputs_limit)
    instruction = instruction_of(fields, limit=limit)
    check_shown(fields, instruction, inputs, shown)
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=outputs,
        meta=with_extra(fields, meta),
        revision=revision(outputs, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def check_shown(fields: Fields, instruction: str, inputs: Fields, shown: str) -> None:
    """Raise DataError unless the instruction can be filled in and shows the input `shown`."""
    try:
        prompt = fill(instruction, inputs.data)
    except ValueError as error:
        hint = f"use {{{shown}}}; double each brace of the text itself"
        raise fields.error(str(error), field="instruction", hint=hint) from None
    if inputs.data[shown].strip() not in prompt:
        hint = f"add {{{shown}}}"
        raise fields.error(f"does not show `{shown}` to the model", field="instruction", hint=hint)
