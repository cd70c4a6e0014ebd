"""The folder of a training export: files of each configuration, a table of provenance, a card, a manifest.

Rows are sorted by id, so equal rows give equal bytes. The folder is written under another name and renamed:
no half-written export has the name of a whole one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError
from benchwright.interop.training.card import training_card
from benchwright.interop.training.formats import TrainingFormat
from benchwright.interop.training.row_types import Form, RowType, TrainingRow
from benchwright.records import Record
from benchwright.store.parquet import can_write_parquet, parquet_bytes
from benchwright.store.writing import make_parents, write_error
from benchwright.version import VERSION

KIND, MANIFEST, CARD, META = "training export", "manifest.json", "README.md", "meta"
SHARD = 50_000  # rows of one Parquet file
META_TYPES = {
    "config": "VARCHAR",
    "split": "VARCHAR",
    "row": "BIGINT",  # position in the split of the configuration, from 0
    "id": "VARCHAR",
    "repo": "VARCHAR",
    "licence": "VARCHAR",
    "rung": "INTEGER",
    "sha": "VARCHAR",
    "url": "VARCHAR",
    "at": "VARCHAR",
    "evidence": "VARCHAR",
}


class Configuration(NamedTuple):
    """The rows of one recipe, and what it dropped by reason."""

    name: str
    about: str
    kind: RowType
    form: Form
    rows: Sequence[TrainingRow]
    dropped: Mapping[str, int] = {}

    def splits(self) -> dict[str, list[TrainingRow]]:
        """The rows by split, each sorted by id."""
        parts: dict[str, list[TrainingRow]] = {}
        for row in sorted(self.rows, key=lambda each: (each.split, each.id)):
            parts.setdefault(row.split, []).append(row)
        return parts


class ExportedConfiguration(Record, frozen=True, kw_only=True):
    """Summary of one configuration."""

    type: str
    form: str
    columns: list[str]
    about: str
    rows: dict[str, int]  # by split
    dropped: dict[str, int]  # by reason


class TrainingExport(Record, frozen=True, kw_only=True):
    """Summary of a written export."""

    out: str
    format: str
    configurations: dict[str, ExportedConfiguration]
    files: list[str]


def write_export(
    out: Path,
    configurations: Sequence[Configuration],
    file_format: TrainingFormat,
    *,
    sources: Sequence[Mapping[str, Any]],
) -> TrainingExport:
    """Write an export into a new or empty folder, or over an earlier export. Raises RunError.

    `sources` are published in the manifest: releases and runs by name and digest.
    """
    _check_place(out)
    summaries = {each.name: _summary(each, file_format) for each in configurations}
    files = dict(_files(configurations, file_format))
    rows = [row for each in configurations for row in each.rows]
    manifest = {
        "kind": KIND,
        "made_by": f"benchwright {VERSION}",
        "format": file_format.name,
        "sources": [dict(each) for each in sources],
        "configurations": msgspec.to_builtins(summaries),
        "licences": _tally(row.licence or "unknown" for row in rows),
        "repositories": _tally(row.repo or "unknown" for row in rows),
        "time_range": _time_range(rows),
        "parquet": any(name.endswith(".parquet") for name in files),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())},
    }
    files[MANIFEST] = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"
    files[CARD] = training_card(manifest, _features(configurations, file_format)).encode()
    _replace(out, files)
    return TrainingExport(
        out=str(out), format=file_format.name, configurations=summaries, files=sorted(files)
    )


def _summary(each: Configuration, file_format: TrainingFormat) -> ExportedConfiguration:
    first = next(iter(each.rows), None)
    packed = file_format.pack(first, each.kind, each.form) if first is not None else {}
    return ExportedConfiguration(
        type=each.kind.name,
        form=each.form,
        columns=list(each.kind.columns if file_format.typed else packed),
        about=each.about,
        rows={split: len(rows) for split, rows in each.splits().items()},
        dropped=dict(sorted(each.dropped.items())),
    )


def _files(
    configurations: Sequence[Configuration], file_format: TrainingFormat
) -> Iterator[tuple[str, bytes]]:
    """Yield each data file with its content; a configuration without rows has none."""
    provenance: dict[str, list[dict[str, Any]]] = {}
    for each in configurations:
        for split, rows in each.splits().items():
            packed = [file_format.pack(row, each.kind, each.form) for row in rows]
            types = each.kind.types(each.form) if file_format.typed else None
            yield from _table(each.name, split, packed, types)
            about = provenance.setdefault(split, [])
            about += [_provenance(each.name, split, at, row) for at, row in enumerate(rows)]
    for split, packed in provenance.items():
        yield from _table(META, split, packed, META_TYPES)


def _table(
    name: str, split: str, rows: Sequence[Mapping[str, Any]], types: Mapping[str, str] | None
) -> Iterator[tuple[str, bytes]]:
    lines = (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
    yield f"jsonl/{name}/{split}.jsonl", b"".join(lines)
    if types is None or not can_write_parquet():
        return
    shards = [rows[at : at + SHARD] for at in range(0, len(rows), SHARD)]
    for number, shard in enumerate(shards):
        path = f"data/{name}/{split}-{number:05}-of-{len(shards):05}.parquet"
        yield path, parquet_bytes(shard, types)


def _provenance(name: str, split: str, at: int, row: TrainingRow) -> dict[str, Any]:
    own = {field: getattr(row, field) for field in list(META_TYPES)[3:]}
    return {"config": name, "split": split, "row": at, **own}


def _features(
    configurations: Sequence[Configuration], file_format: TrainingFormat
) -> dict[str, Mapping[str, str]]:
    """DuckDB's types of the columns of each configuration that has rows, for the card."""
    if not file_format.typed:
        return {}
    typed = {each.name: each.kind.types(each.form) for each in configurations if each.rows}
    return {**typed, META: META_TYPES} if typed else {}


def _tally(values: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _time_range(rows: Sequence[TrainingRow]) -> list[str]:
    times = [row.at for row in rows if row.at]
    return [min(times), max(times)] if times else []


def is_export(folder: Path) -> bool:
    """Whether a folder is a training export, by its manifest."""
    try:
        found = msgspec.json.decode((folder / MANIFEST).read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return False
    return isinstance(found, dict) and found.get("kind") == KIND


def _check_place(out: Path) -> None:
    if out.is_dir() and (not any(out.iterdir()) or is_export(out)):
        return
    if out.exists() or out.is_symlink():
        message = f"{escaped_path(out)} exists and is not a training export"
        raise RunError(message, hint=f"name a new folder: --out {quoted(out)}-training")


def _replace(out: Path, files: Mapping[str, bytes]) -> None:
    """Write the files under another name, then put them in the place of the folder."""
    temporary = out.with_name(f".{out.name}.partial")  # a fixed name, so a kill leaves at most one
    try:
        make_parents(out)
        shutil.rmtree(temporary, ignore_errors=True)
        for name, content in files.items():
            path = temporary / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
                os.fsync(file.fileno())
        if out.exists():
            shutil.rmtree(out)
        temporary.rename(out)
    except OSError as error:
        raise write_error(error, out) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
