"""Complete rows and collected records of the two smart-coding tracks, written here, with replaceable parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchwright.records import Answer, Task

CODE = 'def clamp(value, low, high):\n    """Keep it."""\n    if low > high:\n        raise ValueError(low)\n    return max(low, min(value, high))\n'
ANNOTATIONS = [
    {"line": 3, "text": "An empty range is an error of the caller."},
    {"line": 5, "text": "Both ends belong to the range."},
]
REFERENCES = [
    {"body": "Use `window=3`; older versions guessed it.", "strength": "any", "number": 1},
    {"body": "Fixed by #41: `resample()` takes `window` now.", "strength": "linked_fix", "number": 3},
]


def comment_row(**changes: Any) -> dict[str, Any]:
    """Return a row of the comment track; names of outputs are set there, `id` in meta, others in inputs."""
    inputs: dict[str, Any] = {"code": CODE, "lang": "Python"}
    return _row(
        "{code}", inputs, {"annotations": ANNOTATIONS}, changes, ("annotations", "comment", "key_lines")
    )


def issue_row(**changes: Any) -> dict[str, Any]:
    """Return a row of the issue track, with the same rule."""
    inputs = {
        "question": "resample() is slow",
        "body": "It takes a minute.",
        "asked_at": "2024-03-05T10:00:00Z",
    }
    return _row("{question}\n\n{body}", inputs, {"references": REFERENCES}, changes, ("references",))


def _row(
    instruction: str,
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    changes: dict[str, Any],
    ours: tuple[str, ...],
) -> dict[str, Any]:
    meta: dict[str, Any] = {"id": 1}
    row = {"instruction": instruction, "inputs": inputs, "outputs": outputs, "meta": meta}
    for name, value in changes.items():
        place = (
            outputs if name in ours else meta if name in ("id", "repo") else row if name in row else inputs
        )
        place[name] = value
        if value is None:
            del place[name]
    return row


def comment_record(**changes: Any) -> dict[str, Any]:
    """Return a record of the annotation shape."""
    annotations = [{"line_number": each["line"], "annotation": each["text"]} for each in ANNOTATIONS]
    record = {
        "description": "Comment this Python function.",
        "code_snippet": CODE,
        "annotations": annotations,
    }
    return {**record, **changes}


def issue_record(**changes: Any) -> dict[str, Any]:
    """Return a record of the issue shape, with a gap in the numbers of its answers."""
    asked = {
        "user_login": "ada-l",
        "created_at": "2024-03-05T10:00:00Z",
        "updated_at": "2024-03-06T10:00:00Z",
    }
    first = {**asked, "user_login": "grace", "body": "@ada-l use `window=3`."}
    third = {**asked, "user_login": "ada-l", "body": "Thanks, #41 fixed it.", "linked_fix": True}
    record = {
        "question": "resample() is slow",
        **asked,
        "body": "It takes a minute.",
        "answer_1": first,
        "answer_3": third,
    }
    return {**record, **changes}


def write_records(folder: Path, *records: Any, name: str = "records.jsonl") -> Path:
    """Write the records as JSON Lines; a string is written as a raw line."""
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records]
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def answer(task: Task, text: str, *, finish_reason: str | None = "stop") -> Answer:
    """Return an answer to a task."""
    return Answer(key="k", task_id=task.task_id, sample=0, model="m", text=text, finish_reason=finish_reason)


REFINE_CODE = """import os


def total(values):
    result = 0
    for value in values:
        if value == None:
            continue
        result += value
    return result


def mean(values):
    return total(values) / len(values)
"""
REFINE_TESTS = """from sums import total


class Odd:
    def __eq__(self, other):
        return True

    def __radd__(self, other):
        return 7


def test_none():
    assert total([1, None, 2]) == 3


def test_odd():
    assert total([Odd()]) == 7
"""


def refine_row(**fields: Any) -> dict[str, Any]:
    """Return a review remark on lines 7 and 8 of REFINE_CODE."""
    return {
        "id": "none",
        "code": REFINE_CODE,
        "lang": "Python",
        "path": "sums.py",
        "first": 6,
        "last": 8,
        "remark_first": 7,
        "remark_last": 7,
        "remark": "Compare with `is`: objects may define `==`.",
        "reference": "    for value in values:\n        if value is None:\n            continue",
        **fields,
    }


def row_with_tests(**fields: Any) -> dict[str, Any]:
    """Return the same row with tests."""
    return refine_row(tests={"code": REFINE_TESTS, "name": "test_sums.py"}, **fields)
