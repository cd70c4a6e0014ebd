"""Stand-ins for a run: created as its entries specify, before anything is executed, and only if they are
missing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.running.pipeline import run
from benchwright.sandbox import profiles
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, build, entry_of
from benchwright.tracks.aicodereval.stand_in_models import TwinRequest, make_stand_ins
from benchwright.tracks.aicodereval.track import AICoderEval
from benchwright.tracks.rows import Fields
from kit.command_line import benchwright
from kit.made_entries import TEXT, changed, write_entries
from kit.profile_needs import need_profile

KEPT = profiles.profiles_folder()  # the folder of installed ones, if any
SST = {"id": "sst", "kind": "text-classification", "inputs": [["good", ["one", "two"]]]}
CASES = [
    {
        "name": level,
        "level": level,
        "input": {"args": [text]},
        "expected": {"properties": {"type": "str", "one_of": ["NEGATIVE", "POSITIVE"]}},
    }
    for level, text in (("normal", "good"), ("edge_case", ""), ("correctness", "bad"))
]
LOADS = changed(
    TEXT,
    task_id="loads",
    imports=["from transformers import pipeline"],
    signature="def label(text: str) -> str:",
    implementation="    return pipeline('text-classification', model='sst')(text)[0]['label']\n",
    cases=CASES,
    environment="torch",
    weights="stand-in",
    stand_ins=[SST],
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a machine without installed or created stand-ins."""
    monkeypatch.setenv(profiles.FOLDER_VARIABLE, str(tmp_path / "profiles"))
    return tmp_path / "profiles"


def entry(row: Mapping[str, Any], **fields: Any) -> BenchmarkEntry:
    return entry_of(build(Fields({**row, **fields}, path="entries.jsonl", line=1)))


class Maker:
    """Creates stand-ins, and records the requests."""

    def __init__(self, **refused: str) -> None:
        self.asked: list[TwinRequest] = []
        self.notes: list[str] = []
        self.refused = refused

    def __call__(self, requests: Sequence[TwinRequest]) -> Mapping[str, str]:
        self.asked += requests
        return self.refused

    def prepare(self, *entries: BenchmarkEntry) -> list[TwinRequest]:
        make_stand_ins(entries, make=self, note=self.notes.append)
        return self.asked


def test_each_is_made_once_and_said() -> None:
    """The number of tasks that need it has no effect; an entry without models requests none."""
    maker = Maker()
    asked = maker.prepare(entry(LOADS), entry(LOADS, task_id="other"), entry(TEXT))

    assert asked == [TwinRequest(id="sst", kind="text-classification", inputs=[["good", ["one", "two"]]])]
    assert maker.notes == ["making small local stand-ins for 1 model"]
    assert Maker().prepare(entry(TEXT)) == []


def test_one_that_cannot_be_made_names_its_task() -> None:
    """The hint names the way to continue without it."""
    with pytest.raises(DataError, match="task loads: no two vary") as raised:
        Maker(sst="no two vary").prepare(entry(LOADS))
    assert "--exclude loads" in str(raised.value.hint)


def test_two_releases_cannot_be_mixed() -> None:
    """If they created different stand-ins of one model, only one of them can be present."""
    other = entry(LOADS, task_id="other", stand_ins=[{**SST, "inputs": []}])
    with pytest.raises(DataError, match="tasks loads and other need two different stand-ins of sst"):
        Maker().prepare(entry(LOADS), other)


def test_a_release_of_an_earlier_version(folder: Path) -> None:
    """Its entries do not specify their stand-ins: these are present, or their absence is reported before
    anything is executed."""
    with pytest.raises(DataError, match="does not say how they are made") as raised:
        Maker().prepare(entry(LOADS, stand_ins=[]))
    assert "build aicodereval" in str(raised.value.hint)

    made = {"id": "sst", "kind": "", "request": "", "lock": "", "seeds": [], "digest": "", "paths": []}
    (folder / "torch-twins" / "twins.json").write_text(json.dumps([made]))
    assert Maker().prepare(entry(LOADS, stand_ins=[])) == []


def test_they_are_part_of_a_task_s_revision() -> None:
    """Other stand-ins give other values; entries without stand-ins do not change."""
    revisions = {
        build(Fields({**LOADS, "stand_ins": made}, path="", line=1)).revision
        for made in ([], [SST], [{**SST, "inputs": []}])
    }
    assert len(revisions) == 3


@pytest.mark.usefixtures("jail")
def test_a_run_prepares_before_it_executes_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for the self-check, once for the answers; opening a finished run again prepares nothing."""
    seen: list[list[str]] = []

    def prepare(self: AICoderEval, tasks: Sequence[Task], *, note: Any) -> None:
        seen.append([task.task_id for task in tasks])

    monkeypatch.setattr(AICoderEval, "prepare", prepare)
    data = write_entries(tmp_path / "entries.jsonl")
    for _ in range(2):
        run("aicodereval", data=str(data), model="gold:", out=tmp_path / "run")
        assert [len(tasks) for tasks in seen] == [3, 3]


def test_without_the_profile_the_command_that_installs_it_is_said(tmp_path: Path) -> None:
    """The error comes before anything is executed: the profile is a missing prerequisite, and no gold answer
    fails because of it."""
    data = write_entries(tmp_path / "entries.jsonl", [LOADS])
    said = benchwright("run", "aicodereval", "--data", data, "--model", "gold:", "--out", tmp_path / "run")

    assert said.code == 3, said.err
    assert "setup torch" in said.err


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_a_release_of_another_machine_runs(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the profile is needed: the rows specify the stand-ins, which are created first."""
    monkeypatch.setenv(profiles.FOLDER_VARIABLE, str(KEPT))
    need_profile("torch")
    folder.mkdir()
    (folder / "torch").symlink_to(KEPT / "torch")
    monkeypatch.setenv(profiles.FOLDER_VARIABLE, str(folder))
    data = write_entries(tmp_path / "entries.jsonl", [LOADS])

    said = benchwright("run", "aicodereval", "--data", data, "--model", "gold:", "--out", tmp_path / "run")

    assert (said.code, "making small local stand-ins for 1 model" in said.err) == (0, True), said.err
    assert json.loads((tmp_path / "run" / "scores.json").read_text())["metrics"]["sr_all"]["value"] == 1.0
    assert [each["id"] for each in json.loads((folder / "torch-twins" / "twins.json").read_text())] == ["sst"]
