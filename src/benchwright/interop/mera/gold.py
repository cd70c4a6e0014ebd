"""What a submission is held against: the ids of a task set, how many tests each has, and what they expect."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchwright.interop.mera.kinds import Shape, find_kind
from benchwright.records import Task, TaskId
from benchwright.text.literal import parse_literal
from benchwright.tracks.codecorrectness import TRACK as CORRECTNESS
from benchwright.tracks.correctness_rows import is_private as is_hidden
from benchwright.tracks.ruhumaneval import MAX_TESTS, TRACK, is_private


class Gold(NamedTuple):
    """A task set in its own order. `expected` is None where the outputs are hidden."""

    tests: dict[TaskId, int]
    expected: dict[TaskId, list[str]] | None


def load_gold(source: str | Path, *, task_set: str | None = None) -> Gold:
    """A MERA data set in any form that `benchwright run` reads. Raises DataError or UsageError.

    `task_set` says whose rows they are; without it, they are taken for those of ruHumanEval's shape.
    """
    if task_set is not None and find_kind(task_set).shape is Shape.text:
        return labels_of({task.task_id: task for task in CORRECTNESS.load(source)})
    return gold_of({task.task_id: task for task in TRACK.load(source)})


def labels_of(tasks: dict[TaskId, Task]) -> Gold:
    """What tasks of CodeCorrectness expect: one label each."""
    ones = dict.fromkeys(tasks, 1)
    if any(is_hidden(task) for task in tasks.values()):
        return Gold(ones, None)
    return Gold(ones, {task_id: [task.outputs] for task_id, task in tasks.items()})


def gold_of(tasks: dict[TaskId, Task]) -> Gold:
    """What tasks of the ruHumanEval shape expect. One hidden row hides the whole set: it has no score."""
    tests = {task_id: count_tests(task) for task_id, task in tasks.items()}
    if any(is_private(task) for task in tasks.values()):
        return Gold(tests, None)
    return Gold(tests, {task_id: texts_of(task) for task_id, task in tasks.items()})


def count_tests(task: Task) -> int:
    """How many calls a task makes; the text was checked when the task was loaded."""
    return len(parse_literal(task.inputs["tests"], max_bytes=MAX_TESTS))


def texts_of(task: Task) -> list[str]:
    """The expected texts as one flat list: the documented form repeats it for each sample."""
    outputs = task.outputs
    return list(outputs[0] if isinstance(outputs[0], list) else outputs)
