"""Closing a ruHumanEval row: inputs of answers stay, and all fields that may contain a result are removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.tracks.functions.ruhumaneval import TRACK, is_private, without_golds
from kit.track_rows import mera_row, with_inputs, with_meta, write_rows

TYPED = ["3.5", "0.0"]


def _task(folder: Path, row: dict[str, Any]) -> Task:
    return next(TRACK.load(write_rows(folder, row)))


@pytest.mark.parametrize(
    ("row", "left"),
    [
        (mera_row(), []),
        (mera_row(outputs=[["3.5", "0.0"]] * 2), []),
        (with_meta(typed_outputs=TYPED), ["meta.typed_outputs"]),
        (with_meta(source_id="Own/1", author="A", license="MIT"), ["meta.source_id"]),
        (with_meta(canonical_solution=None), []),
        (mera_row(expected=["3.5"]), ["expected"]),
        (with_inputs(results="3.5"), ["inputs.results"]),
    ],
)
def test_a_closed_row_holds_no_result(tmp_path: Path, row: dict[str, Any], left: list[str]) -> None:
    """The closed row is read as private, has the same prompt, and contains no expected value."""
    task = _task(tmp_path, row)
    hidden, names = without_golds(task)
    closed = _task(tmp_path, hidden)

    assert (names, is_private(closed), TRACK.gold(closed)) == (left, True, None)
    assert (closed.task_id, TRACK.prompt(closed)) == (task.task_id, TRACK.prompt(task))
    assert "3.5" not in json.dumps(hidden)


def test_an_input_of_the_instruction_stays(tmp_path: Path) -> None:
    """A prompt that needs a further input is unchanged."""
    row = mera_row(instruction="{level}: {function}", inputs={**mera_row()["inputs"], "level": "easy"})
    hidden, names = without_golds(_task(tmp_path, row))

    assert (names, hidden["inputs"]["level"]) == ([], "easy")


def test_hidden_outputs_are_not_hidden_twice(tmp_path: Path) -> None:
    """Closing a gold file twice would lose its values."""
    hidden, _ = without_golds(_task(tmp_path, mera_row()))
    with pytest.raises(DataError, match="already hidden"):
        without_golds(_task(tmp_path, hidden))


@pytest.mark.parametrize("outputs", [["", ""], [["", ""]], ""])
def test_results_beside_blank_outputs_are_named(tmp_path: Path, outputs: Any) -> None:
    """A row that was blanked by hand still contains its results: the error states this and the correct way."""
    row = {**with_meta(typed_outputs=TYPED), "outputs": outputs}
    with pytest.raises(DataError) as caught:
        _task(tmp_path, row)

    assert (caught.value.what, caught.value.field) == (
        "reveals a result, but the outputs are blank",
        "meta.typed_outputs.0",
    )
    assert "release private" in str(caught.value.hint)
