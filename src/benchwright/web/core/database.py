"""The database behind pages: SQLite in one process with one writer, or PostgreSQL with a pool.

SQLite does not wait when a transaction that has read wants to write, busy timeout or not, so there all
writing goes through one thread whose transactions begin as writers. What a caller gets is the same on both:
`read` and `write` take a function of a session, run it in a thread, and give back what it gave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

from sqlalchemy import Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session, sessionmaker

from benchwright.errors import UsageError
from benchwright.web.core.engines import postgres_engine, sqlite_engine
from benchwright.web.core.migrating import CORE, SchemaPart, bring_up_to_date
from benchwright.web.core.sole import SoleProcess
from benchwright.web.core.unavailable import (
    StorePlace,
    StoreUnavailable,
    explain,
    place_of_file,
    place_of_server,
)

T = TypeVar("T")
DatabaseKind = Literal["sqlite", "postgresql"]
READERS = 4  # threads that read SQLite
TRIES = 4  # of work that the database undid without a fault of its own
CONNECTIONS = 10  # to PostgreSQL


class Lane:
    """Threads with an engine: so many transactions at once, the rest wait in order."""

    def __init__(self, engine: Engine, place: StorePlace, threads: int, name: str) -> None:
        self.engine, self.place = engine, place
        self._sessions = sessionmaker(engine, expire_on_commit=False)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, work: Callable[[Session], T], *, commit: bool) -> T:
        """Run it in a thread, without holding up others."""
        return await asyncio.wrap_future(self._threads.submit(self._until_done, work, commit))

    def run_now(self, work: Callable[[Session], T], *, commit: bool) -> T:
        """Run it in a thread, and wait for it."""
        return self._threads.submit(self._until_done, work, commit).result()

    def _until_done(self, work: Callable[[Session], T], commit: bool) -> T:
        """Work that was undone whole, by a lost connection or for another that it stood in the way of, is
        worth another try."""
        for _ in range(TRIES - 1):
            try:
                return self._attempt(work, commit)
            except StoreUnavailable as error:
                if not error.repeatable:
                    raise
        return self._attempt(work, commit)

    def _attempt(self, work: Callable[[Session], T], commit: bool) -> T:
        committing = False
        try:
            with self._sessions() as session:
                result = work(session)
                if commit:
                    session.flush()
                    committing = True
                    session.commit()
                return result
        except (DBAPIError, PoolTimeout) as error:
            if (trouble := explain(error, self.place, committing=committing)) is None:
                raise
            raise trouble from error

    def close(self) -> None:
        """Let what is under way end, then let the connections go."""
        self._threads.shutdown(wait=True)
        self.engine.dispose()


class Database:
    """Read and write by functions of a session; objects that they give back stay usable after it.

    All raise StoreUnavailable where the database cannot do its work; an IntegrityError is the caller's.
    """

    def __init__(
        self, kind: DatabaseKind, reading: Lane, writing: Lane, sole: SoleProcess | None = None
    ) -> None:
        self.kind = kind
        self._reading, self._writing, self._sole = reading, writing, sole

    async def read(self, work: Callable[[Session], T]) -> T:
        """Run it in a transaction that changes nothing."""
        return await self._reading.run(work, commit=False)

    async def write(self, work: Callable[[Session], T]) -> T:
        """Run it in a transaction that is committed when it returns. It may be run again, if its
        connection is lost before its commit, or if it and another wait for each other."""
        return await self._writing.run(work, commit=True)

    def read_now(self, work: Callable[[Session], T]) -> T:
        """`read` for a command."""
        return self._reading.run_now(work, commit=False)

    def write_now(self, work: Callable[[Session], T]) -> T:
        """`write` for a command."""
        return self._writing.run_now(work, commit=True)

    @property
    def place(self) -> StorePlace:
        """Where it is, for messages."""
        return self._writing.place

    @property
    def engine(self) -> Engine:
        """The engine that writes: for migrations and their tests."""
        return self._writing.engine

    def close(self) -> None:
        """End all connections, and let another process have the file."""
        self._writing.close()
        if self._reading is not self._writing:
            self._reading.close()
        if self._sole is not None:
            self._sole.release()


def open_database(place: str | Path, parts: Sequence[SchemaPart] = (CORE,)) -> Database:
    """Open a SQLite file by its path, or PostgreSQL by `postgresql://USER@HOST/NAME`; bring it up to date.

    `parts` are whose tables it holds. Raises UsageError for a place that is neither, StoreUnavailable
    where it cannot be used, and RunError for one that a newer version has written or another process serves.
    """
    text = str(place)
    database = _postgres(text) if "://" in text else _sqlite(Path(text))
    try:
        bring_up_to_date(database.engine, parts)
    except (DBAPIError, PoolTimeout) as error:
        database.close()
        raise explain(error, database.place, committing=False) or error from error
    except BaseException:
        database.close()
        raise
    return database


def _sqlite(path: Path) -> Database:
    sole = SoleProcess(path)
    place = place_of_file(path)
    writing = Lane(sqlite_engine(path, writes=True), place, 1, "writer")
    reading = Lane(sqlite_engine(path, writes=False), place, READERS, "reader")
    return Database("sqlite", reading, writing, sole)


def _postgres(address: str) -> Database:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        url = None
    if url is not None and "@" in (
        url.host or ""
    ):  # else an error would tell the rest of a password as a host
        raise UsageError(
            "the address of the database has an @ in its password", hint="write %40 for @ in a password"
        )
    if url is None or url.get_backend_name() != "postgresql":
        raise UsageError(
            "a database is a path or an address of PostgreSQL",
            hint="DATABASE_URL=postgresql://USER@HOST/NAME",
        )
    lane = Lane(postgres_engine(url, CONNECTIONS), place_of_server(url), CONNECTIONS, "database")
    return Database("postgresql", lane, lane)
