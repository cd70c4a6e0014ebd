"""Own tasks in an audit: executed ones, statically checked ones, and the proposed test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.auditing.audit_tasks import AuditTask, graded_calls, proposed_test
from benchwright.auditing.row_loading import load_audit, read_own_task
from benchwright.contracts import BatchSpec, CallsSpec
from benchwright.errors import DataError
from benchwright.tracks.rows import Fields
from kit.own_rows import ASSERTS, CALLS, LABEL, RUBRIC, own_file, own_row, own_task


def read(base: dict[str, Any] = CALLS, **changes: Any) -> AuditTask:
    """The task of a changed row."""
    return read_own_task(Fields(own_row(base, **changes), "own.jsonl", 1))


def test_calls_and_asserts_are_calls_with_values() -> None:
    """Asserts too, where each is a call and a value."""
    calls = read()
    asserts = read(ASSERTS, asserts=["assert slug('A') == 'a'", "assert slug(text='B c') == 'b-c'"])

    assert [(each.text, each.value) for each in graded_calls(calls)] == [("1, 2", 3), ("a=0.1, b=0.2", 0.3)]
    assert [(each.text, each.value) for each in graded_calls(asserts)] == [
        ("'A'", "a"),
        ("text='B c'", "b-c"),
    ]
    assert calls.solved.tests == "assert add(1, 2) == 3\nassert add(a=0.1, b=0.2) == 0.3"
    assert (calls.unit, calls.shape, calls.origin, calls.lacks) == ("add", "own", "own.jsonl:1", "")


def test_other_asserts_are_a_check() -> None:
    """With an import and a pattern in them."""
    task = read(ASSERTS)

    assert isinstance(task.solved.spec, CallsSpec)
    assert "re.match" in task.solved.spec.test
    assert task.lacks == ""


@pytest.mark.parametrize(
    ("base", "changes", "lacks"),
    [
        (LABEL, {}, "its answers are labels, and nothing is executed"),
        (RUBRIC, {}, "its answers are judged by a rubric, and nothing is executed"),
        (CALLS, {"solution": None}, "the task has no solution"),
    ],
)
def test_what_cannot_be_executed_says_why(base: dict[str, Any], changes: dict[str, Any], lacks: str) -> None:
    """It is still compared with the other tasks."""
    task = read(base, **changes)

    assert (task.lacks, task.solved.gold) == (lacks, "")
    assert graded_calls(task) == [] or base is CALLS


def test_answers_of_runs_fit(tmp_path: Path) -> None:
    """The revision is that of the task that a run was judged by."""
    assert read().solved.revision == own_task(tmp_path).revision


@pytest.mark.parametrize(
    ("base", "call", "value", "proposed"),
    [
        (CALLS, "add(1, b=2)", "3", {"args": [1], "kwargs": {"b": 2}, "returns": 3}),
        (CALLS, "add((1,), 2)", "3", "assert add((1,), 2) == 3"),  # JSON has no tuples
        (ASSERTS, "slug('A')", "'a'", "assert slug('A') == 'a'"),
    ],
)
def test_a_test_is_proposed_as_the_row_has_its_own(
    base: dict[str, Any], call: str, value: str, proposed: object
) -> None:
    """A call of data for calls, a line for asserts."""
    text = proposed_test(read(base), call, value)

    assert (json.loads(text) if isinstance(proposed, dict) else text) == proposed


def test_a_file_of_own_tasks_is_read_and_its_faults_named(tmp_path: Path) -> None:
    """All four kinds; a row with a fault is one that is named, with its hint."""
    path = own_file(tmp_path, CALLS, ASSERTS, LABEL, RUBRIC, own_row(LABEL, id="x", label="egg"))
    loaded = load_audit(path)
    (fault,) = loaded.unreadable

    assert [task.unit for task in loaded.tasks] == ["add", "slug", "spam", "rows"]
    assert isinstance(loaded.tasks[0].solved.spec, BatchSpec)
    assert (fault.place, bool(fault.hint)) == (f"{path}:5, task x, field `label`", True)
    assert len(load_audit(own_file(tmp_path, CALLS), shape="own").tasks) == 1
    with pytest.raises(DataError, match="unknown field"):
        load_audit(own_file(tmp_path, own_row(lable="x")))
