"""Stages collect and read: records of models from sources by name, and stored drafts, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import BenchmarkOptions
from benchwright.building.collecting import RecordKind, each_once, open_sources
from benchwright.contracts import Item, Source
from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.registry import names
from benchwright.sources.model_records import ModelRecord


def sources_of(options: BenchmarkOptions) -> list[Source[Any]]:
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


def collect(items: Iterable[Item[Any] | Drop]) -> Iterator[ModelRecord | Drop]:
    """The records of all sources: each text about a model once, under whatever name."""
    return each_once(items, _RECORDS, key=lambda record: (record.id, record.sha256), duplicate="same_record")


def drafts_of(items: Iterable[Item[Any] | Drop]) -> Iterator[Draft | Drop]:
    """The drafts of all files."""
    return (item if isinstance(item, Drop) else _DRAFTS.checked(item) for item in items)
