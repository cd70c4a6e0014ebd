"""Stages collect and read: model records from sources, and stored drafts (JSON Lines of `Draft`), each
once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.release_options import BenchmarkOptions
from benchwright.building.engine.recipe import RecordKind, each_once, open_sources
from benchwright.contracts import Inventory, Item, Source
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.registry import names
from benchwright.sources.model_records import ModelRecord
from benchwright.store.data_files import data_hash
from benchwright.store.files import locate, open_binary
from benchwright.store.lines import scan_lines
from benchwright.store.strict_json import JsonOrigin, parse_object


def record_sources(options: BenchmarkOptions) -> list[Source[Any]]:
    """Open the sources of the options; a folder is a source of cards. Raises UsageError for other paths."""
    texts = [f"cards:{text}" if Path(text).is_dir() else text for text in options.sources]
    return open_sources(texts, licences=options.bounds.licences, unnamed=_refuse)


def _refuse(texts: Sequence[str]) -> list[Source[Any]]:
    if texts:
        known = ", ".join(names("source"))
        hint = (
            f"give a folder of cards, or NAME:REST with NAME one of {known}; for stored drafts use --drafts"
        )
        raise UsageError(f"--from {escaped_name(texts[0])}: not a source of model records", hint=hint)
    return []


_RECORDS = RecordKind(ModelRecord, "records of models", "entries")
_DRAFTS = RecordKind(Draft, "drafts", "entries")


def collect_records(items: Iterable[Item[Any] | Drop]) -> Iterator[ModelRecord | Drop]:
    """The records of all sources: each text about a model once, under whatever name."""
    return each_once(items, _RECORDS, key=lambda record: (record.id, record.sha256), duplicate="same_record")


def drafts_of(items: Iterable[Item[Any] | Drop]) -> Iterator[Draft | Drop]:
    """The drafts of all files."""
    return (item if isinstance(item, Drop) else _DRAFTS.checked(item) for item in items)


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
