"""Rows in the shapes of HumanEval+ and MBPP+, written for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def human_row(**changed: Any) -> dict[str, Any]:
    """Return a task with the head of a function; its plus inputs include empty lists."""
    row = {
        "task_id": "HumanEval/900",
        "prompt": 'def mean(xs: list) -> float:\n    """The mean of some numbers; 0 of none."""\n',
        "entry_point": "mean",
        "canonical_solution": "    return sum(xs) / len(xs) if xs else 0.0\n",
        "test": "def check(candidate):\n    assert candidate([1, 2]) == 1.5\n",
        "contract": "",
        "base_input": [[[1, 2]], [[4]]],
        "plus_input": [[[]], [[1, 1, 2]]],
        "atol": 0,
    }
    return {**row, **changed}


def mbpp_plus_row(**changed: Any) -> dict[str, Any]:
    """Return a task with a sentence and an assert; its number is one whose arguments are tuples."""
    row = {
        "task_id": "Mbpp/2",
        "prompt": '"""\nShared elements, in any order.\nassert set(similar_elements((1, 2),(2, 3))) == {2}\n"""\n',
        "entry_point": "similar_elements",
        "canonical_solution": "\ndef similar_elements(a, b):\n    return tuple(set(a) & set(b))\n",
        "base_input": [[[1, 2], [2, 3]]],
        "plus_input": [[[1, 2, 5], [5, 2]], [[], []]],
        "atol": 0,
        "contract": "",
        "assertion": "\nassert similar_elements((1, 2),(2, 3)) == (2,)\n",
    }
    return {**row, **changed}


def write_plus(path: Path, *rows: dict[str, Any]) -> Path:
    """Write a data set of these rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
