"""Find the run folders in a folder, such as a suite's: with scores, or with reasons for missing ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import BenchwrightError, RunError, command_name
from benchwright.records import Event
from benchwright.running.plan import NAME
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records

FAILED = "failed"  # the kind of event that says why a run of a suite ended without a score
PAGE, PAGE_ANSWERS = "report.html", "report-answers"  # what a suite writes beside its runs


class UnscoredRun(NamedTuple):
    """A run without a score: its name, and the reason."""

    track: str
    model: str
    why: str


class NamedRuns(NamedTuple):
    """The runs behind the names that a user gave."""

    runs: list[str]
    unscored: list[UnscoredRun]


def named_runs(paths: Sequence[str]) -> NamedRuns:
    """Return the runs of these names; a folder of run folders stands for all of them.

    Skips other files of a suite, since `runs/nightly/*` matches them. Raises RunError for a folder in which
    no run has a score.
    """
    runs: list[str] = []
    unscored: list[UnscoredRun] = []
    pages = {Path(each).parent for each in paths if Path(each).name in (PAGE, PAGE_ANSWERS)}
    for path in paths:
        folders = _folders_in(Path(path))
        if not folders and Path(path).parent in pages:  # of `runs/nightly/*`
            folders = [Path(path)] if (Path(path) / "run.json").exists() else []
        elif not folders:
            runs.append(path)
        runs += [str(each) for each in folders if _has_score(each)]
        unscored += [_unscored(each) for each in folders if not _has_score(each)]
    if not runs:
        message = f"none of the runs in {', '.join(map(escaped_path, paths[:3]))} has a score"
        raise RunError(message, hint=f"{command_name()} suite FILE.toml")
    return NamedRuns(runs, unscored)


def note_failure(path: Path, why: str) -> None:
    """Record in a run folder, if it exists, why its run ended without a score."""
    if not os.path.isfile(path / "run.json"):  # false for a path that no file system takes
        return
    try:
        with RunFolder.open(path, RunFolder.read(path).manifest, mode="resume") as folder:
            folder.event(FAILED, why=why)
    except BenchwrightError:
        return  # another process runs it, or it is damaged: the run's own error says so, and is reported


def _folders_in(path: Path) -> list[Path]:
    """Return the run folders in a folder that is not a run folder."""
    if not path.is_dir() or (path / "run.json").exists() or (path / "build.json").exists():
        return []
    return sorted(each.parent for each in path.glob("*/run.json"))


def _has_score(path: Path) -> bool:
    return (path / "scores.json").is_file() and "finished" in RunFolder.read(path).manifest


def _unscored(path: Path) -> UnscoredRun:
    folder = RunFolder.read(path)
    manifest = folder.manifest
    model = str(manifest.get(NAME) or manifest.get("model") or path.name)
    whys = [str(event.detail.get("why", "")) for event in _failures(folder)]
    return UnscoredRun(
        str(manifest["identity"].get("track", "")), model, whys[-1] if whys else "not finished"
    )


def _failures(folder: RunFolder) -> Iterator[Event]:
    path = folder.path / "events.jsonl"
    events = read_records(path, Event, torn="skip") if path.exists() else iter(())
    return (event for event in events if event.kind == FAILED)
