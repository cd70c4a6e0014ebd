"""Tests proposed in the form of each data set, and the graded calls of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.auditing.audit_tasks import NO_VALUE, graded_calls, proposed_test
from benchwright.auditing.row_loading import load_audit
from kit.audit_rows import entry_row, mbpp_row
from kit.small_data import humaneval_row, mera_row, write

ROWS = {
    "humaneval": humaneval_row(2),
    "ruhumaneval": mera_row(3),
    "mbpp": mbpp_row(),
    "aicodereval": entry_row(),
}
PROPOSED = [
    ("humaneval", "plus_2([1], y='a')", "[2]", "assert candidate([1], y='a') == [2]"),
    ("humaneval", "plus_2(1)", "None", "assert candidate(1) is None"),
    ("humaneval", "plus_2(1)", "0.25", "assert abs(candidate(1) - 0.25) < 1e-9"),
    ("humaneval", "plus_2(1)", "-1e-07", "assert abs(candidate(1) + 1e-07) < 1e-9"),
    ("mbpp", "double(1)", "2", "assert double(1) == 2"),
    ("ruhumaneval", "times_3(x=4)", "'12'", "tests: {'x': 4}, outputs: '12'"),
    ("ruhumaneval", "times_3(x=4)", "12.5", "tests: {'x': 4}, outputs: '12.5'"),
    ("aicodereval", "mean([1, 2])", "1.5", '{"level": "correctness", "input": {"args": [[1, 2]], "kwargs": {}}, "expected": {"value": 1.5, "rel_tol": 1e-06}}'),
    ("aicodereval", "mean((1,))", "{1}", '{"level": "correctness", "input": {"args": [{"$literal": "(1,)"}], "kwargs": {}}, "expected": {"value": {"$literal": "{1}"}}}'),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "call", "value", "expected"), PROPOSED)
def test_a_proposed_test_can_be_pasted(
    shape: str, call: str, value: str, expected: str, tmp_path: Path
) -> None:
    """As the author of such a data set writes one."""
    [task] = load_audit(write(tmp_path / "rows.jsonl", [ROWS[shape]])).tasks

    assert proposed_test(task, call, value) == expected


def test_graded_calls_of_each_shape(tmp_path: Path) -> None:
    """The arguments, with the value where the tests write it down."""
    tasks = load_audit(write(tmp_path / "rows.jsonl", ROWS.values())).tasks

    found = {task.shape: [(call.text, call.value) for call in graded_calls(task)][:2] for task in tasks}

    assert found == {
        "humaneval": [("7", 9)],
        "ruhumaneval": [("x=1", 3), ("x=2", 6)],
        "mbpp": [("2", 4), ("-3", -6)],
        "aicodereval": [("[1, 2, 3]", 2.0), ("[]", NO_VALUE)],
    }
