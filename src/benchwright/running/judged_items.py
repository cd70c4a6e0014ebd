"""The items that people judge, made of finished runs: one for each answer, or for each pair of answers.

    items_of_run(folder, data)   comments are rated by a rubric, answers to issues are decided
    items_of_pair(a, b, data)    which of two answers to one task is better, where they differ

Texts, and what rules have settled without anybody, are those of model judges (`running.exhibits`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchwright.contracts import Assessable, Exhibit
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.judges.people.items import item_of, kind_of
from benchwright.judges.people.records import ItemAnswer, JudgedItem
from benchwright.records import Task, TaskId
from benchwright.running.exhibits import shown_answers
from benchwright.running.run_data import HINT, RunData, identity_field
from benchwright.store.keys import content_key, without_rules
from benchwright.store.runfolder import RunFolder


class _Side(NamedTuple):
    """One answer that people can judge."""

    task_id: TaskId
    answer: ItemAnswer
    exhibit: Exhibit


def run_digest(folder: RunFolder) -> str:
    """Return the identifier of a run in items. It is independent of judges and of the version."""
    return content_key("run", without_rules(folder.manifest["identity"]))


def items_of_run(folder: RunFolder, data: RunData) -> Iterator[JudgedItem]:
    """Yield an item for each answer that rules have not settled, in canonical order.

    Raises RunError for a missing data set or missing verdicts, and UsageError for a track whose answers need
    no human judgement.
    """
    for side in _sides(folder, data):
        kind = kind_of(side.exhibit)
        yield item_of(side.exhibit, [side.answer], kind=kind, task_id=side.task_id, track=data.track.name)


def items_of_pair(a: RunFolder, b: RunFolder, data: RunData) -> Iterator[JudgedItem]:
    """Yield an item for each task and sample that both runs answered differently.

    Raises as `items_of_run`, and RunError for runs of different tracks, data sets or profiles.
    """
    for one, other in _pairs(a, b, data):
        if other.answer.text != one.answer.text:
            yield item_of(
                one.exhibit,
                [one.answer, other.answer],
                kind="pair",
                task_id=one.task_id,
                track=data.track.name,
            )


def equal_pairs(a: RunFolder, b: RunFolder, data: RunData) -> int:
    """Count the tasks and samples that both runs answered with the same text: ties without a vote.

    Raises as `items_of_pair`.
    """
    return sum(one.answer.text == other.answer.text for one, other in _pairs(a, b, data))


def _pairs(a: RunFolder, b: RunFolder, data: RunData) -> Iterator[tuple[_Side, _Side]]:
    for field in ("track", "data", "profile"):
        if identity_field(a, field) != identity_field(b, field):
            runs = f"{escaped_path(a.path)} and {escaped_path(b.path)}"
            raise RunError(f"{runs} differ in their {field}", hint="compare runs of one data set")
    theirs = {(each.task_id, each.answer.sample): each for each in _sides(b, data)}
    for one in _sides(a, data):
        other = theirs.get((one.task_id, one.answer.sample))
        if other is not None:
            yield one, other


def checked_data(folder: RunFolder, data: RunData) -> dict[TaskId, Task]:
    """Return the tasks of a run that people can judge. Raises as `items_of_run`."""
    if not isinstance(data.track, Assessable):
        message = (
            f"{escaped_path(folder.path)}: answers to {data.track.name} are judged by execution or label"
        )
        raise UsageError(message, hint="name a run of smartcoding-comments or smartcoding-issues")
    if data.absent:
        raise RunError(data.absent, hint=HINT)
    return data.tasks()


def _sides(folder: RunFolder, data: RunData) -> Iterator[_Side]:
    run, tasks = run_digest(folder), checked_data(folder, data)
    for each in shown_answers(folder, data.track, tasks, profile=identity_field(folder, "profile")):
        if each.exhibit is not None:
            answer = ItemAnswer(
                run=run, key=each.answer.key, sample=each.answer.sample, text=each.exhibit.candidate
            )
            yield _Side(each.answer.task_id, answer, each.exhibit)
