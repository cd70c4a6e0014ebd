"""Own tasks for tests: a row of each kind with replaceable parts, and files of them in both forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchwright.records import Answer, Task
from benchwright.tracks.own.track import TRACK

CALLS: dict[str, Any] = {
    "id": "add",
    "prompt": "Write a Python function `add(a, b)` that returns the sum of two numbers.",
    "entry_point": "add",
    "calls": [{"args": [1, 2], "returns": 3}, {"kwargs": {"a": 0.1, "b": 0.2}, "returns": 0.3}],
    "solution": "def add(a, b):\n    return a + b\n",
}
ASSERTS: dict[str, Any] = {
    "id": "slug",
    "prompt": "Write a Python function `slug(text)`: lower case, words joined by hyphens.",
    "entry_point": "slug",
    "asserts": 'import re\nassert slug("Hello World") == "hello-world"\nassert re.match("[a-z]", slug("A"))\n',
    "solution": 'def slug(text):\n    return "-".join(text.lower().split())\n',
    "tags": ["text"],
}
LABEL: dict[str, Any] = {
    "id": "spam",
    "prompt": "Is 'You won!' spam? Answer with one word: spam or ham.",
    "label": "spam",
    "labels": ["spam", "ham"],
}
RUBRIC: dict[str, Any] = {
    "id": "rows",
    "prompt": "Why does `[[0] * 3] * 2` surprise people?",
    "rubric": "Says that both rows are one list.",
    "reference": "Both rows are one and the same list.",
}
ROWS = (CALLS, ASSERTS, LABEL, RUBRIC)


def own_row(base: dict[str, Any] = CALLS, **changes: Any) -> dict[str, Any]:
    """Return a row; a change to None removes the field."""
    return {name: value for name, value in {**base, **changes}.items() if value is not None}


def own_file(folder: Path, *rows: dict[str, Any]) -> Path:
    """Write these rows as JSON Lines; all kinds by default."""
    path = folder / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows or ROWS), encoding="utf-8")
    return path


def own_task(folder: Path, base: dict[str, Any] = CALLS, **changes: Any) -> Task:
    """Return the task of one row."""
    return next(TRACK.load(own_file(folder, own_row(base, **changes))))


def own_answer(text: str) -> Answer:
    """Return an answer with this text."""
    return Answer(key="k", task_id="add", sample=0, model="made", text=text)


OWN_TOML = """\
# Four tasks by hand.
[[task]]
id = "add"
prompt = "Write a Python function `add(a, b)` that returns the sum of two numbers."
entry_point = "add"
calls = [{ args = [1, 2], returns = 3 }]
solution = "def add(a, b): return a + b"

[[task]]
id = "slug"
prompt = '''
Write a Python function `slug(text)`.
[[task]]
is no header here.'''
entry_point = "slug"
asserts = '''
assert slug("Hello World") == "hello-world"
'''
solution = '''
def slug(text):
    return "-".join(text.lower().split())
'''

[[task]]
id = "spam"
prompt = "Is 'You won!' spam? Answer with one word: spam or ham."
label = "spam"
labels = ["spam", "ham"]
"""
