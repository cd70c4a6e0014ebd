"""Findings of executions: a time-out is reported and is not a defect."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.auditing.audit_tasks import AuditTask
from benchwright.auditing.execution_findings import executed_findings
from benchwright.building.adequacy.examination_records import Examination
from benchwright.executing.trials import TrialResult
from benchwright.records import Outcome
from benchwright.sandbox.limits import Limits
from kit.solved_tasks import SOUND

PASSED = TrialResult(key="", outcome=Outcome.passed)
WRONG = TrialResult(key="", outcome=Outcome.wrong, detail="call 1: f(1) gave 2, expected 1")
SLOW = TrialResult(key="", outcome=Outcome.timed_out, detail="3 s of processor time", alone=True)


@pytest.mark.parametrize(
    ("found", "codes"),
    [
        ({"gold": [SLOW] * 5}, ["timed_out"]),
        ({"gold": [PASSED, SLOW]}, ["timed_out"]),
        ({"gold": [SLOW, WRONG]}, ["gold_fails"]),
        ({"gold": [PASSED], "alternatives": {"for as while": SLOW}}, ["timed_out"]),
        ({"gold": [PASSED], "alternatives": {"a": SLOW, "b": WRONG}}, ["alternative_fails", "timed_out"]),
        ({"gold": [PASSED], "alternatives": {"a": PASSED}, "stubs": {"returns None": SLOW}}, []),
    ],
)
def test_time_that_ran_out_is_information(found: dict[str, Any], codes: list[str]) -> None:
    """Of golds and of other right programs; a defect is what failed in another way."""
    examination = Examination(unit="t", revision="r", **found)

    findings = [*executed_findings(AuditTask(SOUND, "humaneval", "rows:1"), examination, Limits())]

    assert [each.code for each in findings] == codes
    assert all(each.weight == "information" for each in findings if each.code == "timed_out")
