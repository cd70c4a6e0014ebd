"""Rows of review remarks: reading, and an error for each field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.tracks.refine.rows import MAX_LINES, row_of, spec_of
from benchwright.tracks.refine.track import TRACK
from kit.smartcoding_rows import refine_row, row_with_tests


def _task(tmp_path: Path, row: dict[str, Any]) -> Task:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    (task,) = TRACK.load(path)
    return task


def test_a_row_is_read(tmp_path: Path) -> None:
    """Code, lines and reference form the spec; the row is unchanged."""
    task = _task(tmp_path, refine_row(tags=["style"], licence="MIT"))
    spec = spec_of(task)

    assert (spec.lang, spec.first, spec.last, spec.remarked) == ("Python", 6, 8, (7, 7))
    assert (spec.suite, row_of(task).tags, TRACK.to_row(task)["licence"]) == (None, ["style"], "MIT")


@pytest.mark.parametrize(
    ("lang", "name"), [("py", "Python"), ("ts", "TypeScript"), ("golang", "Go"), ("text", ""), ("Text", "")]
)
def test_spellings_of_a_language(lang: str, name: str, tmp_path: Path) -> None:
    """A row may use another spelling; plain text has no language."""
    row = refine_row(code="a\nb\n", reference="c", first=1, last=1, remark_first=0, remark_last=0, lang=lang)

    assert name == spec_of(_task(tmp_path, row)).lang


def test_the_remark_is_about_the_whole_hunk_by_default(tmp_path: Path) -> None:
    """This applies if it has no lines."""
    assert spec_of(_task(tmp_path, refine_row(remark_first=0, remark_last=0))).remarked == (6, 8)


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"lang": "Pyhton"}, "lang", "unknown"),
        ({"first": 0}, "first", "lines 1 to"),
        ({"first": 99}, "first", "lines 1 to"),
        ({"last": 5}, "last", "lines 1 to"),
        ({"last": 99}, "last", "lines 1 to"),
        ({"remark_first": 5}, "remark_first", "outside"),
        ({"remark_last": 9}, "remark_last", "outside"),
        ({"remark_last": 6}, "remark_last", "outside"),
        ({"remark": " \n"}, "remark", "empty"),
        ({"reference": "\n"}, "reference", "empty"),
        ({"reference": "x\n" * (MAX_LINES + 2)}, "reference", "more than"),
        (
            {"first": 1, "last": 1, "remark_first": 0, "remark_last": 0, "reference": "import os"},
            "reference",
            "",
        ),
        ({"code": "x\n" * 500, "first": 1, "last": 450}, "last", "more than"),
        ({"code": "x" * (1 << 18)}, "code", "limit"),
        ({"note": 1}, "note", "unknown field"),
        ({"first": "6"}, "first", "int"),
        ({"tests": {"code": "x = 1", "nmae": ""}}, "tests", ""),
        ({"tests": {"code": "def test_a():\n    pass\n"}}, "tests.code", ""),
        ({"tests": {"code": "x"}, "lang": "TypeScript"}, "tests.code", "cannot be executed"),
    ],
)
def test_each_fault_has_its_field(fields: dict[str, Any], field: str, message: str, tmp_path: Path) -> None:
    """The error has file and line, and a hint."""
    with pytest.raises(DataError) as caught:
        _task(tmp_path, refine_row(**fields))

    assert (caught.value.field, "rows.jsonl" in str(caught.value)) == (field, True)
    assert message in caught.value.message and (caught.value.hint or field in ("code", "tests"))


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    """The error is not about the next field that depends on it."""
    row = refine_row()
    del row["reference"]
    with pytest.raises(DataError) as caught:
        _task(tmp_path, row)

    assert caught.value.field == "reference"


def test_tests_make_a_suite(tmp_path: Path) -> None:
    """The code is its focal file, so an answer replaces it."""
    suite = spec_of(_task(tmp_path, row_with_tests())).suite

    assert suite is not None
    assert (suite.files[suite.focal], suite.cases) == (refine_row()["code"], ["test_none", "test_odd"])


@pytest.mark.parametrize(
    "change", [{"reference": "    pass"}, {"remark": "no"}, {"last": 9}, {"path": "a.py"}, {"lang": "text"}]
)
def test_what_decides_a_verdict_changes_the_revision(change: dict[str, Any], tmp_path: Path) -> None:
    """Tags and licences do not."""
    before, noted = (_task(tmp_path, refine_row(**more)).revision for more in ({}, {"licence": "MIT"}))

    assert before == noted != _task(tmp_path, refine_row(**change)).revision
