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
from benchwright.errors import RunError
from benchwright.records import TaskId
from benchwright.store.writing import Head, decode_record

R = TypeVar("R")


class RowRange(NamedTuple):
    """The offset of a task's rows, and their number."""

    offset: int
    rows: int


def find_places(path: Path) -> dict[TaskId, RowRange]:
    """The position of each task's rows. Raises RunError for an unfinished file."""
    found: dict[TaskId, RowRange] = {}
    current: TaskId | None = None
    decode = msgspec.json.Decoder(Head).decode
    for offset, number, line in _lines(path):
        task = decode_record(decode, line, path, number).task_id
        if task != current and task in found:
            raise unfinished(path)
        start = found.get(task, RowRange(offset, 0))
        found[task] = RowRange(start.offset, start.rows + 1)
        current = task
    return found


def read_at(path: Path, place: RowRange, kind: type[R]) -> list[R]:
    """The rows of one task."""
    decode = msgspec.json.Decoder(kind).decode
    with path.open("rb") as file:
        file.seek(place.offset)
        return [decode_record(decode, file.readline(), path, 0) for _ in range(place.rows)]


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
