"""A source: `--from table:FILE` builds from repositories in a CSV file with the columns address and licence.

[project.entry-points."benchwright.sources"]
table = "table_source:open_table"
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection
from itertools import chain
from pathlib import Path

from benchwright.contracts import Inventory
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource, Repository

COLUMNS = {"address", "licence"}


class TableSource:
    """The rows of a table. What the table knows to be under another licence is a drop, and is not fetched."""

    def __init__(self, path: Path, licences: Collection[str]) -> None:
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        except (OSError, ValueError) as error:
            raise UsageError(f"table:{path} cannot be read: {error}", hint="a CSV file in UTF-8") from None
        if not rows or not rows[0].keys() >= COLUMNS:
            raise UsageError(f"table:{path} has not both columns", hint="its first line: address,licence")
        self._refused = [row for row in rows if row["licence"] not in licences]
        self._clones = ClonesSource([row["address"] for row in rows if row["licence"] in licences])

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[Repository]:
        """Clones are made below `folder`; the licence is read from the files once more, as for any clone."""
        tell(f"{len(self._refused)} rows of the table are under other licences")
        found = self._clones.collect(folder, tell)
        drops = (
            Drop(unit=row["address"], reason="licence_in_table", detail=row["licence"])
            for row in self._refused
        )
        return Inventory(found.total + len(self._refused), chain(drops, found.items), found.notes)


def open_table(rest: str, *, licences: Collection[str]) -> TableSource:
    """What the entry point names: called with what follows `table:` and the licences that rows may have."""
    return TableSource(Path(rest), licences)
