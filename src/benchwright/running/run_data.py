"""The data set of a run folder, for whoever looks at the run: its own copy, or the place where it was.

    data = data_of(folder)
    data.tasks() if not data.absent else …

What is found is the data set that was run, by its hash, or nothing; then `absent` says why, for people.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchwright import registry
from benchwright.contracts import Track
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, RunError, UsageError, command_name
from benchwright.records import Task, TaskId
from benchwright.store import kept_tasks
from benchwright.store.named_data import find_data, is_here, is_name
from benchwright.store.runfolder import RunFolder
from benchwright.store.sources import data_hash

Given = Mapping[str, str | Path]  # data sets that a user named, by their hashes
HINT = "name the data set that was run: --data PATH"


class RunData(NamedTuple):
    """The tasks of a run, or the reason for their absence: `absent`, a clause for people."""

    track: Track
    source: str | Path = ""
    absent: str = ""

    def tasks(self) -> dict[TaskId, Task]:
        """Return all tasks of the data set, also those excluded from the run; empty where it is absent."""
        return {} if self.absent else {task.task_id: task for task in self.track.load(self.source)}

    def task(self, task_id: TaskId) -> Task | None:
        """Return a task; None for an unknown id."""
        if self.absent:
            return None
        return next((task for task in self.track.load(self.source) if task.task_id == task_id), None)


def given_data(paths: Iterable[str | Path]) -> Given:
    """Return the data sets of --data by hash. Raises DataError or UsageError for unreadable ones."""
    return {data_hash(path): path for path in paths}


def data_of(folder: RunFolder, given: Given | None = None) -> RunData:
    """Find the data set of a run: a given one, the folder's copy, or the file that was run.

    Where the tasks are withheld, only a given one counts, so that nobody publishes them by accident. Raises
    RunError where the folder's copy was changed.
    """
    track: Track = registry.find("track", identity_field(folder, "track"))
    source, absent = _find(folder, given or {})
    return RunData(track, source, absent)


def named_data(folder: RunFolder, named: str | Path | None) -> RunData:
    """Find the data set for one run and one --data. Raises RunError for data of another run."""
    given = given_data([] if named is None else [named])
    check_given(given, [folder])
    return data_of(folder, given)


def check_given(given: Given, folders: Iterable[RunFolder]) -> None:
    """Raise RunError for a given data set that belongs to none of these runs."""
    folders = list(folders)
    known = {each for folder in folders for each in _hashes(folder)}
    for sha256, path in given.items():
        if sha256 not in known:
            runs = ", ".join(escaped_path(folder.path) for folder in folders)
            message = f"{escaped_path(path)} is not the data set of {runs}: its content is another"
            raise RunError(message, hint=f"{runs} was made with {_named(folders[0])}")


def identity_field(folder: RunFolder, field: str) -> str:
    """Return a field of a run's identity. Raises RunError where it is missing."""
    value = folder.manifest["identity"].get(field)
    if not isinstance(value, str):
        hint = f"name a folder that this version's `{command_name()} run … --out FOLDER` made"
        raise RunError(
            f"{escaped_path(folder.path / 'run.json')} does not say which {field} was run", hint=hint
        )
    return value


def _find(folder: RunFolder, given: Given) -> tuple[str | Path, str]:
    """Return the source, or the reason for its absence."""
    for sha256 in _hashes(folder):
        if sha256 in given:
            return given[sha256], ""
    told = folder.manifest.get("tasks", "")
    kept = folder.path / kept_tasks.NAME
    if told is None:
        return "", f"{escaped_path(folder.path)} keeps no tasks (it was run with --without-tasks)"
    if told and kept.exists():
        kept_tasks.check(kept, told)
        return kept, ""
    place = str(folder.manifest.get("data"))
    gone = _is_gone(place, identity_field(folder, "data"))
    if not gone:
        return place, ""
    path = escaped_path(folder.path)
    lacks = f"{path} has lost its {kept_tasks.NAME}" if told else f"{path} keeps no tasks"
    return "", f"{lacks}, and its data set {gone}"


def _hashes(folder: RunFolder) -> set[str]:
    """Return the hashes of the data set and of its copy in the folder, whose format may differ."""
    return {identity_field(folder, "data"), kept_tasks.hash_of(folder.manifest.get("tasks"))} - {""}


def _named(folder: RunFolder) -> str:
    return escaped_path(str(folder.manifest.get("data")))


def _is_gone(data: str, sha256: str) -> str:
    """Return why a run's data is not usable; empty where it is unchanged. Never downloads from a hub."""
    away = f"is not at {escaped_path(data)} any more" + ("" if os.path.isabs(data) else ", seen from here")
    try:
        if is_name(data):  # nor is one that has a name
            return (
                ""
                if is_here(find_data(data)) and data_hash(data) == sha256
                else "is not in the cache any more"
            )
        if not os.path.exists(data):
            return away
        return "" if data_hash(data) == sha256 else f"at {escaped_path(data)} has changed"
    except (DataError, UsageError):  # something else is there now
        return away
