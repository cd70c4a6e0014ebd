"""Which track reads a row, by its fields; values are not looked at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.display.escape import quoted
from benchwright.errors import DataError, UsageError, command_name
from benchwright.store.sources import open_rows, place

# Tracks with fields that their rows have, `within.field` for one of an object; the first that fits is taken.
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("codecorrectness", ("inputs.focal_code",)),
    ("smartcoding-comments", ("inputs.code", "inputs.lang")),
    ("smartcoding-issues", ("inputs.question",)),
    ("ruhumaneval", ("inputs.function",)),
    ("evalplus", ("base_input", "plus_input")),
    ("mbpp", ("test_list",)),
    ("multipl", ("prompt", "tests", "language")),
    ("humaneval", ("prompt", "test")),
    ("aicodereval", ("signature", "implementation")),
    ("own", ("id", "prompt")),  # and with one of them forgotten
    *(("own", (known, kind)) for known in ("id", "prompt") for kind in ("entry_point", "label", "rubric")),
)


def track_of_row(row: Mapping[str, Any]) -> str:
    """The name of the track that reads such a row; empty for none of ours.

    >>> track_of_row({"task_id": 1, "prompt": "…", "test": "…"})
    'humaneval'
    """
    return next((track for track, names in _SHAPES if all(_has(row, name) for name in names)), "")


def track_of(source: str | Path) -> str:
    """The track that reads the first row of a data set that any of ours reads.

    Raises UsageError where there is none, and DataError for a file that cannot be read at all.
    """
    refused: list[DataError] = []
    for _, row in open_rows(source, refuse=refused.append):
        if found := track_of_row(row):
            return found
    if refused:
        raise refused[0]
    message = f"{place(source)}: by their fields no row belongs to a track"
    again = f"{command_name()} check {quoted(place(source))} --track own"
    raise UsageError(message, hint=f"say whose rows they are: {again}")


def _has(row: Mapping[str, Any], name: str) -> bool:
    first, _, rest = name.partition(".")
    inner = row.get(first)
    return first in row and (not rest or (isinstance(inner, Mapping) and _has(inner, rest)))
