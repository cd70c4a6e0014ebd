"""Small data sets and stored answers in HumanEval's and MERA's row shape, written for the tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# Bodies of an answer to `plus_N` or `times_N`, by the outcome that it must get.
ANSWERS = {
    "passed": "    return {gold}\n",
    "wrong": "    return x - 1000\n",
    "exception": "    raise KeyError(x)\n",
    "no_code": "I am sorry, but I cannot help with that.",
    "syntax_error": "```python\ndef {name}(x):\n    return (x +\n```",
    "timed_out": "    while True:\n        x += 1\n",
}
CHEAP = ("passed", "wrong", "exception", "no_code", "syntax_error")


def name_of(number: int) -> str:
    """Return the function name of the task with this number."""
    return f"{('plus', 'times')[number % 2]}_{number}"


def gold_of(number: int) -> str:
    """Return the expression that the function must return."""
    return f"x {'+*'[number % 2]} {number}"


def humaneval_row(number: int, **changed: Any) -> dict[str, Any]:
    """Return one task in HumanEval's shape."""
    value = 7 + number if number % 2 == 0 else 7 * number
    row = {
        "task_id": f"Small/{number}",
        "prompt": f'def {name_of(number)}(x):\n    """Give {gold_of(number)}."""\n',
        "entry_point": name_of(number),
        "canonical_solution": f"    return {gold_of(number)}\n",
        "test": f"def check(candidate):\n    assert candidate(7) == {value}\n",
    }
    return {**row, **changed}


def mera_row(number: int, **changed: Any) -> dict[str, Any]:
    """Return one task in MERA's shape."""
    values = [x + number if number % 2 == 0 else x * number for x in (1, 2)]
    row = {
        "instruction": "Допиши функцию:\n{function}",
        "inputs": {
            "function": f'def {name_of(number)}(x):\n    """Верни {gold_of(number)}."""',
            "tests": "[{'x': 1}, {'x': 2}]",
        },
        "outputs": [str(value) for value in values],
        "meta": {
            "id": number,
            "canonical_solution": f"\n    return {gold_of(number)}\n",
            "entry_point": name_of(number),
        },
    }
    return {**row, **changed}


def write(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write the rows as JSON Lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def humaneval(folder: Path, tasks: int = 3) -> Path:
    """Write a data set in HumanEval's shape."""
    return write(folder / "tasks.jsonl", map(humaneval_row, range(tasks)))


def mera(folder: Path, tasks: int = 3) -> Path:
    """Write a data set in MERA's shape."""
    return write(folder / "tasks.jsonl", map(mera_row, range(tasks)))


def answer_row(task_id: object, number: int, outcome: str) -> dict[str, Any]:
    """Return a stored answer to the task with this number that must get this outcome."""
    text = ANSWERS[outcome].replace("{gold}", gold_of(number)).replace("{name}", name_of(number))
    return {"task_id": task_id, "completion": text}


def answers(
    folder: Path, tasks: int = 3, *, outcomes: Iterable[str] = ("passed",), shape: str = "Small/{}"
) -> Path:
    """Write stored answers: one for each of these outcomes to each task, in this order."""
    ids = [shape.format(number) if shape else number for number in range(tasks)]
    rows = [
        answer_row(task_id, number, outcome) for number, task_id in enumerate(ids) for outcome in outcomes
    ]
    return write(folder / "answers.jsonl", rows)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a JSONL file of a run folder."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def without_times(path: Path) -> str:
    """Return a verdicts file, byte for byte, without the two fields that depend on the clock."""
    clocks = ("cpu_s", "wall_s")
    kept = [{key: value for key, value in row.items() if key not in clocks} for row in read_rows(path)]
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in kept)
