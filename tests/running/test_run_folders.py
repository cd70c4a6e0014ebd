"""Runs given by their parent folder, and the stored reason of failed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import RunError
from benchwright.running.run_folders import UnscoredRun, named_runs, note_failure
from benchwright.store.runfolder import RunFolder

MANIFEST = {"identity": {"track": "humaneval"}, "model": "openai:m", "name": "mine"}


def run(folder: Path, name: str, *, scored: bool = False) -> Path:
    """Create a run folder, finished or not."""
    path = folder / name
    finished = {"finished": "2026-01-01"} if scored else {}
    RunFolder.open(path, {**MANIFEST, **finished}, mode="new").close()
    if scored:
        (path / "scores.json").write_text("{}")
    return path


def test_a_folder_stands_for_its_runs(tmp_path: Path) -> None:
    """Runs with a score are used, the others are listed with the last reason."""
    scored, failed = run(tmp_path, "b", scored=True), run(tmp_path, "a")
    for why in ("busy", "no server"):
        note_failure(failed, why)
    (tmp_path / "report.html").write_text("x")
    named = named_runs([str(tmp_path)])

    assert named == ([str(scored)], [UnscoredRun("humaneval", "mine", "no server")])
    assert named == named_runs([str(each) for each in sorted(tmp_path.iterdir())])
    assert named_runs([str(scored), "other.eval"]) == ([str(scored), "other.eval"], [])


def test_a_folder_in_which_nothing_has_a_score_is_refused(tmp_path: Path) -> None:
    """There is no result to show."""
    run(tmp_path, "a")
    with pytest.raises(RunError, match="has a score"):
        named_runs([str(tmp_path)])


@pytest.mark.parametrize("damage", ["{", ""])
def test_a_damaged_folder_keeps_no_failure_from_being_reported(tmp_path: Path, damage: str) -> None:
    """This includes a missing folder, and one that another process runs."""
    path = run(tmp_path, "a")
    with RunFolder.open(path, MANIFEST, mode="resume"):
        note_failure(path, "why")
    (path / "run.json").write_text(damage)
    note_failure(path, "why")
    note_failure(tmp_path / ("x" * 5000), "why")

    assert not (path / "events.jsonl").exists()
