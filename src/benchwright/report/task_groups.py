"""Groups of tasks for the page's filter: languages, tags, domains, as the track defines them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchwright.display.escape import escaped_code
from benchwright.records import TaskId
from benchwright.report.programs import Programs

MOST = 200  # groups in the filter's list; those with the most tasks


class TaskGroups(NamedTuple):
    """Names of groups, and for each track the groups of each task by position."""

    names: list[str]
    members: list[dict[TaskId, str]]  # such as "0 7 12"


def task_groups(tasks: Sequence[Sequence[TaskId]], programs: Sequence[Programs | None]) -> TaskGroups:
    """The groups of each track's tasks, except those of all tasks of the page and those of a single one."""
    named = [
        {task: list(_names(known, task)) for task in each} if known is not None else {}
        for each, known in zip(tasks, programs, strict=True)
    ]
    counts = Counter(name for each in named for names in each.values() for name in set(names))
    whole = sum(map(len, tasks))
    useful = [name for name, count in counts.most_common() if 1 < count < whole][:MOST]
    place = {name: number for number, name in enumerate(sorted(useful))}
    members = [
        {
            task: " ".join(str(place[name]) for name in dict.fromkeys(names) if name in place)
            for task, names in each.items()
        }
        for each in named
    ]
    return TaskGroups(list(place), members)


def _names(programs: Programs, task: TaskId) -> Iterator[str]:
    for kind, names in programs.groups(task).items():
        for name in names:
            yield escaped_code(f"{kind}: {name}")
