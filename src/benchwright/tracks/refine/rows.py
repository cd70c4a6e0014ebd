"""Rows with a review remark on a hunk: code, the hunk's lines, the remark, and the lines that answered it."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.contracts import RefineSpec, Suite
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, command_name, nearest, nearest_hint
from benchwright.lang.hunks import is_equal_but_spaces, replace_lines
from benchwright.lang.languages import COMMENTED, LANGUAGES, commented_language
from benchwright.lang.lines import split_lf
from benchwright.lang.source import lay_out
from benchwright.lang.source_errors import LayoutError
from benchwright.records import Record, Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, remembered

MAX_CODE = 1 << 17  # characters of the code, and of the tests
MAX_REMARK = 1 << 14
MAX_LINES = 400  # of a hunk, and of the lines that replace it
TEXT = "text"  # the language of plain text


class RefineTests(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of tests that fails on the code as given and passes on the code with the reference."""

    code: str
    name: str = ""  # path in the original project; decides how the tests import the code
    focal: str = ""  # path of the code in the original project; empty: the row's `path`


class RefineRow(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task: rewrite lines `first` to `last` of the code as the remark asks. Lines count from 1."""

    id: int | str
    code: str  # a file or an excerpt of it; with tests, a whole file
    first: int  # lines to rewrite, both ends included
    last: int
    remark: str
    reference: str  # the lines that replaced them
    lang: str = TEXT  # Python, Java, Go, JavaScript, TypeScript, C# or text
    path: str = ""  # of the file, shown to the model
    remark_first: int = 0  # lines that the remark is about, inside the lines to rewrite; 0: all of them
    remark_last: int = 0
    tests: RefineTests | None = None  # Python, Java, Go or JavaScript
    tags: list[str] = []  # the score has a group for each tag
    licence: str = ""  # SPDX of the repository
    repo: str = ""
    source: str = ""  # id or address of the remark
    commit: str = ""  # the commit that answered the remark
    meta: dict[str, Any] = {}  # anything else; ignored


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    row = _read(fields)
    fields = fields.named(row.id)
    spec = _spec(fields, row)
    revision_fields = {name: getattr(row, name) for name in ("path", "remark")}
    return Task(
        task_id=row.id,
        instruction=row.remark,
        inputs={},
        outputs=None,
        meta=fields.data,
        revision=content_key("smartcoding-refine", revision_fields, _revision_parts(spec)),
        origin=f"{fields.path}:{fields.line}",
    )


@remembered
def row_of(task: Task) -> RefineRow:
    """The row of a loaded task."""
    return _read(Fields(task.meta, task.origin, 1, task.task_id))


@remembered
def spec_of(task: Task) -> RefineSpec:
    """The spec of a loaded task."""
    fields = Fields(task.meta, task.origin, 1, task.task_id)
    return _spec(fields, _read(fields))


def _revision_parts(spec: RefineSpec) -> dict[str, Any]:
    tests = {} if spec.suite is None else msgspec.to_builtins(spec.suite)
    names = ("code", "lang", "first", "last", "remarked", "reference")
    return {**{name: getattr(spec, name) for name in names}, "tests": tests}


def _read(fields: Fields) -> RefineRow:
    known = RefineRow.__struct_fields__
    if unknown := next((name for name in fields.data if name not in known), None):
        hint = nearest_hint(unknown, known, otherwise=f"the fields are: {', '.join(known)};")
        raise fields.error("unknown field", field=unknown, hint=f"{hint} put notes into `meta`")
    fields = fields.named(fields.identity("id"))
    fields.text("code", limit=MAX_CODE)
    fields.text("reference", limit=MAX_CODE)
    if not fields.text("remark", limit=MAX_REMARK).strip():
        raise fields.error("is empty", field="remark", hint="a row needs a review remark")
    return fields.converted(
        RefineRow, hint=f"{command_name()} schema smartcoding-refine   # describes the fields"
    )


def _spec(fields: Fields, row: RefineRow) -> RefineSpec:
    lang, lines = _language(fields, row.lang), split_lf(row.code)
    _check_range(fields, row, len(lines))
    spec = RefineSpec(
        code=row.code,
        lang=lang,
        first=row.first,
        last=row.last,
        remarked=(row.remark_first or row.first, row.remark_last or row.last),
        reference=row.reference,
        suite=None if row.tests is None else _suite(fields, row, row.tests, lang),
    )
    _check_reference(fields, spec)
    return spec


def _language(fields: Fields, name: str) -> str:
    """The language's own name; empty for plain text. Raises DataError for an unknown one."""
    if name.strip().lower() == TEXT:
        return ""
    try:
        return commented_language(name).name
    except DataError:
        known = (*COMMENTED, TEXT)
        near = nearest(name.strip().lower(), {each.lower(): each for each in known})
        hint = f"did you mean `{near}`?" if near else f"one of: {', '.join(known)}"
        raise fields.error(f"{escaped_name(name, 40)!r} is unknown", field="lang", hint=hint) from None


def _check_range(fields: Fields, row: RefineRow, lines: int) -> None:
    if not 1 <= row.first <= lines:
        raise fields.error(f"the code has lines 1 to {lines:,}", field="first", hint='write "first": 1')
    if not row.first <= row.last <= lines:
        hint = f'write "last": a line from {row.first:,} to {lines:,}'
        raise fields.error(f"the code has lines 1 to {lines:,}", field="last", hint=hint)
    if row.last - row.first >= MAX_LINES:
        hint = "choose the lines around the remark"
        raise fields.error(f"the hunk has more than {MAX_LINES:,} lines", field="last", hint=hint)
    first, last = row.remark_first or row.first, row.remark_last or row.last
    if not row.first <= first <= row.last:
        hint = f"choose a line from {row.first:,} to {row.last:,}"
        raise fields.error("is outside the lines to rewrite", field="remark_first", hint=hint)
    if not first <= last <= row.last:
        hint = f"choose a line from {first:,} to {row.last:,}"
        raise fields.error("is outside the lines to rewrite", field="remark_last", hint=hint)


def _check_reference(fields: Fields, spec: RefineSpec) -> None:
    if not spec.reference.strip():
        hint = "where lines were only deleted, add an unchanged line above or below to the lines to rewrite"
        raise fields.error("is empty", field="reference", hint=hint)
    if spec.reference.count("\n") > MAX_LINES:
        hint = "choose the lines around the remark"
        raise fields.error(f"has more than {MAX_LINES:,} lines", field="reference", hint=hint)
    if replace_lines(spec.code, spec.first, spec.last, spec.reference) == spec.code:
        hint = "a row needs the lines that answered the remark"
        raise fields.error("equals the lines that the remark is about", field="reference", hint=hint)


def _suite(fields: Fields, row: RefineRow, tests: RefineTests, lang: str) -> Suite:
    """The code and its tests as a project. Raises DataError if they cannot be one."""
    inner = fields._replace(within="tests.")
    if lang not in LANGUAGES:
        hint = f"languages with tests: {', '.join(LANGUAGES)}"
        raise inner.error(f"cannot be executed for {lang or TEXT}", field="code", hint=hint)
    if len(tests.code) > MAX_CODE:
        raise inner.error(f"has more than {MAX_CODE:,} characters", field="code", hint="use fewer tests")
    try:
        return lay_out(
            row.code,
            tests.code,
            lang,
            focal_name=tests.focal or row.path or None,
            test_name=tests.name or None,
        )
    except LayoutError as error:
        hint = error.hint or "the tests must import the code, which must be a whole file"
        raise inner.error(error.what, field="code", hint=hint) from None


def is_about_spaces(spec: RefineSpec) -> bool:
    """Whether the reference differs from the hunk in white space alone."""
    return is_equal_but_spaces(
        spec.code, replace_lines(spec.code, spec.first, spec.last, spec.reference), spec.lang
    )
