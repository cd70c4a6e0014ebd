"""The files of a release: Parquet for all tables, and JSON Lines for the small ones as well.

A file is written again only if its input differs from that of the call before, so an addition rewrites the
last files alone. Equal inputs give equal bytes, with one version of DuckDB.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.display.escape import escaped_path
from benchwright.errors import RunError
from benchwright.records import Record
from benchwright.store.parquet_lines import LinesToParquet
from benchwright.store.strict_json import NOT_JSON
from benchwright.store.writing import make_parents, replacing, write_json

DATA = "data"


class ShardInput(NamedTuple):
    """The content of one file of a table."""

    table: str
    stem: str  # of the file's name
    key: str  # digest of everything that decides the lines
    record: type[Record]
    lines: Callable[[], Iterable[bytes]]
    readable: bool = False  # whether the lines are published as JSON Lines as well


class _ShardDigest(Record, frozen=True, kw_only=True):
    key: str
    rows: int
    files: dict[str, str]  # SHA-256 by path


class ReleaseFile(Record, frozen=True, kw_only=True):
    """One file of a release."""

    sha256: str
    bytes: int
    rows: int


class ReleaseShards:
    """Writes the files of a release below `folder`; `memory` remembers their inputs."""

    def __init__(self, folder: Path, memory: Path, writer: LinesToParquet) -> None:
        self._folder, self._memory, self._writer = folder, memory, writer
        self._before = _remembered(memory)
        self._now: dict[str, _ShardDigest] = {}

    def add(self, given: ShardInput) -> None:
        """Write one file, unless it is there. Without rows there is no file."""
        name = f"{given.table}/{given.stem}"
        known = self._before.get(name)
        if known is None or known.key != given.key or not self._are_there(known):
            known = self._write(given, f"{DATA}/{name}")
        self._now[name] = known

    def finish(self) -> dict[str, ReleaseFile]:
        """Remove the files of earlier calls that have no input any more; all files by path."""
        wanted = {path for each in self._now.values() for path in each.files}
        for path in sorted((self._folder / DATA).rglob("*")):
            if path.is_file() and path.relative_to(self._folder).as_posix() not in wanted:
                path.unlink()
        write_json(self._memory, msgspec.to_builtins(self._now))
        return {
            path: ReleaseFile(sha256=digest, bytes=(self._folder / path).stat().st_size, rows=each.rows)
            for _, each in sorted(self._now.items())
            for path, digest in sorted(each.files.items())
        }

    def _are_there(self, known: _ShardDigest) -> bool:
        paths = {self._folder / path: digest for path, digest in known.files.items()}
        return all(path.is_file() and _digest(path) == digest for path, digest in paths.items())

    def _write(self, given: ShardInput, name: str) -> _ShardDigest:
        lines = self._folder / f"{name}.jsonl"
        make_parents(lines)
        rows = 0
        with replacing(lines) as file:
            for line in given.lines():
                file.write(line)
                rows += 1
        files = [lines, self._folder / f"{name}.parquet"]
        if rows:
            self._writer.write(lines, files[1], given.record)
        if not given.readable or not rows:
            lines.unlink()
            files = files[1:] if rows else []
        digests = {path.relative_to(self._folder).as_posix(): _digest(path) for path in files}
        return _ShardDigest(key=given.key, rows=rows, files=digests)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remembered(path: Path) -> dict[str, _ShardDigest]:
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, _ShardDigest])
    except NOT_JSON as error:
        message = f"{escaped_path(path)} cannot be read: {error}"
        raise RunError(message, hint=f"rm {escaped_path(path)}") from None
