"""Every fault of a data set: invalid rows, and gold answers and stubs with a wrong result."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright import registry
from benchwright.contracts import Job, Judgement
from benchwright.errors import DataError, UsageError
from benchwright.progress import Silent
from benchwright.records import Outcome
from benchwright.running.data_check import check_rows, executed_faults, load_all
from kit.own_rows import CALLS, LABEL, RUBRIC, own_file, own_row
from kit.track_rows import humaneval_row, mera_row, write_rows


class Ending:
    """An executor with scripted results for gold answers and stubs."""

    size = 1

    def __init__(self, gold: Outcome, stub: Outcome) -> None:
        self._ends = (gold, stub)

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Judge by the sample number: 0 is gold."""
        for job in jobs:
            sample = getattr(job.given, "sample", 0)
            yield job.number, Judgement(outcome=self._ends[sample], detail="made up")


def test_all_faults_are_found_in_their_order(tmp_path: Path) -> None:
    """A row of invalid JSON, one without its prompt, and one with a repeated id."""
    path = own_file(tmp_path, own_row(prompt=None), own_row(), own_row())
    with path.open("a") as file:
        file.write("{\n")

    loaded = load_all(path)
    found = check_rows(path, loaded)

    assert [(fault.line, fault.field) for fault in found.faults] == [(1, "prompt"), (3, ""), (4, "")]
    assert all(fault.hint and fault.kind == "row" for fault in found.faults)
    assert found.faults[0].place == f"{path}:1"
    assert not found.faults[0].message.startswith(str(tmp_path))
    assert (found.tasks, found.gold, found.holds, found.track) == (1, 1, False, "own")


@pytest.mark.parametrize("name", sorted(registry.TRACKS))
def test_each_track_goes_on_after_a_fault(tmp_path: Path, name: str) -> None:
    """Two invalid rows are two faults."""
    loaded = load_all(write_rows(tmp_path, {"a": 1}, {"a": 2}), name)

    assert (len(loaded.faults), loaded.stops, loaded.tasks) == (2, False, [])


def test_a_track_that_stops_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A track of another package, whose reader does not support this."""

    class Other:
        def load(self, source: Path) -> Iterator[Any]:
            raise DataError("broken", path=str(source), line=7)
            yield

    monkeypatch.setattr(registry, "find", lambda *_: Other())
    loaded = load_all(tmp_path, "other")

    assert ([fault.line for fault in loaded.faults], loaded.stops) == ([7], True)


def test_a_broken_file_keeps_what_was_before_it(tmp_path: Path) -> None:
    packed = gzip.compress(own_file(tmp_path, *(own_row(id=at) for at in range(500))).read_bytes())
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) * 3 // 4])

    loaded = load_all(tmp_path / "cut.gz", "own")

    assert "ends too early" in loaded.faults[-1].message
    assert len(loaded.faults) == 1


def test_no_rows_and_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")

    assert ["no rows" in fault.message for fault in load_all(tmp_path / "empty.jsonl", "own").faults] == [
        True
    ]
    with pytest.raises(UsageError, match="no file"):
        load_all(tmp_path / "nothing", "own")
    with pytest.raises(UsageError, match="unknown track: owm"):
        load_all(tmp_path / "empty.jsonl", "owm")


def test_hidden_outputs_are_no_fault(tmp_path: Path) -> None:
    """Such a task is not executed."""
    meta = {"id": 1, "entry_point": "total"}
    loaded = load_all(write_rows(tmp_path, mera_row(outputs=["", ""], meta=meta)))

    assert (len(loaded.tasks), loaded.faults) == (1, [])
    assert list(executed_faults(loaded, Ending(Outcome.wrong, Outcome.passed), Silent())) == []


@pytest.mark.parametrize(
    ("gold", "stub", "kinds"),
    [
        (Outcome.passed, Outcome.wrong, []),
        (Outcome.passed, Outcome.exception, []),
        (Outcome.undecided, Outcome.wrong, []),
        (Outcome.wrong, Outcome.wrong, ["gold"]),
        (Outcome.timed_out, Outcome.passed, ["gold", "stub"]),
        (Outcome.sandbox_error, Outcome.wrong, ["not_executed"]),
    ],
)
def test_what_execution_says(tmp_path: Path, gold: Outcome, stub: Outcome, kinds: list[str]) -> None:
    """Each fault has the task's line, the reason, and a hint."""
    loaded = load_all(write_rows(tmp_path, humaneval_row()))

    faults = list(executed_faults(loaded, Ending(gold, stub), Silent()))

    assert [fault.kind for fault in faults] == kinds
    assert all((fault.line, fault.task) == (1, "Own/3") and fault.hint for fault in faults)


def test_a_task_without_a_solution_has_its_stub_executed(tmp_path: Path) -> None:
    rows = [own_row(CALLS, solution=None), LABEL, own_row(RUBRIC, reference=None)]
    loaded = load_all(own_file(tmp_path, *rows))

    faults = list(executed_faults(loaded, Ending(Outcome.passed, Outcome.passed), Silent()))

    assert [(fault.kind, fault.task) for fault in faults] == [
        ("stub", "add"),
        ("stub", "spam"),
        ("stub", "rows"),
    ]
