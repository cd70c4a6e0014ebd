"""Which tasks of a data set are run: by name, pattern, place or share; and what that part is called.

HumanEval/7      the task of this id
HumanEval/1*     ids by a pattern of the shell
40:80            places in the data set from 0 on, the last not among them, as in a slice of Python
2/8              the second of eight shares, every eighth task: shares take about equally long
@ids.txt         a file with one of these a line; empty lines and those after # are passed over
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.display.wording import counted
from benchwright.errors import DataError, UsageError, nearest
from benchwright.records import Task, TaskId
from benchwright.store.files import locate, open_binary
from benchwright.store.keys import content_key
from benchwright.store.lines import scan_lines

FIELD = "tasks"  # of a run's identity
_PLACES = re.compile(r"(\d{0,9}):(\d{0,9})")
_SHARE = re.compile(r"(\d{1,9})/(\d{1,9})")
_MAX_NAME = 1 << 12


def named_tasks(
    data: Mapping[TaskId, Task], chosen: Sequence[str], excluded: Collection[str]
) -> dict[TaskId, Task]:
    """Return the chosen tasks without the excluded ones, in the data's order. Without a choice, all.

    Positions and shares count the whole data set, so excluding a task moves no other. Raises UsageError for a
    name that no task has.
    """
    ids = [str(task_id) for task_id in data]
    known = frozenset(ids)
    for name in excluded:
        if name not in known:
            raise _unknown("--exclude", name, ids)
    wanted = known if not chosen else {each for name in _names(chosen) for each in _meant(name, ids, known)}
    left = wanted.difference(excluded)
    if data and chosen and not left:
        raise UsageError("--tasks: all tasks that are chosen are excluded", hint="leave --exclude out")
    return {task_id: task for task_id, task in data.items() if str(task_id) in left}


def part_of(
    named: Collection[TaskId], whole: Collection[TaskId], excluded: Collection[str]
) -> dict[str, Any]:
    """Return the tasks' part of a run's identity; empty for all tasks except the excluded ones.

    A part is identified by its tasks, not by the way they were chosen.
    """
    if len(named) == len(whole) - len(set(excluded)):
        return {}
    return {FIELD: {"count": len(named), "key": content_key(sorted(map(str, named)))}}


def _names(chosen: Sequence[str]) -> Iterator[str]:
    for name in chosen:
        if name.startswith("@"):
            yield from _listed(name[1:])
        else:
            yield name


def _listed(name: str) -> Iterator[str]:
    if not name:
        raise UsageError("--tasks @: the name of the file is empty", hint="--tasks @ids.txt")
    path = locate(name)
    place = escaped_path(path)
    with open_binary(path) as stream:
        for line, _, data in scan_lines(stream, place, max_line=_MAX_NAME):
            try:
                text = data.decode()
            except UnicodeDecodeError:
                raise DataError(
                    "the line is not UTF-8", path=place, line=line, hint="write one task id a line"
                ) from None
            if not text.startswith("#"):
                yield text


def _meant(name: str, ids: Sequence[str], known: Collection[str]) -> Sequence[str]:
    """Return the ids of one choice, at least one. An id that looks like a position or a pattern is an id."""
    if name in known:
        return [name]
    if places := _PLACES.fullmatch(name):
        first, last = (int(each) if each else None for each in places.groups())
        found = ids[first:last]
    elif share := _SHARE.fullmatch(name):
        found = _share(name, int(share[1]), int(share[2]), ids)
    else:
        found = [each for each in ids if fnmatchcase(each, name)]
    if not found:
        raise _unknown("--tasks", name, ids)
    return found


def _share(name: str, number: int, shares: int, ids: Sequence[str]) -> Sequence[str]:
    if not 1 <= number <= shares:
        what = f"the share must be from 1 to {shares}" if shares else "there must be at least 1 share"
        raise UsageError(f"--tasks {name}: {what}", hint=f"--tasks 1/{max(shares, 1)}")
    if shares > len(ids):
        message = f"--tasks {name}: the data set has only {counted(len(ids), 'task')}"
        raise UsageError(message, hint=f"--tasks 1/{len(ids)}")
    return ids[number - 1 :: shares]


def _unknown(option: str, name: str, ids: Sequence[str]) -> UsageError:
    near = nearest(name, ids, cutoff=0)
    hint = f"the nearest task is {near}" if near else "the data set is empty"
    if _PLACES.fullmatch(name):
        hint = f"the data set has {counted(len(ids), 'task')}: --tasks 0:{len(ids)}"
    what = "such task" if option == "--exclude" else "task that this means"
    return UsageError(f"{option} {escaped_name(name)!r}: the data set has no {what}", hint=hint)
