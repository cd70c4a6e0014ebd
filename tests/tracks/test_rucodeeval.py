"""ruCodeEval: ruHumanEval under the name of its private twin."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import benchwright as package
from benchwright.errors import DataError, UsageError
from benchwright.interop.mera.task_sets import KINDS, find_kind, kind_of
from benchwright.records import Answer
from benchwright.tracks.functions.ruhumaneval import TRACK as PUBLIC
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.rucodeeval.track import TRACK
from kit.command_line import called
from kit.small_data import write
from kit.track_rows import mera_row, with_meta

DEMO = Path(package.__file__).parent / "demo"
TASK = TRACK.read_row(Fields(mera_row(), "rows.jsonl", 1))


def test_judging_is_that_of_the_public_twin() -> None:
    """Task, program and spec are equal, except for baselines; `mera-exact` is its `mera-code`."""
    answer = Answer(key="", task_id=12, sample=0, model="m", text="```python\n    return 1\n```")
    assert PUBLIC.read_row(Fields(mera_row(), "rows.jsonl", 1)) == TASK
    for mine, theirs in (("strict", "strict"), ("mera-exact", "mera-code")):
        program = TRACK.extract(TASK, answer, profile=mine).program
        assert program == PUBLIC.extract(TASK, answer, profile=theirs).program
        own = msgspec.structs.asdict(TRACK.spec(TASK, profile=mine))
        assert set(own.pop("baselines")) == {"empty", "echo", "stub"} and own.pop("exact", True)
        assert own == msgspec.structs.asdict(PUBLIC.spec(TASK, profile=theirs))


def test_hidden_outputs_and_unknown_profiles_are_refused() -> None:
    """The error has the field, or the nearest name."""
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


@pytest.mark.usefixtures("jail")
def test_baselines_are_judged_on_the_same_tasks(tmp_path: Path) -> None:
    """If None is expected, a head without a body passes; MERA also accepts an empty answer and an exception."""
    rows = list(map(json.loads, (DEMO / "ruhumaneval.jsonl").read_text(encoding="utf-8").splitlines()[:2]))
    rows[0]["outputs"] = ["None"] * len(rows[0]["outputs"])
    rows[0]["meta"] |= {"canonical_solution": "    return None\n", "typed_outputs": rows[0]["outputs"]}
    write(tmp_path / "rows.jsonl", rows)
    profiles = ("--profile", "strict", "--profile", "mera-exact")
    data = ("--data", tmp_path / "rows.jsonl", "--model", "stub:", "--out", tmp_path / "run")
    said = called("run", "rucodeeval", *data, *profiles, "--workers", 1, "--json")
    assert said.code == 0, said.err
    found = said.document["details"]["baselines"]

    shares = {name: [figures[each]["value"] for each in figures] for name, figures in found.items()}
    assert shares == {
        "an empty answer": [0.0, 0.5],
        "the given code": [0.5, 0.5],
        "a body that raises": [0.0, 0.5],
    }
    assert {each["n"] for figures in found.values() for each in figures.values()} == {2}
