"""A row says how its files lay when its label was made, and is verified, asked and checked by that."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.building.codecorrectness.row_records import LabelledRow, layout_of, suite_of
from benchwright.lang.source_errors import LayoutError
from benchwright.tracks.correctness.rows import place_note
from kit.made_repositories import cases_of, function


def _row(**changed: Any) -> LabelledRow:
    given = {
        "task_id": 1,
        "lang": "Python",
        "focal_code": function("label"),
        "test_code": cases_of("stamp", "label", "one"),
        "label": "success",
        "revision": "r",
        "focal_path": "src/stamp/functions.py",
        "test_path": "tests/test_functions.py",
    }
    return LabelledRow(**{**given, **changed})


def test_the_layout_of_the_label_comes_back() -> None:
    """By the texts alone another one could be found: the stored one is taken as it is."""
    decided = suite_of(_row())
    other = {"focal": "stamp/functions.py", "test": "tests/test_a.py", "framework": "pytest"}
    stored = suite_of(
        _row(layout={**other, "files": {"stamp/__init__.py": "from .functions import label\n"}})
    )

    assert suite_of(_row(layout=layout_of(decided))) == decided
    assert (stored.focal, stored.cases) == ("stamp/functions.py", ["test_one"])
    assert stored.files["stamp/__init__.py"] == "from .functions import label\n"


def test_the_module_of_a_go_row() -> None:
    """What lies beside the two files is part of it."""
    go = {
        "lang": "Go",
        "focal_code": "package sums\n\nfunc Sum(a, b int) int { return a + b }\n",
        "test_code": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) { Sum(1, 2) }\n',
        "focal_path": "sums.go",
        "test_path": "sums_test.go",
    }

    assert set(layout_of(suite_of(_row(**go)))["files"]) == {"go.mod"}


@pytest.mark.parametrize(
    "layout",
    [
        "flat",
        {"focal": "a.py", "test": "test_a.py"},
        {"focal": "../a.py", "test": "test_a.py", "framework": "pytest", "files": {}},
        {"focal": "a.py", "test": "a.py", "framework": "pytest", "files": {}},
        {"focal": "a.py", "test": "test_a.py", "framework": "pytest", "files": {"/etc/x": ""}},
        {"focal": "a.py", "test": "test_a.py", "framework": "pytest", "files": {"x": 1}},
        {"focal": 1, "test": "test_a.py", "framework": "pytest", "files": {}},
        {
            "focal": "a.py",
            "test": "test_a.py",
            "framework": "pytest",
            "files": dict.fromkeys(map(str, range(200)), ""),
        },
    ],
)
def test_a_layout_that_is_none(layout: object) -> None:
    """A row is a stranger's: its paths lead out of no folder, and what is no layout is said to be none."""
    with pytest.raises(LayoutError, match=r"meta\.layout"):
        suite_of(_row(layout=layout))


def test_the_prompt_names_the_files_where_their_path_does_not() -> None:
    """A test that imports from the package is executed with the focal file in the package's place."""
    layout = {"focal": "stamp.py", "test": "test_functions.py"}

    assert "stamp.py" in place_note({"layout": layout, "focal_path": "src/stamp/functions.py"}, language="ru")
    assert place_note({"layout": layout, "focal_path": "lib/stamp.py"}, language="ru") == ""
    assert place_note({"focal_path": "lib/stamp.py"}, language="en") == ""
    assert (
        place_note({"layout": {"focal": "A.java", "test": "B.java"}, "focal_path": "x.java"}, language="en")
        == ""
    )
