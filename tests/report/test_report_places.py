"""Finding the rows of one task in a finished file without reading the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError, RunError
from benchwright.records import Answer, TaskId
from benchwright.report.verdict_tally import RowRange, find_places, read_at
from benchwright.store.writing import Appender


def written(path: Path, rows: list[tuple[TaskId, int]], *, text: str = "x") -> Path:
    """Write a file with an answer for each task and sample."""
    path.unlink(missing_ok=True)
    with Appender(path) as file:
        file.append_all(
            Answer(key=f"{task}-{sample}", task_id=task, sample=sample, model="m", text=text * sample)
            for task, sample in rows
        )
    return path


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 999) | st.text(min_size=1), st.integers(1, 5)), unique_by=lambda row: row[0]
    )
)
def test_each_task_is_found(
    tmp_path_factory: pytest.TempPathFactory, tasks: list[tuple[TaskId, int]]
) -> None:
    """For any ids and any number of answers, reading at a task's place returns its rows."""
    rows = [(task, sample) for task, n in tasks for sample in range(n)]
    path = written(tmp_path_factory.mktemp("places") / "answers.jsonl", rows)
    found = {
        task: [row.sample for row in read_at(path, place, Answer)]
        for task, place in find_places(path).items()
    }

    assert {task: list(range(n)) for task, n in tasks} == found


def test_places_are_offsets(tmp_path: Path) -> None:
    """Two numbers per task: offset and number of rows."""
    path = written(tmp_path / "a.jsonl", [("a", 0), ("a", 1), ("b", 0)])
    lines = path.read_bytes().splitlines(keepends=True)

    assert {"a": RowRange(0, 2), "b": RowRange(len(lines[0] + lines[1]), 1)} == find_places(path)


def test_scattered_rows_are_refused(tmp_path: Path) -> None:
    """A file whose tasks are mixed belongs to an unfinished run."""
    path = written(tmp_path / "a.jsonl", [("a", 0), ("b", 0), ("a", 1)])
    with pytest.raises(RunError, match="is incomplete") as caught:
        find_places(path)

    assert "repeat the command" in str(caught.value.hint)


def test_a_torn_or_missing_file_is_refused(tmp_path: Path) -> None:
    """An incomplete last line, or a missing file: the run must be finished first."""
    path = written(tmp_path / "a.jsonl", [("a", 0)])
    path.write_bytes(path.read_bytes() + b'{"key": "x", "task_')

    for each in (path, tmp_path / "none.jsonl"):
        with pytest.raises(RunError, match="is incomplete"):
            find_places(each)


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    """The error has the file, the line and the fault."""
    path = written(tmp_path / "a.jsonl", [("a", 0)])
    path.write_bytes(path.read_bytes() + b"\xff{]\n")
    with pytest.raises(DataError, match="corrupt row") as caught:
        find_places(path)

    assert (caught.value.line, caught.value.path) == (2, str(path))
