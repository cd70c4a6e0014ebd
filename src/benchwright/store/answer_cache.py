"""Answers that this user's runs have had, by what decides them: a later run need not ask again.

One SQLite file of this user alone, in write-ahead mode, so that several processes can use it at once.
It only saves work: if it is locked, full or damaged, runs continue without it.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import DataError, RunError
from benchwright.records import Answer
from benchwright.store.user_cache import check_owner, user_cache

NAME = "answers.sqlite3"
MOST_BYTES = 1 << 30  # of the file; then what was used longest ago goes
_LEAST = 0.8  # share that remains after eviction
_LONGEST = 64 << 20  # characters of a stored answer after decompression: more is damage
_BUSY_S = 30.0  # for another process's write
_TOGETHER = 500  # keys that are looked up with one statement
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, asked TEXT NOT NULL, used TEXT NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON answers (used);
"""


class CacheSize(NamedTuple):
    """Size of the cache and its limit, in bytes."""

    path: Path
    answers: int
    size: int
    most: int


class AnswerCache:
    """Reads and writes the cache. Raises RunError, with a command that repairs it, if it cannot be used."""

    def __init__(self, path: Path | None = None, *, most: int = MOST_BYTES) -> None:
        self.path, self.most = path or user_cache() / NAME, most
        self._database: sqlite3.Connection | None = None

    def __enter__(self) -> AnswerCache:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back. A second call does nothing."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def find(self, keys: Sequence[str]) -> dict[str, Answer]:
        """Return the answers under these keys; damaged entries are removed and count as missing."""
        found: dict[str, Answer] = {}
        with _cache_errors(self.path):
            database = self._open()
            for start in range(0, len(keys), _TOGETHER):
                some = keys[start : start + _TOGETHER]
                marks = ",".join("?" * len(some))
                rows = database.execute(f"SELECT key, asked, body FROM answers WHERE key IN ({marks})", some)
                read = {key: _read(asked_at, body) for key, asked_at, body in rows.fetchall()}
                found |= {key: answer for key, answer in read.items() if answer is not None}
                self._touch(database, read)
        return found

    def _touch(self, database: sqlite3.Connection, read: dict[str, Answer | None]) -> None:
        """Note the use of those that could be read, and remove the others."""
        now = _now()
        with database:
            database.executemany(
                "UPDATE answers SET used = ? WHERE key = ?",
                [(now, key) for key, each in read.items() if each],
            )
            database.executemany(
                "DELETE FROM answers WHERE key = ?", [(key,) for key, each in read.items() if not each]
            )

    def keep(self, answers: Iterable[tuple[str, Answer]]) -> None:
        """Store answers under their keys; existing ones stay."""
        now = _now()
        rows = [(key, now, now, len(body), body) for key, each in answers for body in [_body(each)]]
        with _cache_errors(self.path):
            database = self._open()
            with database:
                database.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)", rows)
            self._drop_oldest(database)

    def size(self) -> CacheSize:
        """How much there is."""
        if not self.path.exists():
            return CacheSize(self.path, 0, 0, self.most)
        with _cache_errors(self.path):
            answers = self._open().execute("SELECT count(*) FROM answers").fetchone()[0]
        return CacheSize(self.path, answers, self._bytes(), self.most)

    def clear(self) -> None:
        """Remove all of it, whatever state it is in."""
        self.close()
        for ending in ("", "-wal", "-shm"):
            with _cache_errors(self.path), suppress(FileNotFoundError):
                self.path.with_name(self.path.name + ending).unlink()

    def _bytes(self) -> int:
        files = (self.path.with_name(self.path.name + ending) for ending in ("", "-wal"))
        return sum(each.stat().st_size for each in files if each.exists())

    def _drop_oldest(self, database: sqlite3.Connection) -> None:
        """Drop what was used longest ago where the answers have become too many."""
        pages, free, page = (
            database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        used_bytes = (pages - free) * page  # free pages are used again before the file grows
        if used_bytes <= self.most:
            return
        drop: list[tuple[str]] = []
        for key, size in database.execute("SELECT key, size FROM answers ORDER BY used, key"):
            if used_bytes <= self.most * _LEAST:
                break
            used_bytes -= size
            drop.append((key,))
        with database:
            database.executemany("DELETE FROM answers WHERE key = ?", drop)

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            check_owner(self.path.parent, self.path.parent.stat())
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            check_owner(self.path, self.path.stat())
            database = sqlite3.connect(self.path, timeout=_BUSY_S, check_same_thread=False)
            try:
                _set_up(database, self.path.parent)
            except (sqlite3.Error, OSError):
                database.close()
                raise
            self._database = database
        return self._database


def _set_up(database: sqlite3.Connection, folder: Path) -> None:
    """One process after the other: SQLite does not wait for one that turns a new file to write-ahead."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.executescript(_SCHEMA)
    finally:
        os.close(fd)


@contextmanager
def _cache_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite, the system and the check of the owner into one error with a hint."""
    try:
        yield
    except (sqlite3.Error, OSError, DataError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(getattr(error, "message", error))
        raise RunError(
            f"the cache of answers {escaped_path(path)} cannot be used: {why}",
            hint=f"rm {quoted(path)}*   (or: --no-cache)",
        ) from error


def _body(answer: Answer) -> bytes:
    return zlib.compress(msgspec.json.encode(answer), 6)


def _read(asked_at: str, body: bytes) -> Answer | None:
    """The answer in a row; None for one that is damaged, which zlib's checksum shows."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(body, _LONGEST)
        if unpacker.unconsumed_tail or not unpacker.eof:
            return None
        return msgspec.structs.replace(msgspec.json.decode(text, type=Answer), cached=asked_at)
    except (zlib.error, msgspec.DecodeError, TypeError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
