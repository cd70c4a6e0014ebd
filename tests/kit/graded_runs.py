"""Graded answers for tests: rows of both tracks, verdicts by rules, assessments, and finished runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright import registry
from benchwright.contracts import Assessment
from benchwright.records import Isolation, Outcome, Task, TaskId, Verdict
from benchwright.running.scoring import count_verdicts
from kit.made_runs import finished_run
from kit.small_data import write

COMMENTS, ISSUES = "smartcoding-comments", "smartcoding-issues"
CODE = "def area(width, height):\n    if width < 0:\n        raise ValueError(width)\n    return width * height\n"
ANSWER = '''def area(width, height):
    """The area of a rectangle.

    Raises ValueError for a negative width.
    """
    # a width is a length, so it cannot be negative
    if width < 0:
        raise ValueError(width)
    return width * height  # in square units
'''


def comment_row(number: int, **changed: Any) -> dict[str, Any]:
    """Return a row of the comment track: a function of four lines with two annotations."""
    row = {
        "instruction": "Comment this.\n{code}",
        "inputs": {
            "code": CODE.replace("area", f"area_{number}"),
            "lang": "Python",
            "language": ("en", "ru")[number % 2],
        },
        "outputs": {
            "annotations": [
                {"line": 2, "text": "A negative width is refused <b>early</b>."},
                {"line": 4, "text": "The area in square units."},
            ]
        },
        "meta": {"id": number, "repository": f"r{number % 6}"},
    }
    return {**row, **changed}


def issue_row(number: int, **changed: Any) -> dict[str, Any]:
    """Return a row of the issue track with two references."""
    row = {
        "instruction": "{question}\n\n{body}",
        "inputs": {
            "question": f"Why does step {number} fail?",
            "body": "It says `KeyError: 'a'`.",
            "asked_at": f"202{number % 3}-05-01T00:00:00Z",
        },
        "outputs": {
            "references": [
                {"body": "The key is only set by `load()`: call it first.", "strength": "accepted"},
                {"body": "Upgrade to 2.0, where it is set.", "strength": "any"},
            ]
        },
        "meta": {"id": number},
    }
    return {**row, **changed}


def rules(format: float = 1.0, accuracy: float = 0.5, logic: float = 0.4, **more: float) -> dict[str, float]:
    """Return the scores of a comment verdict by rules alone."""
    total = (format + accuracy + logic) / 3
    final = {"format": format, "accuracy": accuracy, "logic": logic, "total": total}
    return {**final, "rule_format": format, "rule_accuracy": accuracy, "rule_logic": logic, **more}


def verdict(outcome: str = "scored", task_id: TaskId = 1, sample: int = 0, **more: Any) -> Verdict:
    """Return a verdict by rules."""
    return Verdict(
        key=f"{task_id}-{sample}",
        task_id=task_id,
        sample=sample,
        outcome=Outcome(outcome),
        isolation=Isolation.separated,
        profile="strict",
        **more,
    )


def assessment(judge: str = "j", status: str = "judged", **more: Any) -> Assessment:
    """Return a judge's assessment of an answer."""
    return Assessment(key="k", answer="a", task_id=1, sample=0, judge=judge, status=status, **more)  # type: ignore[arg-type]


def tasks_of(track: str, path: Path) -> dict[TaskId, Task]:
    """Return the rows of a file as tasks."""
    return {task.task_id: task for task in registry.find("track", track).load(path)}


def graded_run(
    folder: Path,
    track: str,
    ends: Mapping[TaskId, Sequence[tuple[str, str, dict[str, Any]]]],
    *,
    model: str = "openai:m",
    **more: Any,
) -> Path:
    """Return a finished run of such answers: (text, outcome, further fields of the verdict) by task."""
    make = comment_row if track == COMMENTS else issue_row
    rows = [make(int(task)) for task in ends]
    data = write(folder.parent / f"{track}.jsonl", rows)
    tasks, measures = tasks_of(track, data), registry.find("track", track).measures
    verdicts = [
        verdict(outcome, task, sample, **fields)
        for task, given in ends.items()
        for sample, (_, outcome, fields) in enumerate(given)
    ]
    counted = count_verdicts(verdicts, lambda _task, _sample: "")
    details = {
        **measures.details(tasks, counted.answers),
        "indicators": measures.indicators(tasks, counted.answers, counted.outcomes),
    }
    return finished_run(
        folder,
        data,
        ends,
        model=model,
        track=track,
        metrics=measures.metrics(tasks, counted.answers, ()),
        details=msgspec.to_builtins(details),
        notes=list(measures.notes(tasks, counted.answers, ())),
        **more,
    )
