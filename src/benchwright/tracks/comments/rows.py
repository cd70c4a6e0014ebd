"""Rows of the comments track, and collected records (annotated or commented code) as rows and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from textwrap import dedent
from typing import Any, NamedTuple, get_args

from msgspec import to_builtins

from benchwright.contracts import Annotation, CommentSpec, Unit
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, PrerequisiteError, UsageError, nearest
from benchwright.lang.languages import COMMENTED, commented_language
from benchwright.lang.lines import split_lf
from benchwright.records import Task
from benchwright.text import words
from benchwright.text.fences import locate_blocks
from benchwright.text.syntax import ParseFault, parse
from benchwright.tracks.collected.ianvs_records import RESPONSE, carried_row, is_ianvs, question_of
from benchwright.tracks.collected.records import (
    ANNOTATIONS,
    COMMENT,
    ID,
    SHAPE,
    ImportOptions,
    RecordConverter,
    RecordReader,
    is_row,
    restored,
    row_from,
    row_of_ianvs,
    unknown_shape,
)
from benchwright.tracks.comments.answers import annotations_in, commented_code
from benchwright.tracks.rows import Fields, items, optional_text, parts_of, remembered, task_of

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
    number, comment = line_number(given, line, lines), given.text(text, limit=MAX_CODE)
    if not comment.strip():
        raise given.error("is empty", field=text, hint="leave the annotation out")
    return Annotation(line=number, text=comment)


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
    values_by_name = {f"key_lines[{at}]": value for at, value in enumerate(given)}
    each = outputs._replace(data=values_by_name)
    return sorted({line_number(each, name, lines) for name in values_by_name})


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


def to_row(fields: Fields, importing: ImportOptions) -> dict[str, Any]:
    """Convert an object of any known format into a row. Raises DataError with file, line and field."""
    if is_row(fields):
        return fields.data
    record = importing.record(fields)
    if is_ianvs(record):
        return carried_row(record) or _row_of_ianvs(fields, record, importing)
    if CODE not in record.data:
        raise unknown_shape(record, needs=CODE, to="smartcoding-comments")
    return _row_of_record(fields, record, importing)


def _row_of_record(source: Fields, record: Fields, importing: ImportOptions) -> dict[str, Any]:
    reader = RecordReader(record)
    code = reader.fields.text(CODE, limit=MAX_CODE)
    if not code.strip():
        raise reader.fields.error("is empty", field=CODE, hint="a record needs code to comment")
    reader.use(CODE)
    inputs: dict[str, Any] = {"code": code, "lang": _lang(reader, importing)}
    for name in ("description", *_SAME):
        if reader.has(name):
            inputs[name] = reader.text(name)
    _take_natural(reader, inputs)
    instruction = "{description}\n\n{code}" if inputs.get("description") else "{code}"
    outputs = _outputs(reader, len(split_lf(code)))
    if derived := _derived_annotations(outputs, inputs):
        reader.derive(ANNOTATIONS)
        outputs = {ANNOTATIONS: derived, **outputs}
    shape = COMMENT if reader.has(COMMENT) and not reader.has(ANNOTATIONS) else ANNOTATIONS
    return row_from(source, reader, shape=shape, parts=(instruction, inputs, outputs), importing=importing)


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


def _row_of_ianvs(source: Fields, record: Fields, importing: ImportOptions) -> dict[str, Any]:
    """Convert an Ianvs record whose query has code in a fence, or Python code below an instruction."""
    query, response = question_of(record), record.text(RESPONSE)
    found = _fenced_code(query) or _bare_code(query)
    if found is None:
        hint = "put the code in a fence, or name its field: --fields MINE=code_snippet"
        raise record.error(
            "contains no code that can be separated from the request", field="query", hint=hint
        )
    lang = read_lang(found.tag) or importing.lang or _named_language(found.before) or "Python"
    inputs = {"code": found.code, "lang": lang, "description": found.before.strip(), "query": query}
    outputs: dict[str, Any] = {COMMENT: response} if response.strip() else {}
    if derived := _derived_annotations(outputs, inputs):
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


def _named_language(text: str) -> str:
    """The language that a text names; empty if it names none or several."""
    languages = {read_lang(first or second) for first, second in _NAMED.findall(text)}
    return languages.pop() if len(languages) == 1 else ""


def _lang(reader: RecordReader, importing: ImportOptions) -> str:
    """The language by field, option or description; Python if the code parses as Python."""
    for name in ("lang", "language"):
        if not reader.has(name):
            continue
        value = reader.fields.text(name, limit=40)
        if found := read_lang(value):
            if name == "lang" and found == value:
                reader.use(name)
            else:
                reader.read(name)
                reader.derive("lang")
            return found
        if name == "lang" or value not in NATURAL:
            hint = f"one of: {', '.join(COMMENTED)}"
            raise reader.fields.error(f"{value!r} is not a known language", field=name, hint=hint)
    reader.derive("lang")
    if found := importing.lang or _named_language(str(reader.fields.data.get("description", ""))):
        return found
    if not isinstance(parse(dedent(reader.fields.data[CODE])), ParseFault):
        return "Python"
    hint = 'add "lang": "Java" to the record, or --lang Java for all records without a language'
    raise reader.fields.error("the record has no language, and the code is not Python", field=CODE, hint=hint)


def _take_natural(reader: RecordReader, inputs: dict[str, Any]) -> None:
    """The natural language of the comments, if `language` is not the programming language."""
    if reader.has("language") and reader.fields.data["language"] in NATURAL:
        inputs["language"] = reader.text("language")


def _outputs(reader: RecordReader, lines: int) -> dict[str, Any]:
    outputs: dict[str, Any] = {}
    if reader.has(ANNOTATIONS):
        outputs["annotations"] = _annotations_in_record(reader, lines)
    if reader.has(COMMENT):
        outputs["comment"] = reader.text(COMMENT)
    if reader.has("key_lines"):
        reader.use("key_lines")
        outputs["key_lines"] = reader.fields.data["key_lines"]
    return outputs


def _derived_annotations(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
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


def _annotations_in_record(reader: RecordReader, lines: int) -> list[dict[str, Any]]:
    """Annotations as in a row; additional fields are kept, under `given` if their name is taken."""
    reader.use(ANNOTATIONS)
    given = items(reader.fields, ANNOTATIONS)
    read = each_once(
        (read_annotation(each, lines, line="line_number", text="annotation") for each in given), reader.fields
    )
    rows = []
    for each, annotation in zip(given, read, strict=True):
        inner = RecordReader(each, reserved=_ANNOTATION)
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
