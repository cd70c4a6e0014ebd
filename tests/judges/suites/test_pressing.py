"""A pressed scheduler brings out races, and lets right tests pass."""

from __future__ import annotations

from itertools import product

import pytest

from benchwright.building.codecorrectness.row_records import suite_of_paths
from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.executing.suite_runners import runner_for
from benchwright.judges.suites.variations import NONE, pressed_variations, schedule_stress
from kit.go_needs import need_go

_COUNTER = """import os
import sys
import threading


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def add(self):
        with self.lock:
            now = self.value
            self.value = now + 1


def count(times):
    counter = Counter()
    threads = [threading.Thread(target=lambda: [counter.add() for _ in range(times)]) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return counter.value


def cores():
    return len(os.sched_getaffinity(0))


def switching():
    return sys.getswitchinterval()
"""
_RACE = _COUNTER.replace("with self.lock:", "if self.lock:").replace("now + 1", "now + one()")
_RACE += "\n\ndef one():\n    return 1\n"


def _suite(focal: str, assertion: str) -> Suite:
    test = f"from counter import *\n\n\ndef test_it():\n    assert {assertion}\n"
    return suite_of_paths(focal, test, "Python", focal_path="counter.py", test_path="test_counter.py")


def _reports(suite: Suite, *variations: Variation) -> list[SuiteReport]:
    runner = runner_for(suite.lang)
    try:
        return [report for each in variations for _, report in runner.run([(0, suite)], variation=each)]
    finally:
        runner.close()


def test_no_press_changes_nothing() -> None:
    """The executions of before there was any are still the same."""
    assert schedule_stress(Variation(number=3, hash_seed=3)) == NONE


def test_presses_differ() -> None:
    """Fifteen of them are fifteen combinations, and both ends of each part are among them."""
    presses = [schedule_stress(each) for each in pressed_variations(5, 20)]

    assert len(set(presses)) == 15
    assert {each.one_core for each in presses} == {True, False} == {each.interpreted for each in presses}
    assert {1, 8} <= {each.processors for each in presses}
    assert all(0 < each.switch_s <= 0.005 for each in presses)


@pytest.mark.usefixtures("jail")
def test_one_core_and_short_turns() -> None:
    """The interpreter of a pressed execution has what its press says."""
    one, two = pressed_variations(0, 2)
    suite = _suite(_COUNTER, "cores() == 1 and switching() < 0.001")
    plain = _suite(_COUNTER, "switching() == 0.005")

    assert [each.state for each in _reports(suite, one)] == ["success"]
    assert [each.state for each in _reports(plain, Variation(), two)] == ["success", "failed"]


@pytest.mark.usefixtures("jail")
def test_a_lost_update_is_found_and_a_lock_passes() -> None:
    """The same counter with and without its lock."""
    presses = pressed_variations(0, 2)
    raced = _reports(_suite(_RACE, "count(500) == 1000"), *presses)
    locked = _reports(_suite(_COUNTER, "count(500) == 1000"), *presses)

    assert "failed" in {each.state for each in raced}
    assert {each.kind for each in raced} <= {"", "assertion"}
    assert {each.state for each in locked} == {"success"}


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("pressed", "processors"), [(0, 0), (1, 1), (2, 4)])
def test_go_is_told_of_processors(pressed: int, processors: int) -> None:
    """Its scheduler has as many as the press says."""
    need_go()
    focal = 'package cores\n\nimport "runtime"\n\nfunc Cores() int { return runtime.GOMAXPROCS(0) }\n'
    wanted = f"got != {processors}" if processors else "got < 1"
    test = 'package cores\n\nimport "testing"\n\nfunc TestCores(t *testing.T) {\n'
    test += f"\tif got := Cores(); {wanted} {{\n\t\tt.Fatal(got)\n\t}}\n}}\n"
    suite = suite_of_paths(focal, test, "Go", focal_path="cores.go", test_path="cores_test.go")

    assert [each.state for each in _reports(suite, Variation(pressed=pressed))] == ["success"]


def test_every_press_is_a_whole() -> None:
    """Any number gives a press: none is out of its tables."""
    for number, other in product(range(1, 200), (1, 60)):
        press = schedule_stress(Variation(pressed=number * other))
        assert press.processors >= 1 and press.switch_s > 0
