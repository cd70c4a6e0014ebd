"""Rows of MERA's CodeCorrectness: a focal file, a test file, a language, and the label under test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.contracts import Suite
from benchwright.errors import DataError
from benchwright.lang.escaping import unescape_double
from benchwright.lang.languages import language
from benchwright.lang.layout import lay_out
from benchwright.records import Record, TaskId
from benchwright.store.keys import content_key
from benchwright.store.sources import open_rows, place
from benchwright.tracks.rows import Fields

LABELS = ("success", "failed")
HIDDEN = ("", None)


class Row(Record, frozen=True, kw_only=True):
    """A row whose label is checked. `revision` is the content key of all that decides the label."""

    task_id: TaskId
    lang: str
    focal_code: str
    test_code: str
    label: str  # empty where the data set hides it
    revision: str
    origin: str = ""
    focal_path: str | None = None
    test_path: str | None = None
    unescaped: bool = False


def load_rows(source: str | Path) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Each row beside its JSON as it was read. Raises DataError with file, line, field and hint."""
    path, empty = place(source), True
    seen: dict[str, int] = {}
    for line, data in open_rows(source):
        row = _row(Fields(data, path, line))
        if (key := str(row.task_id)) in seen:
            message = f"the id is already that of line {seen[key]}"
            raise DataError(
                message, path=path, line=line, task_id=row.task_id, hint="give each row its own id"
            )
        seen[key], empty = line, False
        yield row, data
    if empty:
        raise DataError("the data set holds no rows", path=path, hint="write one JSON object a line")


def suite_of(row: Row) -> Suite:
    """The row as a project. Raises LayoutError."""
    return suite_of_paths(
        row.focal_code, row.test_code, row.lang, focal_path=row.focal_path, test_path=row.test_path
    )


def suite_of_paths(
    focal_code: str, test_code: str, lang: str, *, focal_path: str | None, test_path: str | None
) -> Suite:
    """The one way from two texts to a project, for building and for verifying alike. Raises LayoutError."""
    return lay_out(focal_code, test_code, lang, focal_name=focal_path, test_name=test_path)


def revision_of(lang: str, focal_code: str, test_code: str) -> str:
    """The content key of what decides a label."""
    return content_key(lang, focal_code, test_code)


def _row(fields: Fields) -> Row:
    meta = fields.inner("meta")
    named = fields.named(meta.identity("id"))
    inputs = named.inner("inputs")
    codes = [inputs.text("focal_code"), inputs.text("test_code")]
    plain = [unescape_double(code) for code in codes]
    focal, test = (code if meant is None else meant for code, meant in zip(codes, plain, strict=True))
    lang = _language(inputs)
    return Row(
        task_id=named.task_id if named.task_id is not None else "",
        lang=lang,
        focal_code=focal,
        test_code=test,
        label=_label(named),
        revision=revision_of(lang, focal, test),
        origin=f"{fields.path}:{fields.line}",
        focal_path=_path(meta.data.get("focal_path")),
        test_path=_path(meta.data.get("test_path")),
        unescaped=any(meant is not None for meant in plain),
    )


def _language(inputs: Fields) -> str:
    try:
        return language(inputs.text("lang"))
    except DataError as error:
        if error.path is not None:
            raise
        raise inputs.error(error.message.partition(": ")[2], field="lang", hint=error.hint) from None


def _label(fields: Fields) -> str:
    value = fields.data.get("outputs")
    if value in HIDDEN:
        return ""
    if value in LABELS:
        return str(value)
    message = f"the label is {str(value)[:40]!r}"
    raise fields.error(message, field="outputs", hint=f"one of: {', '.join(LABELS)}; empty when it is hidden")


def _path(value: object) -> str | None:
    """A path from the row, as a hint to the layout only: nothing is opened under that name."""
    return value if isinstance(value, str) and value else None
