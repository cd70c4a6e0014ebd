"""Tests of answering commits become tests of rows if they fail before the answer and pass after it."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.building.alignment.benchmark.material import MinedRow
from benchwright.building.alignment.benchmark.refine_rows import refine_rows
from benchwright.building.alignment.benchmark.refine_tests import RefineTestFinder
from benchwright.executing.suite_runners import Runners
from benchwright.sources.events import FileVersion
from kit.fake_suites import FakeGo, FakeSuites
from kit.made_mining import FILES, FIX, MIDDLE, NEW, OLD, REPO, MadeRecords, answered, event, lines_of, remark

TESTS = "import unittest\nfrom scales import weigh\n\n\nclass Weighing(unittest.TestCase):\n    def test_it(self): ...\n"
FIXED = "# needs: is None\n"  # the invented runner passes if the code has these words


def _found(
    *paths: str, mark: str = FIXED, tests: str = TESTS, code: str = OLD, **parts: Any
) -> tuple[MinedRow, dict[str, int]]:
    """The only row, made from an answer that changed these files too, and the counts."""
    files = [FileVersion(path=path, status=parts.get("status", "modified")) for path in ("scales.py", *paths)]
    texts = {**FILES, (REPO, MIDDLE, "scales.py"): code + mark, (REPO, FIX, "scales.py"): NEW + mark}
    texts |= {(REPO, FIX, path): tests for path in paths}
    records = MadeRecords(
        events=[event("commit", 3, subject=f"commit:{FIX}", files=files)],
        feedback=[remark(1, 7, "Compare with `is`.")],
        links=[answered(1, 7)],
    )
    make = parts.get("make", FakeSuites)
    with Runners(lambda lang: make()) as runners:
        finder = RefineTestFinder(records, lines_of(texts), runners)
        mined = [
            each for each in refine_rows(records, lines_of(texts), repos={REPO}) if isinstance(each, MinedRow)
        ]
        (row,) = finder.rows(mined)
    return row, dict(finder.counts)


def test_a_test_file_of_the_answer_is_added() -> None:
    """The first that fails before and passes after; the row is otherwise the same."""
    row, counts = _found("tests/test_scales.py", "tests/test_weights.py", "docs/test_scales.md")

    assert counts == {"with_tests": 1}
    assert row.row["tests"] == {"code": TESTS, "name": "tests/test_scales.py"}
    without, _ = _found()
    assert {**without.row, "tests": row.row["tests"]} == row.row


@pytest.mark.parametrize(
    ("paths", "parts", "reason"),
    [
        ((), {}, "no_test_file"),
        (("test_scales.py",), {"status": "deleted"}, "no_test_file"),
        (("test_scales.js",), {}, "no_test_file"),
        (("test_scales.py",), {"mark": ""}, "passes_before"),
        (("test_scales.py",), {"mark": "# needs: gold\n"}, "fails_with_reference"),
        (("test_scales.py",), {"mark": "# ends: lost\n"}, "tests_sandbox_error"),
        (("test_scales.py",), {"mark": "# ends: tampered\n"}, "tests_tampered"),
        (("test_scales.py",), {"tests": "x = 1\n"}, "test_file_unusable"),
        (("test_scales.py",), {"tests": "x = 1\n" * 6000}, "test_file_unusable"),
        (("test_scales.py",), {"make": FakeGo}, "language_unavailable"),
        (("test_scales.py",), {"mark": "# line\n" * 400}, "excerpt"),
    ],
)
def test_each_row_without_tests_has_a_reason(
    paths: tuple[str, ...], parts: dict[str, Any], reason: str
) -> None:
    """And stays in the data."""
    row, counts = _found(*paths, **parts)

    assert counts == {reason: 1} and "tests" not in row.row
