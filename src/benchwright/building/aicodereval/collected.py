"""Stages collect and read: records of models from sources by name, and drafts that are stored; each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.aicodereval.options import BenchmarkOptions
from benchwright.building.collecting import source_named
from benchwright.contracts import Item, Source
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import UsageError
from benchwright.records import Drop
from benchwright.registry import names
from benchwright.sources.model_records import ModelRecord


def sources_of(options: BenchmarkOptions) -> list[Source[Any]]:
    """The sources that are named. Raises UsageError for what names none."""
    return [_source(text, options) for text in options.sources]


def _source(text: str, options: BenchmarkOptions) -> Source[Any]:
    licences = options.bounds.licences
    named = f"cards:{text}" if Path(text).is_dir() else text
    found = source_named(named, licences=licences)
    if found is None:
        known = ", ".join(names("source"))
        hint = f"a folder of cards, or NAME:REST, NAME one of {known}; stored drafts are given with --drafts"
        raise UsageError(f"--from {escaped_name(text)} names no source of model records", hint=hint)
    return found


def each_once(items: Iterable[Item[Any] | Drop]) -> Iterator[ModelRecord | Drop]:
    """The records of all sources: one text about one model once, whatever it is called."""
    seen: dict[tuple[str, str], str] = {}
    for item in items:
        if isinstance(item, Drop):
            yield item
            continue
        found = _record(item, ModelRecord, "records of models")
        key = (found.id, found.sha256)
        if key in seen:
            yield Drop(unit=item.origin, reason="same_record", detail=f"as {seen[key]}")
            continue
        seen[key] = item.origin
        yield found


def drafts_of(items: Iterable[Item[Any] | Drop]) -> Iterator[Draft | Drop]:
    """The drafts of all files."""
    return (item if isinstance(item, Drop) else _record(item, Draft, "drafts") for item in items)


def _record(item: Item[Any], kind: type[Any], what: str) -> Any:
    if not isinstance(item.record, kind):
        given = type(item.record).__name__
        message = f"{escaped_path(item.origin)}: its source gives a {given}, and entries are made of {what}"
        raise UsageError(message, hint=f"one of: {', '.join(names('source'))}, if it has {what}")
    return item.record
