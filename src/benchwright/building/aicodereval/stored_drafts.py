"""Stored drafts, JSON Lines of `Draft`, as a source of builds. An unreadable row is a drop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchwright.building.aicodereval.nouns import Draft
from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.records import Drop
from benchwright.store.files import locate, open_binary
from benchwright.store.lines import scan_lines
from benchwright.store.sources import data_hash
from benchwright.store.strict_json import JsonOrigin, parse_object

HINT = "docs/building-aicodereval.md has the fields of a draft"


class StoredDrafts:
    """The drafts of one file. Raises UsageError for a missing file, DataError for a truncated one."""

    def __init__(self, source: str) -> None:
        self._path = locate(source)
        self.sha256 = data_hash(source)
        changed = datetime.fromtimestamp(self._path.stat().st_mtime, UTC)
        self._date = changed.date().isoformat()  # date of drafts without one

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[Draft]:
        """Read the file again; nothing is stored, and a changed file is another build."""
        total = sum(1 for _ in self._rows())
        return Inventory(total, self._rows())

    def _rows(self) -> Iterator[Item[Draft] | Drop]:
        place = escaped_path(self._path)
        with open_binary(self._path) as stream:
            for number, _, data in scan_lines(stream, place):
                yield _read(data, JsonOrigin(place, number), self._date)


def _read(data: bytes, origin: JsonOrigin, date: str) -> Item[Draft] | Drop:
    place = f"{origin.path}:{origin.line}"
    try:
        draft = msgspec.convert(parse_object(data, origin), Draft)
    except DataError as error:
        return Drop(unit=place, reason="draft_unreadable", detail=f"{error}; {error.hint or HINT}")
    except msgspec.ValidationError as error:
        return Drop(unit=place, reason="draft_unreadable", detail=f"{place}: {error}; {HINT}")
    entry = draft.entry
    if not entry.created:
        draft = msgspec.structs.replace(draft, entry=msgspec.structs.replace(entry, created=date))
    return Item(place, draft)
