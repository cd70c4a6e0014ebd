"""Which scores of a run hold for a later release: those of tasks with the same content, whatever they are called."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from benchwright.building.aicodereval.admission import Tier
from benchwright.building.aicodereval.draft_records import AdmittedEntry
from benchwright.building.aicodereval.release_folder import carried_scores
from benchwright.errors import UsageError
from benchwright.running.pipeline import run
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, program_of
from kit.made_drafts import sound
from kit.made_releases import entries, released
from kit.needs import need_sandbox


def certified(number: int) -> list[AdmittedEntry]:
    """So many sound entries for the test split."""
    first = entries()[0]
    made = [msgspec.structs.replace(each.entry, status=str(Tier.certified)) for each in sound()[:number]]
    return [msgspec.structs.replace(first, entry=each) for each in made]


def without_last_case(each: AdmittedEntry) -> AdmittedEntry:
    """Another task under the same id."""
    cases = each.entry.cases[:-1]
    return msgspec.structs.replace(each, entry=msgspec.structs.replace(each.entry, cases=cases))


def reworded(each: AdmittedEntry) -> AdmittedEntry:
    """A change that decides no verdict."""
    return msgspec.structs.replace(each, entry=msgspec.structs.replace(each.entry, model_description="new"))


def scored(release: Path, folder: Path, *, withheld: bool = False) -> Path:
    """A run over the tests of a release in which each solution is the answer."""
    need_sandbox()
    rows = [json.loads(line) for line in (release / "data/test.jsonl").read_text().splitlines()]
    solved = [msgspec.convert(row, BenchmarkEntry) for row in rows]
    answers = folder.with_suffix(".jsonl")
    lines = [json.dumps({"task_id": each.task_id, "completion": program_of(each)}) for each in solved]
    answers.write_text("\n".join(lines) + "\n")
    data = str(release / "data/test.jsonl")
    run("aicodereval", data=data, model=f"replay:{answers}", keep_tasks=not withheld, out=folder)
    return folder


def test_each_task_is_in_one_list(tmp_path: Path) -> None:
    """Carried over, changed, gone, or without a verdict; what decides no verdict changes nothing."""
    one, two, three, four = certified(4)
    old = released(tmp_path, [one, two, three])
    new = released(tmp_path, [reworded(one), without_last_case(two), four], name="mine@2.0.0")
    run_folder = scored(old, tmp_path / "run")
    found = carried_scores(run_folder, old, new)

    assert (found.carried, found.changed) == ([one.unit], [two.unit])
    assert (found.gone, found.open) == ([three.unit], [four.unit])
    assert carried_scores(run_folder, old, old).carried == sorted(each.unit for each in (one, two, three))


def test_a_run_that_keeps_no_tasks(tmp_path: Path) -> None:
    """They are looked for in the earlier release; where they are not either, it says so."""
    old = released(tmp_path, certified(1))
    other = released(tmp_path, certified(2), name="mine@2.0.0")
    withheld = scored(old, tmp_path / "run", withheld=True)

    assert carried_scores(withheld, old, other).carried == ["word-counts"]
    (old / "data/test.jsonl").rename(tmp_path / "elsewhere.jsonl")
    with pytest.raises(UsageError, match="keeps no tasks"):
        carried_scores(withheld, other, other)


def test_a_run_of_another_track(tmp_path: Path) -> None:
    """Its tasks are of no release."""
    release = released(tmp_path)
    data = str(files("benchwright.demo") / "codecorrectness.jsonl")
    run("codecorrectness", data=data, model="gold:", limit=1, out=tmp_path / "run")

    with pytest.raises(UsageError, match="a run of codecorrectness"):
        carried_scores(tmp_path / "run", release, release)
