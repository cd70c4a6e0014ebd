"""What an answer may use when nothing else is said."""

from __future__ import annotations

import pytest

from benchwright.sandbox.limits import Limits


@pytest.mark.parametrize(
    ("limits", "guard"),
    [(Limits(), 30.0), (Limits(cpu_s=0.5), 10.0), (Limits(cpu_s=60), 600.0), (Limits(cpu_s=60, wall_s=5), 5)],
)
def test_the_wall_guard_is_far_behind_the_clock(limits: Limits, guard: float) -> None:
    """Ten times the processor time and at least ten seconds, unless it is set."""
    assert guard == limits.wall_guard_s
