"""Judged answers without a run, for tests of measures."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome, TaskId

ActionResult = tuple[TaskId, Outcome] | tuple[TaskId, Outcome, str]  # with the prompt, if one was asked


def judged(rows: Iterable[ActionResult]) -> dict[TaskId, list[JudgedAnswer]]:
    """Return the answers by task as a score counts them: missing ones are left out."""
    answers: dict[TaskId, list[JudgedAnswer]] = {}
    for task, outcome, *variant in rows:
        if not outcome.is_missing:
            answers.setdefault(task, []).append(JudgedAnswer(outcome, *variant))
    return answers
