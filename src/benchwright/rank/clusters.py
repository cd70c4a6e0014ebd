"""Which tasks belong together: tasks from one repository or template succeed and fail alike.

A run folder does not hold the tasks' meta, so it is read from the data set, where that is still in the
place and of the content that run.json names. Elsewhere each task stands for itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.contracts import Track
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import TaskId
from benchwright.store.sources import data_hash

# Keys of a task's meta that name a group, the first that serves is taken. `cluster` is what an author
# writes to be understood here; the others are what data sets have. `source` comes last, because in
# some sets it names a kind of task instead of an origin.
KEYS = ("cluster", "repository", "repo", "template", "source")
# With fewer groups nothing can be said of further groups: such a key names kinds of tasks, and the
# comparison is one over further tasks of these kinds. `cluster` is believed from two groups on.
FEWEST = 5


class Clusters(NamedTuple):
    """The group of each task, and the key of meta it comes from; without one, each task is its own.

    `known`: whether the tasks' meta could be read, so that an empty key says that there are no groups.
    """

    names: list[str]
    key: str
    known: bool = True


def read_clusters(manifest: Mapping[str, Any], tasks: Sequence[TaskId]) -> Clusters:
    """The groups of these tasks, by the data set that the run's manifest names."""
    meta = _meta(manifest)
    found = choose_clusters([meta.get(str(task), {}) for task in tasks], tasks)
    return found._replace(known=bool(meta))


def choose_clusters(metas: Iterable[Mapping[str, Any]], tasks: Sequence[TaskId]) -> Clusters:
    """The groups by the first key that makes some: a task without the key is a group of its own."""
    rows = [dict(meta) for meta in metas]
    own = [str(task) for task in tasks]
    for key in KEYS:
        values = [_value(row.get(key)) for row in rows]
        groups = {value for value in values if value is not None}
        if (2 if key == "cluster" else FEWEST) <= len(groups) < sum(value is not None for value in values):
            names = [alone if value is None else value for value, alone in zip(values, own, strict=True)]
            return Clusters(names, key)
    return Clusters(own, "")


def _value(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value).strip() or None


def _meta(manifest: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The keys above of each task, by its id as text; empty where the data set is not there any more.

    A hub's data set is not fetched again just to look.
    """
    data, identity = manifest.get("data"), manifest["identity"]
    if not isinstance(data, str) or "\0" in data or not os.path.exists(data):
        return {}
    try:
        return _keys(os.path.abspath(data), str(identity.get("data")), str(identity.get("track")))
    except BenchwrightError:  # another or an unreadable one now: the tasks still can be compared one by one
        return {}


@lru_cache(maxsize=4)
def _keys(data: str, sha256: str, name: str) -> Mapping[str, Mapping[str, Any]]:
    """Read once for all runs of a ranking. What is kept is right for this hash whatever the file becomes."""
    if data_hash(data) != sha256:
        raise DataError("not the data set that was run", path=data)
    track: Track = registry.find("track", name)
    return {
        str(task.task_id): {key: task.meta[key] for key in KEYS if key in task.meta}
        for task in track.load(data)
    }
