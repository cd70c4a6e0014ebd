"""Comparability of logs of other tools, by content and ids of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import RunError
from benchwright.rank.contestant import Contestant

SHOWN = 5


def check_contents(contestants: Sequence[Contestant]) -> None:
    """Raise RunError if logs of one tool have different tasks under the same id."""
    for a, b in combinations([c for c in contestants if c.tool], 2):
        if a.tool != b.tool:
            continue
        changed = [task for task, content in a.contents.items() if b.contents.get(task, content) != content]
        if changed:
            message = (
                f"these runs cannot be compared: {counted(len(changed), 'task')} of one id ask other things "
                f"in {a.name} than {b.name}: {_shown_ids(changed)}"
            )
            raise RunError(message, hint="evaluate both on the same version of the data set")


def notes_on_logs(contestants: Sequence[Contestant]) -> list[str]:
    """Notes on tasks that are not compared, by name; none for runs of this program."""
    if not any(c.tool for c in contestants):
        return []
    notes = [f"{c.name}: {note}" for c in contestants for note in c.log_notes]
    for a, b in pairwise(contestants):
        notes += _apart(a, b)
    if len({c.n for c in contestants}) > 1 and len({c.tool for c in contestants}) > 1:
        told = ", ".join(f"{c.name} {c.n}" for c in contestants)
        notes.append(
            f"the numbers of answers per task differ ({told}): a task's value is the mean over its answers"
        )
    return notes


def _apart(a: Contestant, b: Contestant) -> Iterator[str]:
    """The tasks that only one of two logs has, except the same task under two names."""
    ours, theirs = _ids(a), _ids(b)
    only_a = [task for task in ours if task not in theirs]
    only_b = [task for task in theirs if task not in ours]
    renamed = _renamed(a, b, only_a, only_b) if a.tool == b.tool else {}
    if renamed:
        pairs = _shown_ids([f"{old} is {new}" for old, new in renamed.items()])
        yield (
            f"{counted(len(renamed), 'task')} renamed, by what is asked, and left out, "
            f"from {a.name} to {b.name}: {pairs}"
        )
    again = set(renamed.values())
    for one, other, tasks in (
        (a, b, [task for task in only_a if task not in renamed]),
        (b, a, [task for task in only_b if task not in again]),
    ):
        if tasks:
            yield f"{counted(len(tasks), 'task')} in {one.name} and not in {other.name}: {_shown_ids(tasks)}"


def _ids(contestant: Contestant) -> dict[str, None]:
    return dict.fromkeys(map(str, [*contestant.tasks, *contestant.unjudged]))


def _renamed(a: Contestant, b: Contestant, only_a: list[str], only_b: list[str]) -> dict[str, str]:
    """Ids of the first log and of the second, where exactly one task in each has the same content."""
    there: dict[str, list[str]] = {}
    for task in only_b:
        there.setdefault(b.contents.get(task, ""), []).append(task)
    here: dict[str, list[str]] = {}
    for task in only_a:
        here.setdefault(a.contents.get(task, ""), []).append(task)
    return {
        tasks[0]: there[content][0]
        for content, tasks in here.items()
        if content and len(tasks) == 1 and len(there.get(content, ())) == 1
    }


def _shown_ids(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(escaped_name(name) for name in names[:SHOWN]) + more
