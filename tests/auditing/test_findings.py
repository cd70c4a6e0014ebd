"""Findings: how tasks are ranked, counted, and which codes a command may fail on."""

from __future__ import annotations

import pytest

from benchwright.auditing.findings import (
    CODES,
    TaskFinding,
    check_codes,
    count_tasks,
    failed_codes,
    rank_tasks,
)
from benchwright.errors import UsageError


def finding(task: str, code: str) -> TaskFinding:
    """A finding of this code."""
    return TaskFinding(task=task, code=code, detail="why")


def test_tasks_are_ranked_by_evidence() -> None:
    """A defect before any number of weaknesses, more places before fewer, the data set's order otherwise."""
    found = [
        finding("many", "weak_tests"),
        finding("many", "weak_tests"),
        finding("one", "weak_tests"),
        finding("beyond", "weak_beyond"),
        finding("told", "examples_in_tests"),
        finding("told", "unnamed_literal"),
        finding("broken", "gold_fails"),
        finding("same", "weak_tests"),
    ]
    origins = dict.fromkeys(["told", "beyond", "one", "same", "many", "sound", "broken"], "rows.jsonl:1")

    ranked = rank_tasks(found, origins)

    assert [(each.rank, each.task) for each in ranked] == [
        *((1, "broken"), (2, "many"), (3, "one"), (4, "same"), (5, "beyond"), (6, "told"))
    ]
    assert [(each.defects, each.witnesses, each.information) for each in ranked[:2]] == [(1, 0, 0), (0, 2, 0)]


def test_the_worst_finding_of_a_task_stands_first() -> None:
    """Findings are sorted by code, independent of the order of detection."""
    [task] = rank_tasks(
        [finding("a", "examples_in_tests"), finding("a", "weak_tests"), finding("a", "flaky")], {"a": ""}
    )

    assert [each.code for each in task.findings] == ["flaky", "weak_tests", "examples_in_tests"]


def test_a_code_is_counted_once_a_task() -> None:
    """Five places of one task are one weak task."""
    assert count_tasks([finding("a", "weak_tests")] * 5 + [finding("b", "flaky")]) == {
        "flaky": 1,
        "weak_tests": 1,
    }


def test_codes_and_weights_may_be_failed_on() -> None:
    """A weight selects all its codes; an unknown one is refused with the nearest name."""
    assert check_codes(["flaky"]) == {"flaky"}
    assert check_codes(["weakness", "flaky"]) == {
        "flaky",
        *(code for code in CODES if CODES[code].weight == "weakness"),
    }
    assert failed_codes({"flaky": 2, "weak_tests": 1}, check_codes(["weakness"])) == ["weak_tests"]
    with pytest.raises(UsageError, match="unknown code") as refused:
        check_codes(["flakey"])
    assert refused.value.hint == "did you mean `flaky`?"


def test_codes_are_in_the_order_of_their_weight() -> None:
    """So that the first finding of a task tells its weight."""
    weights = [meaning.weight for meaning in CODES.values()]

    assert weights == sorted(weights, key=["defect", "question", "weakness", "information"].index)
