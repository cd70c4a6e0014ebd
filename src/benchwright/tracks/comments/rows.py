"""Rows of the comment track: code and its reference comments.

{"instruction": "…{code}…", "inputs": {"code", "lang", "unit"?, "style"?, "language"?, "description"?},
"outputs": {"annotations"?: [{"line", "text"}], "comment"?, "key_lines"?}, "meta": {"id", …}}, in MERA's
format. Lines are numbered from 1. Other keys survive a round trip.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from benchwright.contracts import Annotation, CommentSpec, Unit
from benchwright.display.escape import escaped_name
from benchwright.errors import nearest
from benchwright.lang.languages import COMMENTED
from benchwright.lang.lines import split_lf
from benchwright.records import Task
from benchwright.text import words
from benchwright.tracks.mera_rows import items, optional_text, parts_of, remembered, task_of
from benchwright.tracks.rows import Fields

MAX_CODE = 1 << 17
MAX_ROW = 200 << 10  # limit of code and reference comments in bytes: they must also be accepted as an answer
NATURAL = words.LANGUAGES
UNITS: tuple[str, ...] = get_args(Unit)


def build(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    return task_of(fields, read_spec, kind="smartcoding-comments", shown="code")


@remembered
def spec_of(task: Task) -> CommentSpec:
    """The spec of a loaded task."""
    return read_spec(*parts_of(task))


def read_spec(inputs: Fields, outputs: Fields) -> CommentSpec:
    """Read the spec from a row's inputs and outputs. Raises DataError for an invalid field."""
    code = inputs.text("code", limit=MAX_CODE)
    if not code.strip():
        raise inputs.error("is empty", field="code", hint="a row needs code to comment")
    lines = len(split_lf(code))
    unit: Unit = chosen(inputs, "unit", UNITS, default="function")  # type: ignore[assignment]
    spec = CommentSpec(
        code=code,
        lang=chosen(inputs, "lang", COMMENTED),
        unit=unit,
        style=optional_text(inputs, "style", limit=40),
        language=chosen(inputs, "language", ("", *NATURAL), default=""),
        annotations=_annotations(outputs, lines),
        comment=optional_text(outputs, "comment", limit=MAX_CODE),
        key_lines=_key_lines(outputs, lines),
    )
    texts = [code, spec.comment, *(each.text for each in spec.annotations)]
    if (size := sum(len(text.encode("utf-8", "replace")) for text in texts)) > MAX_ROW:
        message = f"code and comments have {size:,} bytes, more than {MAX_ROW:,}"
        raise outputs.error(message, hint="split the file into its functions")
    return spec


def chosen(fields: Fields, name: str, known: tuple[str, ...], *, default: str | None = None) -> str:
    """A field's value, which must be one of the known ones in any case. Raises DataError."""
    if default is not None and name not in fields.data:
        return default
    value = fields.text(name)
    if value in known:
        return value
    by_lower = {each.lower(): each for each in known}
    near = nearest(value.strip().lower(), by_lower)
    hint = f"did you mean `{by_lower[near]}`?" if near else f"one of: {', '.join(filter(None, known))}"
    raise fields.error(f"{escaped_name(value, 40)!r} is unknown", field=name, hint=hint)


def _annotations(outputs: Fields, lines: int) -> list[Annotation]:
    given = (read_annotation(each, lines) for each in items(outputs, "annotations"))
    return sorted(each_once(given, outputs), key=lambda each: each.line)


def read_annotation(given: Fields, lines: int, *, line: str = "line", text: str = "text") -> Annotation:
    """Read one annotation on code with `lines` lines; `line` and `text` are the names of its fields."""
    number, said = line_number(given, line, lines), given.text(text, limit=MAX_CODE)
    if not said.strip():
        raise given.error("is empty", field=text, hint="leave the annotation out")
    return Annotation(line=number, text=said)


def each_once(annotations: Iterable[Annotation], fields: Fields) -> list[Annotation]:
    """The annotations. Raises DataError if two are on the same line."""
    found: dict[int, Annotation] = {}
    for each in annotations:
        if each.line in found:
            hint = "join the texts of one line into one annotation"
            raise fields.error(f"line {each.line} has two annotations", field="annotations", hint=hint)
        found[each.line] = each
    return list(found.values())


def line_number(fields: Fields, name: str, lines: int) -> int:
    """A line number of the code, from 1 to `lines`."""
    value = fields.data.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise fields.error("must be the number of a line", field=name, hint=f'write "{name}": 1')
    if not 1 <= value <= lines:
        hint = f"the code has lines 1 to {lines}"
        raise fields.error(f"the code has no line {value}", field=name, hint=hint)
    return value


def _key_lines(outputs: Fields, lines: int) -> list[int]:
    given = outputs.data.get("key_lines", [])
    if not isinstance(given, list):
        raise outputs.error("must be a list of line numbers", field="key_lines", hint='"key_lines": [1, 3]')
    named = {f"key_lines[{at}]": value for at, value in enumerate(given)}
    each = outputs._replace(data=named)
    return sorted({line_number(each, name, lines) for name in named})
