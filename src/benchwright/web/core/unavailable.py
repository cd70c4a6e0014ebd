"""A database that cannot do its work: which errors say so, and what people are told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import BenchwrightError

LONGEST_REASON = 300  # characters of the database's own words
# https://www.postgresql.org/docs/current/errcodes-appendix.html: the work was undone for the sake of others.
_UNDONE = frozenset({"40001", "40P01"})  # serialization_failure, deadlock_detected
# What SQLite says, in part: what that means for whoever runs the station, and a command to look further.
_TOLD = (
    ("readonly database", "its file may not be written", "ls -l {file}; id"),
    ("database or disk is full", "no room is left on its disk", "df -h {folder}"),
    ("disk I/O error", "the system could not write its file", "df -h {folder}; dmesg | tail"),
    ("unable to open database file", "its file cannot be opened", "ls -ld {folder}"),
    ("database is locked", "another program holds its file", "lsof {file}"),
    ("not a database", "its file is no SQLite database", "file {file}"),
    ("malformed", "its file is damaged", "sqlite3 {file} .recover | sqlite3 recovered.sqlite"),
)


class StoreUnavailable(BenchwrightError):
    """The database did not do what was asked. Nothing of it was kept; with `committing` that is not known.

    `repeatable`: nothing was committed, since the connection was lost before or since the work and another's
    waited for each other; so it may be done again.
    """

    def __init__(self, message: str, *, hint: str | None, repeatable: bool, committing: bool) -> None:
        super().__init__(message, hint=hint)
        self.repeatable, self.committing = repeatable, committing


class StorePlace(NamedTuple):
    """Where a database is, for people: its name, the words that fill hints, and how to ask a server."""

    name: str
    words: Mapping[str, str]
    ask: str = ""


def place_of_file(path: Path) -> StorePlace:
    """A file of SQLite."""
    words = {"file": quoted(path.absolute()), "folder": quoted(path.absolute().parent)}
    return StorePlace(escaped_path(path), words)


def place_of_server(url: URL) -> StorePlace:
    """A database of PostgreSQL by its address, without the password, wherever it stands in it."""
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
    """What the error means for people; None for one that is the statement's own fault."""
    if isinstance(error, PoolTimeout):
        return _unavailable(place, "all its connections are in use", place.ask, committing=committing)
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
    message = f"the database {place.name} cannot be used now: {why}"
    return StoreUnavailable(message, hint=hint or None, repeatable=repeatable, committing=committing)
