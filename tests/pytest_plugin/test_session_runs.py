"""Runs that the tests of a session share."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright as bw
from benchwright.pytest_plugin.session_runs import SessionRuns
from kit.small_data import answers, humaneval


@pytest.mark.usefixtures("jail")
def test_equal_calls_are_one_run(tmp_path: Path) -> None:
    """In one process the same object; for another one the same folder, which it finds finished."""
    arguments = {"data": humaneval(tmp_path), "model": f"replay:{answers(tmp_path)}"}
    first, second = SessionRuns(tmp_path / "runs"), SessionRuns(tmp_path / "runs")
    run = first.run("humaneval", **arguments)
    before = (run.path / "run.json").read_bytes(), (run.path / "verdicts.jsonl").read_bytes()

    assert first.run("humaneval", **arguments, n=None) is run
    assert first.run("humaneval", **arguments, limit=1).path != run.path
    assert second.run("humaneval", **arguments).path == run.path
    assert ((run.path / "run.json").read_bytes(), (run.path / "verdicts.jsonl").read_bytes()) == before


@pytest.mark.usefixtures("jail")
def test_a_folder_of_the_users_own(tmp_path: Path) -> None:
    """`out` is that of `bw.run`."""
    runs = SessionRuns(tmp_path / "runs")
    made = runs.run(
        "humaneval", data=humaneval(tmp_path), model=f"replay:{answers(tmp_path)}", out=tmp_path / "mine"
    )

    assert made.path == tmp_path / "mine"


def test_errors_name_arguments(tmp_path: Path) -> None:
    """As those of `bw.run` do; nothing is made."""
    with pytest.raises(bw.ArgumentError, match="temprature"):
        SessionRuns(tmp_path / "runs").run("humaneval", data="d", model="gold:", temprature=1)
    with pytest.raises(bw.UsageError, match="no file at"):
        SessionRuns(tmp_path / "runs").run("humaneval", data=tmp_path / "none.jsonl", model="gold:")

    assert not (tmp_path / "runs").exists()
