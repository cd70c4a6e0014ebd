"""Check of a folder or a file of training data against the contract of its types."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.interop.training.contract import check_rows
from benchwright.interop.training.export_folder import CARD, KIND, MANIFEST, META
from benchwright.interop.training.row_types import FORMS, ROW_TYPES
from benchwright.records import Record
from benchwright.store.files import is_parquet
from benchwright.store.lines import Row, read_rows
from benchwright.store.parquet import read_parquet

_ENDINGS = (".jsonl", ".json", ".parquet")


class TrainingCheck(Record, frozen=True, kw_only=True):
    """The result of a check: rows by file, and errors as sentences with place and hint."""

    path: str
    files: dict[str, int]
    errors: list[str]
    hints: list[str]

    @property
    def holds(self) -> bool:
        """Whether there are no errors."""
        return not self.errors


def check_training(path: str | Path) -> TrainingCheck:
    """Check a training export, any other folder of rows in TRL's types, or one file.

    Of an export, the files must have the digests, types and forms of its manifest. Elsewhere the type of a
    file is the one whose columns its first row has. Raises UsageError for a path without such files.
    """
    place = Path(path)
    manifest = _manifest(place)
    files = _files(place)
    if not files:
        message = f"{escaped_path(place)} has no training files"
        raise UsageError(message, hint="name a folder of `export training`, or a .jsonl or .parquet file")
    found: list[DataError] = list(_digest_errors(place, manifest)) if manifest else []
    rows: dict[str, int] = {}
    for file in files:
        count = _RowCounter()
        found += _file_errors(place, file, manifest, count)
        rows[str(file)] = count.rows
    return TrainingCheck(
        path=str(path),
        files=rows,
        errors=[each.message for each in found],
        hints=[each.hint or "" for each in found],
    )


class _RowCounter:
    rows = 0

    def counted(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows and count them."""
        for row in rows:
            self.rows += 1
            yield row


def _manifest(place: Path) -> dict[str, Any]:
    """The manifest of an export in TRL's format; empty for anything else."""
    try:
        found = msgspec.json.decode((place / MANIFEST).read_bytes())
    except OSError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        path = escaped_path(place / MANIFEST)
        raise DataError(f"cannot be read: {error}", path=path, hint="export again") from None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        return {}
    if found.get("format") != "trl":
        message = f"{escaped_path(place)} has the format {found.get('format')}, which has no contract"
        raise UsageError(message, hint="check an export with --format trl")
    return found


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    found = (each for each in place.rglob("*") if each.suffix in _ENDINGS and each.is_file())
    return sorted(each for each in found if each.name != MANIFEST and META not in each.parts[-2:-1])


def _digest_errors(place: Path, manifest: dict[str, Any]) -> Iterator[DataError]:
    listed = manifest.get("sha256")
    listed_digests: dict[str, Any] = listed if isinstance(listed, dict) else {}
    files = {str(each.relative_to(place)) for each in place.rglob("*") if each.is_file()}
    hint = "export again: the manifest has the digest of each file"
    for name in sorted({*listed_digests, *files} - {MANIFEST, CARD}):
        file = escaped_path(place / name)
        if name not in files:
            yield DataError("is missing", path=file, hint=hint)
        elif name not in listed_digests:
            yield DataError("is not in the manifest", path=file, hint="remove it, or export again")
        elif hashlib.sha256((place / name).read_bytes()).hexdigest() != listed_digests[name]:
            yield DataError("was changed after the export", path=file, hint=hint)


def _file_errors(
    place: Path, file: Path, manifest: dict[str, Any], count: _RowCounter
) -> Iterator[DataError]:
    declared = manifest.get("configurations", {}).get(file.parent.name, {}) if manifest else {}
    kind, form = ROW_TYPES.get(str(declared.get("type"))), declared.get("form")
    try:
        rows = read_parquet(file) if is_parquet(file) else read_rows(file)
        known = form if form in FORMS else None
        yield from check_rows(count.counted(rows), escaped_path(file), kind=kind, form=known)
    except DataError as error:
        yield error
