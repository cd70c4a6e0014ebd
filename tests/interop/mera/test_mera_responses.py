"""Checks of a task set of raw answers: ten texts a task, in one list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.interop.mera.submission_check import check
from benchwright.interop.mera.task_sets import TaskSetGold
from kit.mera_cases import encoded, kinds, pack

GOLD = {"CodeLinterEval": TaskSetGold({1: 1}, None)}


@pytest.mark.parametrize(
    ("outputs", "faults"),
    [
        ([["x"] * 9 + ["y"]], {}),
        ([["x", ""] * 6], {}),
        ("x", {"outputs-not-list": 1}),
        (["x"] * 10, {"responses-nesting": 1}),
        ([["x"]] * 10, {"responses-nesting": 1}),
        ([["x"] * 9], {"few-generations": 1}),
        ([[]], {"no-generations": 1}),
        ([], {"unscorable": 1}),
        ([["x"] * 9 + [None]], {"response-not-text": 1}),
        ([["x"] * 9 + [["y"]]], {"response-not-text": 1}),
        ([[""] * 10], {"only-empty": 1}),
    ],
)
def test_each_fault_has_a_name(outputs: Any, faults: dict[str, int], tmp_path: Path) -> None:
    """And a good row has none; there is no score without the linter."""
    document = {"data": {"test": [{"outputs": outputs, "meta": {"id": 1}}]}}
    found = check(pack(tmp_path, {"CodeLinterEval.json": encoded(document)}), GOLD)

    assert kinds(found) == faults
    assert found.sets[0].served == {}
