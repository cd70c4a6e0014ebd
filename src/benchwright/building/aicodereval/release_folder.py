"""Releases: folders `name@x.y.z` that are written once, in one step, and can be checked and compared.

The entries alone decide the content: no clock, path or execution time. A repeated or resumed build writes the
same bytes; an existing release is compared and never overwritten. Errata are stored next to the folder, in
`name@x.y.z.errata.jsonl`. Scores of a stored run carry over to a later release task by task: by the content
of each task and not by its name.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.engine.recipe import MANIFEST, digests
from benchwright.building.engine.stages import make_folder
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, RunError, UsageError
from benchwright.records import Record, Verdict
from benchwright.running.run_data import data_by_hash, data_of, identity_field, open_run
from benchwright.store.writing import Appender, read_records, write_error
from benchwright.tracks.aicodereval.track import TRACK


class Erratum(Record, frozen=True, kw_only=True):
    """An error in an entry that was found after its release."""

    task_id: str
    text: str
    date: str = ""  # ISO 8601


class ReleaseDifference(Record, frozen=True, kw_only=True):
    """The differences of a later release from an earlier one, by task id.

    `affected`: entries of both test splits whose prompt, tests or environment differ, so that their scores do
    not carry over.
    """

    added: list[str]
    removed: list[str]
    moved: dict[str, str]  # "train → test"
    changed: dict[str, list[str]]  # names of the fields
    affected: list[str]


def write_release(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files as the folder, or verify that it has them. Raises RunError for other content."""
    if folder.exists():
        _compare(folder, files)
        return
    make_folder(folder.parent)
    temporary = folder.with_name(f".{folder.name}.partial")  # a fixed name, so a kill leaves at most one
    try:
        shutil.rmtree(temporary, ignore_errors=True)
        for name, content in files.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
                os.fsync(file.fileno())
        temporary.rename(folder)
    except OSError as error:
        raise write_error(error, folder) from None


def _compare(folder: Path, files: Mapping[str, bytes]) -> None:
    there = {name: path.read_bytes() for name, path in _files(folder).items()}
    differing = sorted(name for name in {*there, *files} if there.get(name) != files.get(name))
    if differing:
        names = ", ".join(differing[:5])
        message = f"{escaped_path(folder)} is already released, and this build differs in {names}"
        raise RunError(message, hint="releases are immutable: choose the next version with --name NAME@x.y.z")


def _files(folder: Path) -> dict[str, Path]:
    return {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}


def check_release(folder: Path) -> list[str]:
    """The differences of a folder from its manifest, as sentences; none for an intact release.

    Raises UsageError for a folder that is not a release, DataError for an unreadable manifest.
    """
    listed: dict[str, str] = manifest_of(folder)["sha256"]
    there = _files(folder)
    faults = [f"{name} is missing" for name in sorted({*listed} - {*there})]
    faults += [f"{name} was added" for name in sorted({*there} - {*listed} - {MANIFEST})]
    current = digests({name: there[name] for name in sorted({*listed} & {*there})})
    faults += [f"{name} was changed" for name, digest in current.items() if digest != listed[name]]
    return faults


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of a release."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UsageError(
            f"{escaped_path(folder)} is not a release: {MANIFEST} is missing", hint="name a folder NAME@x.y.z"
        )
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        msgspec.convert(found.get("sha256"), dict[str, str])
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", path=escaped_path(path)) from None
    return found


def errata_path(folder: Path) -> Path:
    """The path of the errata, next to the release, which they do not change."""
    return folder.with_name(f"{folder.name}.errata.jsonl")


def errata_of(folder: Path) -> list[Erratum]:
    """All errata of a release, the oldest first; usually there is no file."""
    path = errata_path(folder)
    return list(read_records(path, Erratum)) if path.exists() else []


def add_erratum(folder: Path, erratum: Erratum) -> None:
    """Add an erratum. Raises UsageError for a task that the release does not have."""
    if erratum.task_id not in entries_of(folder):
        message = f"{escaped_path(folder)} has no entry {erratum.task_id!r}"
        raise UsageError(message, hint=f'grep -o \'"task_id":"[^"]*"\' {quoted(folder)}/data/*.jsonl')
    with Appender(errata_path(folder)) as file:
        file.append(erratum)


_PROMPT = ("description", "signature", "docstring", "imports", "libraries", "environment", "cases", "suite")


def difference(old: Path, new: Path) -> ReleaseDifference:
    """The differences of the later of two releases."""
    before, after = entries_of(old), entries_of(new)
    both = [task for task in before if task in after]
    moved = {
        task: f"{before[task][0]} → {after[task][0]}" for task in both if before[task][0] != after[task][0]
    }
    changed = {task: fields for task in both if (fields := _changed(before[task][1], after[task][1]))}
    tested = {task for task in both if before[task][0] == after[task][0] == "test"}
    return ReleaseDifference(
        added=sorted(task for task in after if task not in before),
        removed=sorted(task for task in before if task not in after),
        moved=dict(sorted(moved.items())),
        changed=dict(sorted(changed.items())),
        affected=sorted(task for task in tested if not {*changed.get(task, ())}.isdisjoint(_PROMPT)),
    )


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The fields that differ, without the canary, which always differs."""
    return [name for name in sorted({*old, *new} - {"canary"}) if old.get(name) != new.get(name)]


def entries_of(folder: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """Each entry with its split, by task id."""
    manifest_of(folder)
    found = {}
    for path in sorted((folder / "data").glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            row = msgspec.json.decode(line, type=dict[str, Any])
            found[str(row["task_id"])] = (path.stem, row)
    return found


TESTS = Path("data", "test.jsonl")


class ScoreMigration(Record, frozen=True, kw_only=True):
    """The tasks of a run and of the test split of a later release, each in one list.

    carried: judged, and the same task in both. changed: judged, and another task under the same id. gone:
    judged, and not among the later tests. open: a later test without a verdict in the run.
    """

    run: str
    carried: list[str]
    changed: list[str]
    gone: list[str]
    open: list[str]


def carried_scores(run: str | Path, old: Path, new: Path) -> ScoreMigration:
    """The scores of a run that hold for the later of two releases.

    The tasks are those stored in the run, else those of the earlier release. Raises UsageError for a run of
    another track, and for a run with unreadable tasks.
    """
    folder, place = open_run(run), escaped_path(run)
    if (track := identity_field(folder, "track")) != TRACK.name:
        message = f"--run {place}: a run of {track}; expected a run of {TRACK.name}"
        raise UsageError(message, hint="name a run on the tests of the earlier release")
    for release in (old, new):
        manifest_of(release)
    source = data_of(folder, data_by_hash([old / TESTS]))
    if source.absent:
        raise UsageError(f"--run {place}: {source.absent}", hint="name a run that stores its tasks")
    revisions = {str(task.task_id): task.revision for task in source.tasks().values()}
    verdicts = read_records(folder.verdicts_path(""), Verdict)
    judged = sorted(
        {str(each.task_id) for each in verdicts if not each.outcome.is_missing} & revisions.keys()
    )
    later = {str(task.task_id): task.revision for task in TRACK.load(new / TESTS)}
    return ScoreMigration(
        run=str(run),
        carried=[task for task in judged if later.get(task) == revisions[task]],
        changed=[task for task in judged if task in later and later[task] != revisions[task]],
        gone=[task for task in judged if task not in later],
        open=sorted(later.keys() - set(judged)),
    )
