"""Default limits of an answer."""

from __future__ import annotations

import pytest

from benchwright.sandbox.environments import BUILT_IN
from benchwright.sandbox.limits import Limits


@pytest.mark.parametrize(
    ("limits", "guard"),
    [(Limits(), 30.0), (Limits(cpu_s=0.5), 10.0), (Limits(cpu_s=60), 600.0), (Limits(cpu_s=60, wall_s=5), 5)],
)
def test_the_wall_guard_is_far_behind_the_clock(limits: Limits, guard: float) -> None:
    """Ten times the processor time and at least ten seconds, unless it is set."""
    assert guard == limits.wall_guard_s


def test_a_program_without_libraries_may_be_given_less() -> None:
    """A profile with libraries keeps the default."""
    limits = Limits(memory_mb=1024, bare_memory_mb=128)

    assert (limits.of_bare().memory_mb, limits.memory_mb, Limits().of_bare()) == (128, 1024, Limits())
    assert [name for name, each in BUILT_IN.items() if each.is_bare] == ["bare"]
