"""Small runs of labels: rows, answers in several styles, and finished run folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchwright.records import Score
from benchwright.running.pipeline import run
from kit.small_data import write

# Styles in which an answer states a label; the profile `mera-exact` reads only the first two as intended.
SAID = {
    "plain": "{label}",
    "sentence": "The answer is {label}.",
    "prose": "The test {verb} on this code.",
    "nothing": "I cannot tell.",
}
VERBS = {"success": "will pass", "failed": "will not pass"}
LANGUAGES = ("Python", "Java", "Go")


def label_row(number: int, **changed: Any) -> dict[str, Any]:
    """Return a row: odd numbers succeed, even ones fail; ten rows per repository, both subsets, tags."""
    row = {
        "instruction": "Пройдёт ли тест?\n{lang}\n{focal_code}\n{test_code}\nsuccess или failed?",
        "inputs": {
            "focal_code": f"def plus_{number}(x):\n    return x + {number}\n" + "\n" * (number % 4),
            "test_code": f"def test_plus():\n    assert plus_{number}(1) == {1 + number}\n",
            "lang": LANGUAGES[number % 3],
        },
        "outputs": "success" if number % 2 else "failed",
        "meta": {
            "id": number,
            "subset": ("original", "mutated")[number // 2 % 2],
            "repository": f"r{number // 10}",
            "tags": {"asserts": 1, "focal_uses": ["clock"] if number % 2 else []},
        },
    }
    return {**row, **changed}


def label_rows(folder: Path, *, tasks: int = 12) -> Path:
    """Write a data set of this number of rows."""
    return write(folder / "labels.jsonl", [label_row(number) for number in range(1, tasks + 1)])


def label_answers(folder: Path, name: str, styles: Sequence[tuple[str, bool]]) -> Path:
    """Write stored answers: to task 1 in the first style, right or wrong, and so on in turn."""
    rows = []
    for number in range(1, 13):
        style, right = styles[(number - 1) % len(styles)]
        label = "success" if bool(number % 2) == right else "failed"
        text = SAID[style].format(label=label, verb=VERBS[label])
        rows.append({"task_id": number, "completion": text})
    return write(folder / f"{name}.jsonl", rows)


STRONG = [
    ("plain", True),
    ("prose", True),
    ("sentence", True),
    ("plain", True),
    ("prose", True),
    ("plain", False),
]
WEAK = [
    ("plain", True),
    ("plain", False),
    ("nothing", True),
    ("plain", False),
    ("prose", True),
    ("plain", False),
]


def label_run(folder: Path, name: str, styles: Sequence[tuple[str, bool]]) -> Path:
    """Write a finished run of twelve tasks, judged by both profiles."""
    scored(folder, name, styles)
    return folder / "runs" / name


def scored(folder: Path, name: str, styles: Sequence[tuple[str, bool]]) -> Score:
    """Return its score."""
    return run(
        "codecorrectness",
        data=str(label_rows(folder)),
        model=f"replay:{label_answers(folder, name, styles)}",
        profiles=("strict", "mera-exact"),
        out=folder / "runs" / name,
        workers=1,
    )
