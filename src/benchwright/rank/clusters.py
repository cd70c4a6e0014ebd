"""Groups of dependent tasks: tasks from one repository or template succeed and fail alike.

The groups come from the tasks' meta in the run's data set. Without a data set, each task is its own group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.errors import DataError, UsageError
from benchwright.records import TaskId
from benchwright.running.run_data import DataByHash, RunData, data_of, identity_field
from benchwright.store.runfolder import RunFolder

# Keys of a task's meta that name a group; the first usable one is taken. `cluster` is our own key for
# authors of data sets; the others occur in published data sets. `source` comes last, because in
# some sets it names a kind of task instead of an origin.
KEYS = ("cluster", "repository", "repo", "template", "source")
# Fewer groups support no statement about new groups: such a key names kinds of tasks, and the
# comparison is about new tasks of these kinds. `cluster` is used from two groups on.
FEWEST = 5


class Clusters(NamedTuple):
    """The group of each task, and the key of meta that defines it; an empty key: each task is its own
    group.

    `absent`: why the tasks' meta could not be read.
    """

    names: list[str]
    key: str
    absent: str = ""


def read_clusters(folder: RunFolder, tasks: Sequence[TaskId], given: DataByHash | None = None) -> Clusters:
    """The groups of these tasks, from the run's data set, which may be among `given`."""
    meta, absent = _meta(folder, given or {})
    return choose_clusters([meta.get(str(task), {}) for task in tasks], tasks)._replace(absent=absent)


def choose_clusters(metas: Iterable[Mapping[str, Any]], tasks: Sequence[TaskId]) -> Clusters:
    """The groups by the first key that forms any; a task without the key forms its own group."""
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


def _meta(folder: RunFolder, given: DataByHash | None) -> tuple[Mapping[str, Mapping[str, Any]], str]:
    """The group keys of each task, by its id as text; or the reason why they are unknown."""
    try:
        data = data_of(folder, given)
        return _keys(identity_field(folder, "data"), data), data.absent
    except (DataError, UsageError) as error:  # the tasks still can be compared one by one
        return {}, error.message


_KEYS_CACHE: dict[tuple[str, str], Mapping[str, Mapping[str, Any]]] = {}
_MAX_CACHED = 4


def _keys(sha256: str, data: RunData) -> Mapping[str, Mapping[str, Any]]:
    """The group keys of a data set, read once for all runs of a ranking: the cache is keyed by its hash."""
    if data.absent:
        return {}
    key = (sha256, data.track.name)
    if key not in _KEYS_CACHE:
        if len(_KEYS_CACHE) >= _MAX_CACHED:
            _KEYS_CACHE.clear()
        _KEYS_CACHE[key] = {
            str(task.task_id): {name: task.meta[name] for name in KEYS if name in task.meta}
            for task in data.tasks().values()
        }
    return _KEYS_CACHE[key]
