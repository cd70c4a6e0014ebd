"""Executions: each done once, stored as it ends, and never done again by whoever comes later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pytest

from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.errors import RunError
from benchwright.executing.suite_ledger import (
    Execution,
    Ledger,
    RowSuite,
    execute,
    execution_key,
    trace,
    variations,
)
from benchwright.executing.suite_runners import Runners
from benchwright.progress import Silent
from benchwright.store.writing import read_records
from kit.fake_suites import FakeGo, FakeJava, FakeSuites

_FAKES = {"Python": FakeSuites, "Java": FakeJava, "Go": FakeGo}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    FakeSuites.executed.clear()
    yield
    FakeSuites.executed.clear()
    FakeSuites.stop_after = None


def _runners() -> Runners:
    return Runners(lambda lang: _FAKES[lang]())


def _suite(remark: str, lang: str = "Python") -> Suite:
    files = {"a.py": f"# {remark}\n", "test_a.py": "import a\n"}
    return Suite(lang=lang, framework="pytest", files=files, focal="a.py", test="test_a.py", cases=["test_a"])


def _done(path: Path, jobs: list[RowSuite], repeat: int) -> dict[str, list[Execution]]:
    with Ledger(path) as ledger, _runners() as runners:
        return execute(jobs, ledger, runners, repeat=repeat, watch=Silent())


def test_each_row_gets_each_variation(tmp_path: Path) -> None:
    """Executions come in the order of the variations, whatever the order of the reports."""
    jobs = [RowSuite("one", _suite("ends: success")), RowSuite("two", _suite("ends: flaky"))]
    done = _done(tmp_path / "e.jsonl", jobs, 3)
    states = {row: [(each.variation.number, each.state) for each in runs] for row, runs in done.items()}

    assert states == {
        "one": [(0, "success"), (1, "success"), (2, "success")],
        "two": [(0, "failed"), (1, "success"), (2, "failed")],
    }


def test_nothing_is_executed_twice(tmp_path: Path) -> None:
    """A second call executes nothing, and a larger repeat only what is new."""
    jobs = [RowSuite("one", _suite("ends: success"))]
    first = _done(tmp_path / "e.jsonl", jobs, 2)
    again = _done(tmp_path / "e.jsonl", jobs, 2)
    counted = len(FakeSuites.executed)
    _done(tmp_path / "e.jsonl", jobs, 5)

    assert (first, counted, [number for _, number in FakeSuites.executed]) == (again, 2, [0, 1, 2, 3, 4])


def test_an_ended_command_goes_on(tmp_path: Path) -> None:
    """What was executed before the end is on disk, and only the rest is done."""
    jobs = [RowSuite(str(number), _suite(f"number {number}")) for number in range(4)]
    FakeSuites.stop_after = 5
    with pytest.raises(KeyboardInterrupt):
        _done(tmp_path / "e.jsonl", jobs, 3)
    FakeSuites.stop_after = None
    done = _done(tmp_path / "e.jsonl", jobs, 3)

    assert (len(FakeSuites.executed), len(set(FakeSuites.executed))) == (12, 12)
    assert [len(runs) for runs in done.values()] == [3, 3, 3, 3]


def test_a_torn_line_is_done_again(tmp_path: Path) -> None:
    """A kill in the middle of a write costs that execution alone."""
    path, jobs = tmp_path / "e.jsonl", [RowSuite("one", _suite("ends: success"))]
    _done(path, jobs, 3)
    path.write_bytes(path.read_bytes()[:-20])
    done = _done(path, jobs, 3)

    assert (len(FakeSuites.executed), len(done["one"]), len(list(read_records(path, Execution)))) == (4, 3, 3)


def test_equal_suites_cost_one_execution(tmp_path: Path) -> None:
    """Two rows of equal content share what is known."""
    jobs = [RowSuite("one", _suite("ends: success")), RowSuite("two", _suite("ends: success"))]
    done = _done(tmp_path / "e.jsonl", jobs, 2)

    assert (len(FakeSuites.executed), len(done["one"]), len(done["two"])) == (2, 2, 2)


def test_a_failed_sandbox_is_tried_again(tmp_path: Path) -> None:
    """It is stored, so that it can be looked at, but it is no knowledge of the row."""
    jobs = [RowSuite("one", _suite("ends: sandbox_error"))]
    first = _done(tmp_path / "e.jsonl", jobs, 2)
    _done(tmp_path / "e.jsonl", jobs, 2)

    assert ([each.state for each in first["one"]], len(FakeSuites.executed)) == (["sandbox_error"] * 2, 4)


def test_a_lost_suite_is_named(tmp_path: Path) -> None:
    """A runner that says nothing of a suite failed; the row is not gone."""
    done = _done(tmp_path / "e.jsonl", [RowSuite("one", _suite("ends: lost"))], 2)

    assert [(each.state, each.detail) for each in done["one"]] == [
        ("sandbox_error", "the runner gave no report")
    ] * 2


def test_an_absent_toolchain_is_a_state(tmp_path: Path) -> None:
    """Other languages go on, nothing is stored, and the reason is told once."""
    jobs = [RowSuite("go", _suite("x", "Go")), RowSuite("java", _suite("ends: success", "Java"))]
    with Ledger(tmp_path / "e.jsonl") as ledger, _runners() as runners:
        done = execute(jobs, ledger, runners, repeat=2, watch=Silent())
        absent = [(each.lang, each.why, each.hint) for each in runners.absent]

    assert absent == [("Go", "there is no Go", "apt-get install golang-go")]
    assert ([each.state for each in done["go"]], [each.state for each in done["java"]]) == (
        ["absent"],
        ["success", "success"],
    )


def test_the_key_is_all_that_decides() -> None:
    """Another text, case, variation or version is another execution."""
    suite, other = _suite("x"), _suite("y")
    keys = {
        execution_key(suite, Variation(), {"python": "3.11"}),
        execution_key(other, Variation(), {"python": "3.11"}),
        execution_key(suite, Variation(hash_seed=1), {"python": "3.11"}),
        execution_key(suite, Variation(), {"python": "3.12"}),
    }

    assert len(keys) == 4


def test_two_writers_are_refused(tmp_path: Path) -> None:
    """A folder that is being written belongs to one command."""
    with Ledger(tmp_path / "e.jsonl"), pytest.raises(RunError) as caught:
        Ledger(tmp_path / "e.jsonl")

    assert "being written by another run" in str(caught.value)


def test_variations_are_always_the_same() -> None:
    """More of them begin like fewer; the first changes nothing, and no two of the first seven are equal."""
    seven = variations(7)

    assert (variations(3), seven[0], len(set(map(str, seven)))) == (seven[:3], Variation(), 7)


def test_variations_move_everything() -> None:
    """Within five: another hash seed and order, a clock before and after, zones east and west."""
    five = variations(5)
    shifts = [each.clock_shift_s for each in five]

    assert (len({each.hash_seed for each in five}), min(shifts) < 0 < max(shifts)) == (5, True)
    assert len({each.timezone for each in five}) >= 4


class Traced(FakeSuites):
    """Says one line more each time that it is executed."""

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """With lines where they are asked for."""
        for number, report in super().run(suites, variation=variation):
            lines = list(range(1, 1 + len(FakeSuites.executed))) if variation.traced else []
            yield number, msgspec.structs.replace(report, lines=lines)


def test_a_traced_execution_is_one_of_its_own(tmp_path: Path) -> None:
    """It is stored with its lines and done once, and labels take no notice of it."""
    jobs = [RowSuite("one", _suite("ends: success")), RowSuite("two", _suite("ends: assertion"))]
    path = tmp_path / "e.jsonl"
    for _ in range(2):
        with Ledger(path) as ledger, Runners(lambda _: Traced()) as runners:
            found = trace(jobs, ledger, runners, watch=Silent())
            done = execute(jobs, ledger, runners, repeat=2, watch=Silent())

    assert found == {"one": [1, 2], "two": [1]}  # the fake goes from the last to the first
    assert [each.lines for runs in done.values() for each in runs] == [[]] * 4
    assert len(FakeSuites.executed) == 2 + 4


def test_a_language_that_is_not_there_has_no_lines(tmp_path: Path) -> None:
    """Nothing is known of its rows."""
    with Ledger(tmp_path / "e.jsonl") as ledger, _runners() as runners:
        assert trace([RowSuite("one", _suite("", "Go"))], ledger, runners, watch=Silent()) == {"one": []}


def test_executions_of_before_there_were_traced_ones_keep_their_keys() -> None:
    """An old folder's executions are not done again."""
    suite = _suite("ends: success")
    names = (
        execution_key(suite, Variation(number=1), {}),
        execution_key(suite, Variation(number=1, traced=True), {}),
    )

    assert names[0] != names[1]
    assert "traced" not in msgspec.to_builtins(Variation(number=1))


@pytest.mark.parametrize("repeat", [2, 5, 12])
def test_what_runs_out_of_time_is_repeated_once(tmp_path: Path, repeat: int) -> None:
    """A hundred seconds each time, and a third execution would say the same."""
    done = _done(tmp_path / "e.jsonl", [RowSuite("one", _suite("ends: timeout"))], repeat)
    again = _done(tmp_path / "e.jsonl", [RowSuite("one", _suite("ends: timeout"))], repeat)

    assert ([each.kind for each in done["one"]], len(FakeSuites.executed)) == (["timeout"] * 2, 2)
    assert again == done


def test_whoever_ends_once_in_time_is_executed_as_often_as_asked(tmp_path: Path) -> None:
    """Others beside one that runs out of time lose nothing by it."""
    jobs = [RowSuite("one", _suite("ends: timeout")), RowSuite("two", _suite("ends: assertion"))]
    done = _done(tmp_path / "e.jsonl", jobs, 5)

    assert [len(runs) for runs in done.values()] == [2, 5]
