"""The clock: it never goes backwards, is never slower than real time, and otherwise follows the system's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.core.clock import MonotonicClock

STEPS = st.lists(st.tuples(st.integers(0, 10**12), st.integers(-(10**15), 10**15)), max_size=30)


class _Machine:
    """A machine whose time passes and whose clock is set."""

    def __init__(self) -> None:
        self.passed, self.set_off = 0, 10**18

    def wall(self) -> int:
        return self.set_off + self.passed

    def boot(self) -> int:
        return self.passed


@given(STEPS)
def test_time_passes_whatever_is_done_to_the_clock(steps: list[tuple[int, int]]) -> None:
    """Each step adds at least the time that has passed, and the clock is never behind the system's time."""
    machine = _Machine()
    clock = MonotonicClock(machine.wall, machine.boot)
    said = clock()
    for passes, shift in steps:
        machine.passed += passes
        machine.set_off += shift
        now = clock()
        assert now - said >= passes // 10**6
        assert now >= machine.wall() // 10**6
        said = now


@given(st.lists(st.integers(0, 10**12), max_size=30))
def test_a_clock_that_nobody_sets_is_the_systems(steps: list[int]) -> None:
    """The two are equal to the millisecond."""
    machine = _Machine()
    clock = MonotonicClock(machine.wall, machine.boot)
    for passes in steps:
        machine.passed += passes
        assert clock() == machine.wall() // 10**6


def test_the_real_one_runs() -> None:
    """Use the clocks of this machine."""
    clock = MonotonicClock()
    first = clock()

    assert 1_600_000_000_000 < first <= clock()
