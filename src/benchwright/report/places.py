"""The position of each task's rows in a finished file, to read one task without the others.

Finished files keep the answers to a task together. Runs may exclude different tasks, so files are not
merged line by line: each is read at the offset of the task. Memory is two numbers per task.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, RunError
from benchwright.records import TaskId
from benchwright.store.writing import Head

R = TypeVar("R")


class RowRange(NamedTuple):
    """The offset of a task's rows, and their number."""

    offset: int
    rows: int


def find_places(path: Path) -> dict[TaskId, RowRange]:
    """The position of each task's rows. Raises RunError for an unfinished file."""
    found: dict[TaskId, RowRange] = {}
    current: TaskId | None = None
    for offset, number, line in _lines(path):
        task = decode(line, Head, path, number).task_id
        if task != current and task in found:
            raise unfinished(path)
        start = found.get(task, RowRange(offset, 0))
        found[task] = RowRange(start.offset, start.rows + 1)
        current = task
    return found


def read_at(path: Path, place: RowRange, kind: type[R]) -> list[R]:
    """The rows of one task."""
    with path.open("rb") as file:
        file.seek(place.offset)
        return [decode(file.readline(), kind, path, 0) for _ in range(place.rows)]


def decode(line: bytes, kind: type[R], path: Path, number: int) -> R:
    """Decode a row. Raises DataError if it is invalid."""
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "the file was edited or damaged; delete the line and run the same command again"
        raise DataError(
            f"corrupt row: {error}", path=escaped_path(path), line=number or None, hint=hint
        ) from None


def unfinished(path: Path) -> RunError:
    """The error for files of an unfinished run."""
    hint = "repeat the command of the run to finish it, then report it"
    return RunError(f"{escaped_path(path)} is incomplete or was edited", hint=hint)


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Each complete line with its offset and its number."""
    if not path.is_file():
        raise unfinished(path)
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                raise unfinished(path)
            yield offset, number, line
            offset += len(line)
