"""The database: SQLite in one process with one writer, or PostgreSQL with a connection pool.

In SQLite a transaction that has read cannot start to write while another one writes, whatever the busy
timeout is. So one thread does all writing, and its transactions begin as writers. Callers see no
difference: `read` and `write` take a function of a session, run it in a thread, and return its result.
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
TRIES = 4  # of work that was rolled back because of others
CONNECTIONS = 10  # to PostgreSQL


class Lane:
    """Threads with an engine. Transactions beyond the number of threads wait in order."""

    def __init__(self, engine: Engine, place: StorePlace, threads: int, name: str) -> None:
        self.engine, self.place = engine, place
        self._sessions = sessionmaker(engine, expire_on_commit=False)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    async def run(self, work: Callable[[Session], T], *, commit: bool) -> T:
        """Run a function of a session in a thread."""
        return await asyncio.wrap_future(self._threads.submit(self._until_done, work, commit))

    def run_now(self, work: Callable[[Session], T], *, commit: bool) -> T:
        """Run a function of a session in a thread and wait for it."""
        return self._threads.submit(self._until_done, work, commit).result()

    def _until_done(self, work: Callable[[Session], T], commit: bool) -> T:
        """Retry work that was rolled back entirely because of a lost connection or a deadlock."""
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
        """Finish running transactions and close the connections."""
        self._threads.shutdown(wait=True)
        self.engine.dispose()


class Database:
    """Reads and writes by functions of a session. Returned objects stay usable after the transaction.

    Methods raise StoreUnavailable if the database fails. An IntegrityError is passed to the caller.
    """

    def __init__(
        self, kind: DatabaseKind, reading: Lane, writing: Lane, sole: SoleProcess | None = None
    ) -> None:
        self.kind = kind
        self._reading, self._writing, self._sole = reading, writing, sole

    async def read(self, work: Callable[[Session], T]) -> T:
        """Run a function in a read-only transaction."""
        return await self._reading.run(work, commit=False)

    async def write(self, work: Callable[[Session], T]) -> T:
        """Run a function and commit. It may run again after a lost connection or a deadlock."""
        return await self._writing.run(work, commit=True)

    def read_now(self, work: Callable[[Session], T]) -> T:
        """Blocking form of `read`, for commands."""
        return self._reading.run_now(work, commit=False)

    def write_now(self, work: Callable[[Session], T]) -> T:
        """Blocking form of `write`, for commands."""
        return self._writing.run_now(work, commit=True)

    @property
    def place(self) -> StorePlace:
        """The location of the database, for messages."""
        return self._writing.place

    @property
    def engine(self) -> Engine:
        """The writing engine, for migrations and their tests."""
        return self._writing.engine

    def close(self) -> None:
        """Close all connections and release the file."""
        self._writing.close()
        if self._reading is not self._writing:
            self._reading.close()
        if self._sole is not None:
            self._sole.release()


def open_database(place: str | Path, parts: Sequence[SchemaPart] = (CORE,)) -> Database:
    """Open a SQLite file by its path, or PostgreSQL by `postgresql://USER@HOST/NAME`, and migrate it.

    `parts` are the parts of the schema. Raises UsageError for an invalid address, StoreUnavailable if the
    database cannot be used, and RunError if a newer version wrote it or another process serves it.
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
    except (ArgumentError, ValueError):  # ValueError: the port is not a number
        url = None
    if url is not None and "@" in (
        url.host or ""
    ):  # else an error would print part of the password as a host
        raise UsageError(
            "the database address has an unescaped @ in its password", hint="write %40 for @ in a password"
        )
    if url is None or url.get_backend_name() != "postgresql":
        raise UsageError(
            "the database must be a file path or a PostgreSQL address",
            hint="DATABASE_URL=postgresql://USER@HOST/NAME",
        )
    lane = Lane(postgres_engine(url, CONNECTIONS), place_of_server(url), CONNECTIONS, "database")
    return Database("postgresql", lane, lane)
