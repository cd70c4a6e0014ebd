"""Limits of mutants: powers of two above a multiple of the solution's time."""

from __future__ import annotations

import pytest

from benchwright.building.adequacy.trial_limits import call_limit, limit_of, mutant_spec
from benchwright.contracts import CallsSpec
from benchwright.executing.trials import TrialResult
from benchwright.records import Outcome


@pytest.mark.parametrize(
    ("gold_s", "call_s", "limit", "of_call"),
    [
        (0.0, 0.0, 1 / 16, None),  # not measured
        (0.001, 0.0005, 1 / 16, None),
        (0.01, 0.001, 0.25, 1 / 16),
        (0.01, 0.01, 0.25, None),  # one call took all
        (0.1, 0.004, 2.0, 0.125),
        (0.5, 0.001, 3.0, 1 / 16),  # the limit of the solution is the largest
        (9.0, 9.0, 3.0, None),
    ],
)
def test_limits_follow_from_the_solution(
    gold_s: float, call_s: float, limit: float, of_call: float | None
) -> None:
    """Of all calls, and of one call if that is less."""
    gold = TrialResult(key="k", outcome=Outcome.passed, cpu_s=gold_s, call_s=call_s)
    spec = mutant_spec(CallsSpec(entry_point="f"), gold)

    assert (spec.cpu_limit_s, spec.call_limit_s) == (limit, of_call)
    assert (limit_of(gold_s, 3.0), call_limit(call_s, limit)) == (limit, of_call)
