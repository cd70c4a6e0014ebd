"""Tasks of a data set that its track cannot judge: left out of every run, and told with the reason."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from benchwright.contracts import Track, with_defaults
from benchwright.display.wording import counted
from benchwright.records import Task, TaskId
from benchwright.running.options import RunOptions

SHOWN = 5


def refusals(track: Track, tasks: Mapping[TaskId, Task]) -> dict[TaskId, str]:
    """Why each task cannot be judged that cannot be; nothing for most tracks."""
    refusal = with_defaults(track).refusal
    return {task_id: why for task_id, task in tasks.items() if (why := refusal(task))}


def without_refused(options: RunOptions, refused: Mapping[TaskId, str]) -> RunOptions:
    """The options with these tasks left out, as if the user had excluded them: run.json lists both."""
    excluded = dict.fromkeys([*options.exclude, *map(str, refused)])
    return msgspec.structs.replace(options, exclude=tuple(excluded)) if refused else options


def notes_on_refused(track: Track, data: Mapping[TaskId, Task]) -> list[str]:
    """What a score says of the tasks that it is not of."""
    refused = refusals(track, data)
    if not refused:
        return []
    shown = "; ".join(f"{task_id}: {why}" for task_id, why in list(refused.items())[:SHOWN])
    more = f"; and {len(refused) - SHOWN:,} more" if len(refused) > SHOWN else ""
    return [f"{counted(len(refused), 'task')} of the data set left out, not to be judged here: {shown}{more}"]
