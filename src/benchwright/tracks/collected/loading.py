"""Load data sets of rows or of collected records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchwright.records import Task
from benchwright.tracks.collected.importing import Importing
from benchwright.tracks.collected.pseudonyms import Pseudonyms, data_hash_of
from benchwright.tracks.rows import Fields, Refuse, load_tasks

ToRow = Callable[[Fields, Importing], dict[str, Any]]


def load_collected(
    source: str | Path,
    build: Callable[[Fields], Task],
    to_row: ToRow,
    *,
    refuse: Refuse | None = None,
) -> Iterator[Task]:
    """Load the tasks of a data set of rows, or of collected records, whose authors get pseudonyms.

    `to_row` converts a record into a row and leaves rows unchanged; `build` reads a task. Raises as
    `load_tasks` does.
    """
    importing = Importing(pseudonyms=Pseudonyms(lambda: data_hash_of(source)))

    def read(fields: Fields) -> Task:
        return build(fields._replace(data=to_row(fields, importing)))

    return load_tasks(source, read, refuse=refuse)
