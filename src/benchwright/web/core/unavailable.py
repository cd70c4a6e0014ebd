"""A database that cannot do its work: which errors say so, and what people are told."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from benchwright.display.escape import escaped_name
from benchwright.errors import BenchwrightError

LONGEST = 300  # characters of the database's own words
# What SQLite says, in part: what that means for whoever runs the station, and what to do.
_TOLD = (
    ("readonly database", "its file may not be written", "ls -l FILE; id"),
    ("database or disk is full", "no room is left on its disk", "df -h"),
    ("disk I/O error", "the system could not write its file", "df -h; dmesg | tail"),
    ("unable to open database file", "its file cannot be opened", "ls -ld FOLDER"),
    ("database is locked", "another program holds its file", "lsof FILE"),
    ("not a database", "its file is no SQLite database", "choose another file"),
    ("malformed", "its file is damaged", "restore a copy of the file"),
)


class StoreUnavailable(BenchwrightError):
    """The database did not do what was asked. Nothing of it was kept; with `committing` that is not known.

    `repeatable`: the connection was lost before anything was committed, so the work may be done again.
    """

    def __init__(self, message: str, *, hint: str | None, repeatable: bool, committing: bool) -> None:
        super().__init__(message, hint=hint)
        self.repeatable, self.committing = repeatable, committing


def explain(error: DBAPIError | PoolTimeout, *, committing: bool) -> StoreUnavailable | None:
    """What the error means for people; None for one that is the statement's own fault."""
    if isinstance(error, PoolTimeout):
        return _unavailable("all its connections are in use", "try again", committing=committing)
    if isinstance(error, IntegrityError):
        return None
    said = str(error.orig)
    for words, why, hint in _TOLD:
        if words in said:
            return _unavailable(why, hint, committing=committing)
    lost = error.connection_invalidated or isinstance(error, OperationalError)
    if not lost or isinstance(error, ProgrammingError):
        return None
    why = escaped_name(" ".join(said.split()), LONGEST)
    repeatable = error.connection_invalidated and not committing
    return _unavailable(why, "pg_isready", repeatable=repeatable, committing=committing)


def _unavailable(why: str, hint: str, *, committing: bool, repeatable: bool = False) -> StoreUnavailable:
    message = f"the database cannot be used now: {why}"
    return StoreUnavailable(message, hint=hint, repeatable=repeatable, committing=committing)
