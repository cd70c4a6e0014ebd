"""MBPP: its sets' rows, the asserts as data where they are, and what cannot be judged apart."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.auditing.audit_tasks import AuditTask, graded_calls
from benchwright.auditing.row_loading import is_mbpp, read_mbpp
from benchwright.contracts import BatchSpec, CallsSpec
from benchwright.tracks.rows import Fields
from kit.audit_rows import mbpp_row


def read(**changed: Any) -> AuditTask:
    """The task of a changed row."""
    return read_mbpp(Fields(mbpp_row(**changed), "rows.jsonl", 1))


def test_asserts_are_calls_and_values() -> None:
    """Three asserts of constants are a batch of three calls."""
    task = read()

    assert is_mbpp(mbpp_row())
    assert [(call.text, call.value) for call in graded_calls(task)] == [("2", 4), ("-3", -6), ("10", 20)]
    assert (task.unit, task.solved.entry_point, task.further_tests) == (
        "11",
        "double",
        "assert double(0) == 0",
    )


def test_the_sanitized_set_has_other_names() -> None:
    """`prompt` in place of `text`, imports as a list."""
    row = mbpp_row(prompt="Double it.", test_imports=["import math"])
    row.pop("text")

    assert read_mbpp(Fields(row, "rows.jsonl", 1)).solved.prompt == "Double it."


def test_asserts_that_are_no_data_are_a_check() -> None:
    """An expression around the call is judged on the trusted side, its imports with it."""
    tests = ["assert math.isclose(double(2), 4.0, rel_tol=0.001)", "assert set([double(1)]) == {2}"]
    spec = read(test_list=tests, test_setup_code="import math").solved.spec

    assert isinstance(spec, CallsSpec)
    assert (spec.prelude.strip(), "candidate(2)" in spec.test, "double" in spec.test) == (
        "import math",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("imported", "borrowed"),
    [
        ("import sys", "import sys"),
        ("from sys import getsizeof as size, path", "from sys import getsizeof as size, path"),
        ("import numpy as sys", ""),
        ("import math", ""),
        ("from .sys import size", ""),
    ],
)
def test_imports_of_the_solution_that_its_tests_use(imported: str, borrowed: str) -> None:
    """In the data set both are one module; only the standard library is imported for it here."""
    tests = ["assert double(2) == sys.getsizeof(()) * 0 + 4", "assert double(size(())) > 0"]
    spec = read(code=f"{imported}\ndef double(x):\n    return 2 * x\n", test_list=tests).solved.spec

    assert isinstance(spec, CallsSpec)
    assert spec.prelude.strip() == borrowed


def test_the_plus_set_adds_its_inputs() -> None:
    """`inputs` and `results` of MBPP+'s test are further cases; one that is no data adds none."""
    plus = "inputs = [[1], [7]]\nresults = [2, 14]\nfor i, (inp, exp) in enumerate(zip(inputs, results)):\n    assertion(double(*inp), exp, 0)\n"

    assert [call.value for call in graded_calls(read(test=plus))] == [4, -6, 20, 2, 14]
    assert len(graded_calls(read(test="inputs = make()\nresults = [1]\n"))) == 3
    assert isinstance(read(test="def (").solved.spec, BatchSpec)


@pytest.mark.parametrize(
    "changed",
    [
        {"code": "class Pair: pass\ndef double(p): return p", "test_list": ["assert double(Pair()) == 1"]},
        {
            "code": "class Node: pass\ndef double(p): return 1",
            "test_setup_code": "root = Node()",
            "test_list": ["assert double(root) == 1"],
        },
    ],
    ids=["in an assert", "in the set-up"],
)
def test_objects_of_the_solution_cannot_be_judged_apart(changed: dict[str, Any]) -> None:
    """Such a row says so, and is not executed with a wrong verdict."""
    assert "cannot be judged without it" in read(**changed).lacks
