"""The outputs of rows: do they have the shape of their task set, and do they say what was meant?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.gold import Gold
from benchwright.interop.mera.kinds import Kind, Shape
from benchwright.interop.mera.rows import name_of

TIMED_OUT = "timed out"


class OutputCheck:
    """Checks one file's outputs, row by row, then as a whole."""

    def __init__(self, kind: Kind, gold: Gold | None, file: str, found: Findings) -> None:
        self._kind, self._gold, self._file, self._found = kind, gold, file, found

    def run(self, outputs: Mapping[Any, Any]) -> None:
        """Note every fault of these outputs, by id."""
        rows = []
        for task_id, value in outputs.items():
            if self._kind.shape is Shape.text:
                if not isinstance(value, str):
                    self._add("outputs-not-text", f"it is {name_of(value)}", task_id)
            elif not isinstance(value, list):
                self._add("outputs-not-list", f"it is {name_of(value)}, not an array", task_id)
            elif self._kind.shape is Shape.generations and (generations := self._check_row(value, task_id)):
                rows.append(generations)
        self._check_whole(rows)

    def _add(self, kind: str, problem: str, task_id: Any, field: str = "outputs") -> None:
        self._found.add(kind, self._file, problem, task_id=task_id, field=field)

    def _check_row(self, value: list[Any], task_id: Any) -> list[Any]:
        """The generations of the row; none where they are not in their place."""
        if problem := _misnested(value, self._gold.tests.get(task_id) if self._gold else None):
            self._add("wrong-nesting", problem, task_id)
            return []
        if not value:
            self._add("unscorable", "it is an empty array, so there is no list of generations", task_id)
            return []
        generations: list[Any] = value[0]
        if not generations:
            self._add("no-generations", "there are no generations", task_id)
        elif len(generations) < self._kind.generations:
            problem = f"{len(generations)} generations, fewer than {self._kind.generations}"
            self._add("few-generations", problem, task_id)
        for number, generation in enumerate(generations):
            self._check_generation(generation, task_id, f"outputs.0.{number}")
        return generations

    def _check_generation(self, generation: Any, task_id: Any, field: str) -> None:
        if generation == TIMED_OUT:
            self._add("timed-out", f'it is the text "{TIMED_OUT}"', task_id, field)
        elif isinstance(generation, str):
            self._add(
                "generation-not-list", f"it is a string of {len(generation):,} characters", task_id, field
            )
        elif not isinstance(generation, list):
            self._add("unscorable", f"it is {name_of(generation)}, not an array", task_id, field)
        else:
            self._check_values(generation, task_id, field)

    def _check_values(self, values: list[Any], task_id: Any, field: str) -> None:
        tests = self._gold.tests.get(task_id) if self._gold else None
        if tests is not None and len(values) != tests:
            self._add("wrong-count", f"{len(values)} values for {tests} tests", task_id, field)
        expected = self._gold.expected.get(task_id) if self._gold and self._gold.expected else None
        for at, value in enumerate(values):
            if value is None:
                if expected and expected[at : at + 1] == ["None"]:
                    self._add("null-for-none", 'null, where "None" is expected', task_id, f"{field}.{at}")
            elif not isinstance(value, str):
                self._add("not-a-string", f"it is {name_of(value)}", task_id, f"{field}.{at}")

    def _check_whole(self, rows: list[list[Any]]) -> None:
        """Faults that no single row shows: an easy task has ten equal generations, a whole file has not."""
        numbers = {len(row) for row in rows}
        if len(numbers) > 1:
            self._add("uneven-generations", f"tasks have from {min(numbers)} to {max(numbers)}", None)
        values = set(_kinds_of_values(rows))
        if values == {"empty"}:
            self._add("only-empty", "every value of every generation is an empty string", None)
        elif values == {"null"}:
            self._add("only-null", "every value of every generation is null", None)
        elif len(rows) > 1 and min(numbers, default=0) > 1 and all(_are_equal(row) for row in rows):
            self._add("identical-generations", "the generations of each task are all the same", None)


def _misnested(value: list[Any], tests: int | None) -> str:
    """How the outer lists are not (1, generations, …); empty when they are, or when there is nothing in them.

    One list of strings may be one generation of `tests` values, or many that are strings: the number says.
    """
    if not value:
        return ""
    if not isinstance(value[0], list):
        return f"the first element is {name_of(value[0])}, not the list of all generations"
    is_flat = bool(value[0]) and all(_is_value(item) for item in value[0])
    if is_flat and (len(value) > 1 or len(value[0]) == tests):
        return "it is (generations, tests), one level short of (1, generations, tests)"
    if len(value) > 1:
        return f"it holds {len(value)} lists, where one list holds all generations"
    return ""


def _is_value(item: Any) -> bool:
    return item is None or (isinstance(item, str) and item != TIMED_OUT)


def _kinds_of_values(rows: Iterable[list[Any]]) -> Iterable[str]:
    for row in rows:
        for generation in row:
            for value in generation if isinstance(generation, list) else [generation]:
                yield "null" if value is None else "empty" if value == "" else "other"


def _are_equal(generations: list[Any]) -> bool:
    return all(generation == generations[0] for generation in generations)
