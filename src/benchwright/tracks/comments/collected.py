"""Conversion of records of comment test sets into rows and back.

{"description"?, "code_snippet", "annotations": [{"line_number", "annotation"}]} and {"code_snippet",
"comment"}, as in the smart-coding proposal for Ianvs; optional fields are `lang`, `language` of comments,
`style`, `unit`, `key_lines` and `id`. Records with both forms, or with neither, are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent
from typing import Any, NamedTuple

from msgspec import to_builtins

from benchwright.errors import DataError, PrerequisiteError, UsageError
from benchwright.lang.languages import COMMENTED, commented_language
from benchwright.lang.lines import split_lf
from benchwright.records import Task
from benchwright.text.fences import locate_blocks
from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.collected.fields import ID, SHAPE, ReadRecord, restored
from benchwright.tracks.collected.ianvs import RESPONSE, carried_row, is_ianvs, question_of
from benchwright.tracks.collected.importing import (
    ANNOTATIONS,
    COMMENT,
    Importing,
    RecordConverter,
    is_row,
    row_from,
    row_of_ianvs,
    unknown_shape,
)
from benchwright.tracks.comments.marking import annotations_in, commented_code
from benchwright.tracks.comments.rows import MAX_CODE, NATURAL, build, each_once, read_annotation
from benchwright.tracks.mera_rows import items
from benchwright.tracks.rows import Fields

CODE = "code_snippet"
_LANGS = "|".join((*COMMENTED, "golang"))
_OF_CODE = (
    "(?:code|function|method|class|program|snippet|file|script|module|source|код|функци|метод|класс|программ)"
)
_NAMED = re.compile(rf"\b(?:(?:in|на(?: языке)?) ({_LANGS})\b|({_LANGS})(?=[- ]{_OF_CODE}))", re.IGNORECASE)
MOST_LINES = 20  # above code that is in no fence
_ANNOTATION = ("line", "text")  # the names that a row has in an annotation
_SAME = ("style", "unit")


def read_lang(name: str) -> str:
    """The programming language with a name; empty if unknown."""
    try:
        return commented_language(name).name
    except DataError:
        return ""


def known_lang(name: str) -> str:
    """The programming language of an option. Raises UsageError if unknown."""
    if name and not read_lang(name):
        raise UsageError(f"--lang {name}: unknown language", hint=f"one of: {', '.join(COMMENTED)}")
    return read_lang(name)


def to_row(fields: Fields, importing: Importing) -> dict[str, Any]:
    """Convert an object of any known format into a row. Raises DataError with file, line and field."""
    if is_row(fields):
        return fields.data
    record = importing.record(fields)
    if is_ianvs(record):
        return carried_row(record) or _row_of_ianvs(fields, record, importing)
    if CODE not in record.data:
        raise unknown_shape(record, needs=CODE, to="smartcoding-comments")
    return _row_of_record(fields, record, importing)


def _row_of_record(source: Fields, record: Fields, importing: Importing) -> dict[str, Any]:
    taken = ReadRecord(record)
    code = taken.fields.text(CODE, limit=MAX_CODE)
    if not code.strip():
        raise taken.fields.error("is empty", field=CODE, hint="a record needs code to comment")
    taken.use(CODE)
    inputs: dict[str, Any] = {"code": code, "lang": _lang(taken, importing)}
    for name in ("description", *_SAME):
        if taken.has(name):
            inputs[name] = taken.text(name)
    _take_natural(taken, inputs)
    shown = "{description}\n\n{code}" if inputs.get("description") else "{code}"
    outputs = _outputs(taken, len(split_lf(code)))
    if derived := _derived(outputs, inputs):
        taken.derive(ANNOTATIONS)
        outputs = {ANNOTATIONS: derived, **outputs}
    shape = COMMENT if taken.has(COMMENT) and not taken.has(ANNOTATIONS) else ANNOTATIONS
    return row_from(source, taken, shape=shape, parts=(shown, inputs, outputs), importing=importing)


def record_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row into a record with annotations, comment, or both."""
    inputs, outputs = row["inputs"], row["outputs"]
    known: dict[str, Any] = {CODE: inputs["code"]}
    if "description" in inputs:
        known = {"description": inputs["description"], **known}
    if "annotations" in outputs:
        known[ANNOTATIONS] = [_annotation_record(each) for each in outputs["annotations"]]
    if COMMENT in outputs:
        known[COMMENT] = outputs[COMMENT]
    for name in ("lang", *_SAME, "language"):
        if name in inputs:
            known[name] = inputs[name]
    if "key_lines" in outputs:
        known["key_lines"] = outputs["key_lines"]
    meta = row["meta"]
    return restored({**known, ID: meta[ID]}, meta, own=meta.get(SHAPE) in (ANNOTATIONS, COMMENT))


def _row_of_ianvs(source: Fields, record: Fields, importing: Importing) -> dict[str, Any]:
    """Convert an Ianvs record whose query has code in a fence, or Python code below an instruction."""
    query, response = question_of(record), record.text(RESPONSE)
    found = _fenced_code(query) or _bare_code(query)
    if found is None:
        hint = "put the code in a fence, or name its field: --fields MINE=code_snippet"
        raise record.error(
            "contains no code that can be separated from the request", field="query", hint=hint
        )
    lang = read_lang(found.tag) or importing.lang or _described(found.before) or "Python"
    inputs = {"code": found.code, "lang": lang, "description": found.before.strip(), "query": query}
    outputs: dict[str, Any] = {COMMENT: response} if response.strip() else {}
    if derived := _derived(outputs, inputs):
        outputs = {ANNOTATIONS: derived, **outputs}
    return row_of_ianvs(source, record, inputs, outputs, shown="query", importing=importing)


class _Code(NamedTuple):
    before: str
    code: str
    tag: str


def _fenced_code(text: str) -> _Code | None:
    """The longest fenced block that may be code."""
    found = [each for each in locate_blocks(text) if each.block.content.strip()]
    if not found:
        return None
    longest = max(found, key=lambda each: len(each.block.content))
    before = "\n".join(text.split("\n")[: max(longest.first_line - 2, 0)])
    return _Code(before, longest.block.content, longest.block.tag)


def _bare_code(text: str) -> _Code | None:
    lines = text.split("\n")
    for start in range(min(len(lines), MOST_LINES)):
        code = "\n".join(lines[start:])
        if code.strip() and not isinstance(parse(dedent(code)), ParseFault):
            return _Code("\n".join(lines[:start]), code, "")
    return None


def _described(text: str) -> str:
    """The language that a text names; empty if it names none or several."""
    named = {read_lang(first or second) for first, second in _NAMED.findall(text)}
    return named.pop() if len(named) == 1 else ""


def _lang(taken: ReadRecord, importing: Importing) -> str:
    """The language by field, option or description; Python if the code parses as Python."""
    for name in ("lang", "language"):
        if not taken.has(name):
            continue
        said = taken.fields.text(name, limit=40)
        if found := read_lang(said):
            if name == "lang" and found == said:
                taken.use(name)
            else:
                taken.read(name)
                taken.derive("lang")
            return found
        if name == "lang" or said not in NATURAL:
            hint = f"one of: {', '.join(COMMENTED)}"
            raise taken.fields.error(f"{said!r} is not a known language", field=name, hint=hint)
    taken.derive("lang")
    if found := importing.lang or _described(str(taken.fields.data.get("description", ""))):
        return found
    if not isinstance(parse(dedent(taken.fields.data[CODE])), ParseFault):
        return "Python"
    hint = 'add "lang": "Java" to the record, or --lang Java for all records without a language'
    raise taken.fields.error("the record has no language, and the code is not Python", field=CODE, hint=hint)


def _take_natural(taken: ReadRecord, inputs: dict[str, Any]) -> None:
    """The natural language of the comments, if `language` is not the programming language."""
    if taken.has("language") and taken.fields.data["language"] in NATURAL:
        inputs["language"] = taken.text("language")


def _outputs(taken: ReadRecord, lines: int) -> dict[str, Any]:
    outputs: dict[str, Any] = {}
    if taken.has(ANNOTATIONS):
        outputs["annotations"] = _annotations_in_record(taken, lines)
    if taken.has(COMMENT):
        outputs["comment"] = taken.text(COMMENT)
    if taken.has("key_lines"):
        taken.use("key_lines")
        outputs["key_lines"] = taken.fields.data["key_lines"]
    return outputs


def _derived(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Annotations in a reference comment that is the commented code itself."""
    if ANNOTATIONS in outputs or COMMENT not in outputs:
        return []
    code, lang = inputs["code"], inputs["lang"]
    try:
        whole = commented_code(outputs[COMMENT], code, lang)
        found = annotations_in(whole, code, lang) if whole is not None else []
    except PrerequisiteError:  # the comment is kept as it is; a run says what must be installed
        return []
    return [to_builtins(each) for each in found]


def _annotations_in_record(taken: ReadRecord, lines: int) -> list[dict[str, Any]]:
    """Annotations as in a row; additional fields are kept, under `given` if their name is taken."""
    taken.use(ANNOTATIONS)
    given = items(taken.fields, ANNOTATIONS)
    read = each_once(
        (read_annotation(each, lines, line="line_number", text="annotation") for each in given), taken.fields
    )
    rows = []
    for each, annotation in zip(given, read, strict=True):
        inner = ReadRecord(each, reserved=_ANNOTATION)
        inner.use("line_number")
        inner.use("annotation")
        rows.append({"line": annotation.line, "text": annotation.text, **inner.meta()})
    return rows


def _annotation_record(annotation: Mapping[str, Any]) -> dict[str, Any]:
    known = {"line_number": annotation["line"], "annotation": annotation["text"]}
    return restored(known, annotation, reserved=_ANNOTATION)


def _note(task: Task) -> str:
    known = task.outputs.get("annotations") or task.outputs.get("comment")
    return "" if known else "has no reference comment"


CONVERTER = RecordConverter(
    to_row=to_row,
    build=build,
    record_of_row=record_of_row,
    key_input="code",
    level=lambda task: str(task.inputs["lang"]),
    note=_note,
)
