"""Database failures: which errors they are, and what to tell people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import BenchwrightError

LONGEST_REASON = 300  # characters of the database's message
# https://www.postgresql.org/docs/current/errcodes-appendix.html: rolled back because of other transactions.
_UNDONE = frozenset({"40001", "40P01"})  # serialization_failure, deadlock_detected
# Parts of SQLite's messages: their meaning for the operator, and a command for diagnosis.
_TOLD = (
    ("readonly database", "its file is not writable", "ls -l {file}; id"),
    ("database or disk is full", "its disk is full", "df -h {folder}"),
    ("disk I/O error", "the system could not write its file", "df -h {folder}; dmesg | tail"),
    ("unable to open database file", "its file cannot be opened", "ls -ld {folder}"),
    ("database is locked", "its file is locked by another program", "lsof {file}"),
    ("not a database", "its file is not a SQLite database", "file {file}"),
    ("malformed", "its file is damaged", "sqlite3 {file} .recover | sqlite3 recovered.sqlite"),
)


class StoreUnavailable(BenchwrightError):
    """The database failed and nothing was stored; with `committing`, that is unknown.

    `repeatable`: nothing was committed, because the connection was lost earlier or because of a deadlock;
    so the work may be repeated.
    """

    def __init__(self, message: str, *, hint: str | None, repeatable: bool, committing: bool) -> None:
        super().__init__(message, hint=hint)
        self.repeatable, self.committing = repeatable, committing


class StorePlace(NamedTuple):
    """The location of a database: its name for people, values for hints, and how to test a server."""

    name: str
    words: Mapping[str, str]
    ask: str = ""


def place_of_file(path: Path) -> StorePlace:
    """The location of a SQLite file."""
    words = {"file": quoted(path.absolute()), "folder": quoted(path.absolute().parent)}
    return StorePlace(escaped_path(path), words)


def place_of_server(url: URL) -> StorePlace:
    """The location of a PostgreSQL database, without the password wherever it is in the address."""
    plain = URL.create(
        "postgresql",
        username=url.username,
        host=url.host,
        port=url.port,
        database=url.database,
        query={name: value for name, value in url.query.items() if name in ("host", "port")},
    )
    name = escaped_name(plain.render_as_string(), LONGEST_REASON)
    return StorePlace(name, {}, f"pg_isready -d {quoted(name)}")


def explain(
    error: DBAPIError | PoolTimeout, place: StorePlace, *, committing: bool
) -> StoreUnavailable | None:
    """The failure that an error means; None if the statement itself was wrong."""
    if isinstance(error, PoolTimeout):
        return _unavailable(place, "all connections are in use", place.ask, committing=committing)
    if isinstance(error, IntegrityError):
        return None
    said = str(error.orig)
    for words, why, hint in _TOLD if place.words else ():
        if words in said:
            return _unavailable(place, why, hint.format_map(place.words), committing=committing)
    lost = error.connection_invalidated or isinstance(error, OperationalError)
    if not lost or isinstance(error, ProgrammingError):
        return None
    why = escaped_name(" ".join(said.split()), LONGEST_REASON)
    undone = getattr(error.orig, "sqlstate", None) in _UNDONE
    repeatable = undone or (error.connection_invalidated and not committing)
    return _unavailable(place, why, place.ask, repeatable=repeatable, committing=committing and not undone)


def _unavailable(
    place: StorePlace, why: str, hint: str, *, committing: bool, repeatable: bool = False
) -> StoreUnavailable:
    message = f"the database {place.name} is unavailable: {why}"
    return StoreUnavailable(message, hint=hint or None, repeatable=repeatable, committing=committing)
