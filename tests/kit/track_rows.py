"""Complete rows of both shapes for the tests of tracks, written here, with a few additional keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def humaneval_row(**changes: Any) -> dict[str, Any]:
    """Return a HumanEval row; a change to None removes the key."""
    row = {
        "task_id": "Own/3",
        "prompt": 'def twice(x: int, times: int = 2) -> int:\n    """x, added up."""\n',
        "entry_point": "twice",
        "canonical_solution": "    return x * times\n",
        "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(2, 3) == 6\n",
        "natural_language": "English",
    }
    return {name: value for name, value in {**row, **changes}.items() if value is not None}


def mera_row(**changes: Any) -> dict[str, Any]:
    """Return a MERA row; a change to None removes the key."""
    row = {
        "instruction": "Допишите функцию по её описанию.\n{function}",
        "inputs": {
            "function": 'def total(prices: list, rate: float = 1.0) -> float:\n    """Сумма цен по курсу."""',
            "tests": "[{'prices': [1.0, 2.5]}, {'prices': [], 'rate': 3.0}]",
        },
        "outputs": ["3.5", "0.0"],
        "meta": {
            "id": 12,
            "canonical_solution": "\n    return sum(prices) * rate + 0.0\n",
            "entry_point": "total",
        },
    }
    return {name: value for name, value in {**row, **changes}.items() if value is not None}


def with_inputs(**changes: Any) -> dict[str, Any]:
    """Return a MERA row with other inputs."""
    inputs = {**mera_row()["inputs"], **changes}
    return mera_row(inputs={name: value for name, value in inputs.items() if value is not None})


def with_meta(**changes: Any) -> dict[str, Any]:
    """Return a MERA row with other meta fields."""
    meta = {**mera_row()["meta"], **changes}
    return mera_row(meta={name: value for name, value in meta.items() if value is not None})


def write_rows(folder: Path, *rows: Any) -> Path:
    """Write a JSON Lines file with these rows."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
