"""What a submission is held against, from rows in any form that the track reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.interop.mera.gold import Gold, load_gold
from kit.small_data import mera_row, write

OPEN = Gold({0: 2, 1: 2}, {0: ["1", "2"], 1: ["1", "2"]})


def _private(number: int, outputs: Any) -> dict[str, Any]:
    row = mera_row(number, outputs=outputs)
    return {**row, "meta": {**row["meta"], "canonical_solution": ""}}


def test_flat_and_two_dimensional_outputs(tmp_path: Path) -> None:
    """Both spellings of `outputs` are the same expectation."""
    rows = [mera_row(0), mera_row(1, outputs=[["1", "2"]] * 10)]

    assert load_gold(write(tmp_path / "gold.jsonl", rows)) == OPEN


def test_meras_own_document(tmp_path: Path) -> None:
    """A folder with test.json, as MERA ships it, is read as it is."""
    document = {"access": "public", "data": [mera_row(0), mera_row(1)]}
    (tmp_path / "test.json").write_text(json.dumps(document))

    assert load_gold(tmp_path) == OPEN


@pytest.mark.parametrize("outputs", ["", ["", ""]])
def test_hidden_outputs(outputs: Any, tmp_path: Path) -> None:
    """A private row still says how many tests there are, and nothing of what they expect."""
    gold = load_gold(write(tmp_path / "gold.jsonl", [_private(0, outputs)]))

    assert gold == Gold({0: 2}, None)


def test_one_hidden_row_hides_all(tmp_path: Path) -> None:
    """A score over the rest of the tasks would be that of another task set."""
    gold = load_gold(write(tmp_path / "gold.jsonl", [mera_row(0), _private(1, "")]))

    assert gold == Gold({0: 2, 1: 2}, None)


def test_a_bad_row_is_a_data_error(tmp_path: Path) -> None:
    """The data set is checked as for a run: file, line and field."""
    with pytest.raises(DataError, match=r"gold.jsonl:1.*outputs"):
        load_gold(write(tmp_path / "gold.jsonl", [mera_row(0, outputs=["1"])]))
