"""The wall clock only ends answers that hang: its limit grows with the processor time."""

from __future__ import annotations

import pytest

from benchwright.contracts import InputSet, PlusSpec
from benchwright.sandbox.limits import Limits


@pytest.mark.parametrize(
    ("limits", "cpu_s", "guard"),
    [
        (Limits(), 3.0, 30.0),
        (Limits(), 0.25, 30.0),
        (Limits(), 33.0, 330.0),
        (Limits(cpu_s=0.5), 0.5, 10.0),
        (Limits(wall_s=4.0), 33.0, 4.0),
    ],
)
def test_an_answer_with_a_limit_of_its_own(limits: Limits, cpu_s: float, guard: float) -> None:
    """Never less than the default; the caller's value is kept."""
    assert limits.guard_of(cpu_s) == guard
    assert limits.wall_guard_s <= guard or limits.wall_s is not None


@pytest.mark.parametrize(("limit", "executions"), [(None, 2), (5.0, 2), (33.0, 14)])
def test_a_worker_may_be_silent_for_as_long(limit: float | None, executions: int) -> None:
    """Otherwise the runner would end it before the sandbox does."""
    one = InputSet(calls=b"", expected=[], cpu_limit_s=limit)

    assert PlusSpec(entry_point="f", sets={"base": one, "plus": one}).executions == executions
