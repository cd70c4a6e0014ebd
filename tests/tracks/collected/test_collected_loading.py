"""Rows and collected records in one data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.tracks.collected.records import ImportOptions, load_collected
from benchwright.tracks.rows import Fields


def to_row(fields: Fields, importing: ImportOptions) -> dict[str, Any]:
    """Return a row as it is; for a record its name, under a pseudonym."""
    if "prompt" in fields.data:
        return fields.data
    assert importing.pseudonyms is not None
    return {"task_id": fields.data["id"], "prompt": importing.pseudonyms.record(fields.data)["author"]}


def build(fields: Fields) -> Task:
    """Return the simplest task."""
    words = fields.data["prompt"]
    return Task(
        task_id=fields.data["task_id"], instruction=words, inputs={}, outputs=None, meta={}, revision=words
    )


def written(folder: Path, *rows: object) -> Path:
    """Write a data set in one file."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_rows_and_records_are_read_alike(tmp_path: Path) -> None:
    """The author of two records has one pseudonym, and a row is unchanged."""
    rows = [{"id": "a", "author": "octo"}, {"task_id": "b", "prompt": "octo"}, {"id": "c", "author": "octo"}]
    tasks = list(load_collected(written(tmp_path, *rows), build, to_row))

    assert [task.task_id for task in tasks] == ["a", "b", "c"]
    assert tasks[0].instruction == tasks[2].instruction != "octo" == tasks[1].instruction


def test_what_is_refused_leaves_the_others(tmp_path: Path) -> None:
    """With a listener all others load; without one the first fault is an error with its line."""

    def only_even(fields: Fields) -> Task:
        if fields.data["prompt"] == "odd":
            raise DataError("odd")
        return build(fields)

    path = written(tmp_path, {"task_id": "a", "prompt": "odd"}, {"task_id": "b", "prompt": "even"})
    refused: list[object] = []

    def refuse(*told: object) -> None:
        refused.append(told)

    assert [task.task_id for task in load_collected(path, only_even, to_row, refuse=refuse)] == ["b"]
    assert len(refused) == 1
    with pytest.raises(DataError, match="odd"):
        list(load_collected(path, only_even, to_row))
