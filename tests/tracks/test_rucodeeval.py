"""ruCodeEval: ruHumanEval under the name of its private twin."""

from __future__ import annotations

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.interop.mera.task_sets import KINDS, find_kind, kind_of
from benchwright.records import Answer
from benchwright.tracks.functions.ruhumaneval import TRACK as PUBLIC
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.rucodeeval.track import TRACK
from kit.track_rows import mera_row, with_meta

TASK = TRACK.read_row(Fields(mera_row(), "rows.jsonl", 1))


def test_judging_is_that_of_the_public_twin() -> None:
    """Task, program and spec are equal; `mera-exact` is its `mera-code`."""
    answer = Answer(key="", task_id=12, sample=0, model="m", text="```python\n    return 1\n```")
    assert PUBLIC.read_row(Fields(mera_row(), "rows.jsonl", 1)) == TASK
    for mine, theirs in (("strict", "strict"), ("mera-exact", "mera-code")):
        program = TRACK.extract(TASK, answer, profile=mine).program
        assert program == PUBLIC.extract(TASK, answer, profile=theirs).program
        assert TRACK.spec(TASK, profile=mine) == PUBLIC.spec(TASK, profile=theirs)


def test_hidden_outputs_and_unknown_profiles_are_refused() -> None:
    """With the field, or the nearest name."""
    row = {**with_meta(canonical_solution=""), "outputs": ["", ""]}
    with pytest.raises(DataError, match="hidden"):
        TRACK.spec(TRACK.read_row(Fields(row, "rows.jsonl", 1)), profile="strict")
    with pytest.raises(UsageError):
        TRACK.spec(TASK, profile="mera-exakt")


def test_its_task_set_and_its_rows() -> None:
    """Rows are recognised as the public twin's; runs of both tracks can be exported as ruCodeEval."""
    assert track_of_row(mera_row()) == "ruhumaneval"
    assert find_kind("ruCodeEval").tracks == ("ruhumaneval", "rucodeeval")
    assert kind_of("rucodeeval", private=False) is KINDS["ruCodeEval"]
