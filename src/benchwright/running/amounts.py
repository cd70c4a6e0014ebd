"""The number of answers to each task: as many as the user asks for, or as many as are stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from benchwright.contracts import Model, Track
from benchwright.display.wording import counted
from benchwright.errors import DataError, UsageError
from benchwright.records import Task, TaskId
from benchwright.running.options import RunOptions

REPLAY = "replay:"


class Amounts(NamedTuple):
    """`n`: answers to each question, the maximum of stored ones. `counts`: answers to each task."""

    n: int
    counts: dict[TaskId, int]


def fields_of(options: RunOptions) -> dict[str, Any]:
    """Return the --fields option for a model with stored answers. Raises UsageError for any other model."""
    if not options.fields:
        return {}
    if not options.model.startswith(REPLAY):
        message = f"--fields names columns of stored answers, and {options.model} has none"
        raise UsageError(message, hint="--model replay:FILE")
    return {"fields": options.fields}


def settle_amounts(
    n: int | None,
    model: Model,
    track: Track,
    tasks: Mapping[TaskId, Task],
    *,
    data: Mapping[TaskId, Task],
    ways: int,
) -> Amounts:
    """Return the requested number, or the track's default; for stored answers, all that exist.

    `n` counts over all `data`, so that runs of its parts can be merged.

    Raises UsageError for an impossible number, and DataError where no task has an answer.
    """
    if n is not None and n < 1:
        raise UsageError(f"--n {n}: at least 1 answer a task is needed", hint="--n 1")
    held = {task_id: model.samples(task) for task_id, task in tasks.items()}
    stored = {task_id: count for task_id, count in held.items() if count is not None}
    if not stored:
        wanted = n or (1 if model.deterministic else track.default_n)
        return Amounts(wanted, dict.fromkeys(tasks, wanted * ways))
    most = max(stored.values())
    if most == 0:
        message = f"{model.spec} holds no answer to any of the {counted(len(tasks), 'task')}"
        raise DataError(message, hint="choose tasks that it answers: --tasks WHICH")
    if ways > 1:
        return _crossed(n, model, stored, ways)
    most = max(count for task in data.values() if (count := model.samples(task)) is not None)
    if n is not None and most < n:
        message = f"--n {n}: {model.spec} holds at most {counted(most, 'answer')} to a task"
        raise UsageError(message, hint=f"--n {most}")
    return Amounts(n or most, {task_id: min(n or most, count) for task_id, count in stored.items()})


def _crossed(n: int | None, model: Model, stored: Mapping[TaskId, int], ways: int) -> Amounts:
    """Amounts for --prompts all: stored answers match prompts only if all tasks have equally many."""
    task = min(stored, key=stored.__getitem__)
    least, most = stored[task], max(stored.values())
    if least < ways:
        message = (
            f"--prompts all: {ways} prompts need {ways} answers to each task, and {model.spec} holds only "
            f"{least} to task {task}"
        )
        raise UsageError(message, hint="--prompts row")
    if n is not None and least < n * ways:
        message = f"--n {n}: {model.spec} holds only {least} answers to task {task}"
        raise UsageError(message, hint=f"--n {least // ways}")
    if n is None and (least < most or least % ways):
        held = f"{least} answers" if least == most else f"{least} to {most} answers"
        message = (
            f"--prompts all: {model.spec} holds {held} a task, which {ways} prompts cannot share equally"
        )
        raise UsageError(
            message, hint=f"--n {least // ways}, to take the first {least // ways * ways} of each"
        )
    each = n or least // ways
    return Amounts(each, dict.fromkeys(stored, each * ways))
