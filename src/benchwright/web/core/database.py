"""The database: SQLite with one writer, or PostgreSQL with a connection pool.

In SQLite a transaction that has read cannot start to write while another one writes, whatever the busy
timeout is. So one thread does all writing, and its transactions begin as writers. A lock file keeps a
second process out. `read` and `write` take a function of a session, run it in a thread, and return its
result, on both databases. Errors of the connection become messages with a hint.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session, sessionmaker

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import BenchwrightError, PrerequisiteError, RunError, UsageError, install_command
from benchwright.web.core.tables import CORE, SchemaPart, migrate

T = TypeVar("T")
DatabaseKind = Literal["sqlite", "postgresql"]
READERS = 4  # threads that read SQLite
TRIES = 4  # of work that was rolled back because of others
CONNECTIONS = 10  # to PostgreSQL


class DbExecutor:
    """Threads with an engine. Transactions beyond the number of threads wait in order."""

    def __init__(self, engine: Engine, place: DatabaseLocation, threads: int, name: str) -> None:
        self.engine, self.place = engine, place
        self._sessions = sessionmaker(engine, expire_on_commit=False)
        self._readers = sessionmaker(_reading_engine(engine), expire_on_commit=False)
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
            except DatabaseUnavailable as error:
                if not error.repeatable:
                    raise
        return self._attempt(work, commit)

    def _attempt(self, work: Callable[[Session], T], commit: bool) -> T:
        committing = False
        try:
            with (self._sessions if commit else self._readers)() as session:
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


def _reading_engine(engine: Engine) -> Engine:
    """The engine for reads. On PostgreSQL they begin no transaction: at its level of isolation, each
    statement sees what is committed when it begins, in a transaction or not, and BEGIN and ROLLBACK are two
    more messages to the server.
    """
    is_server = engine.dialect.name == "postgresql"
    return engine.execution_options(isolation_level="AUTOCOMMIT") if is_server else engine


class Database:
    """Reads and writes by functions of a session. Returned objects stay usable after the transaction.

    Methods raise DatabaseUnavailable if the database fails. An IntegrityError is passed to the caller.
    """

    def __init__(
        self, kind: DatabaseKind, reading: DbExecutor, writing: DbExecutor, sole: DatabaseLock | None = None
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
    def place(self) -> DatabaseLocation:
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


def open_database(
    place: str | Path, parts: Sequence[SchemaPart] = (CORE,), *, is_sole: bool = True
) -> Database:
    """Open a SQLite file by its path, or PostgreSQL by `postgresql://USER@HOST/NAME`, and migrate it.

    `parts` are the parts of the schema. Without `is_sole`, the database is that of a running server, which
    has migrated it: for a process with few and short writes, which wait for those of the server.

    Raises UsageError for an invalid address, DatabaseUnavailable if the database cannot be used, and RunError
    if a newer version wrote it or another process serves it.
    """
    text = str(place)
    database = _postgres(text) if "://" in text else _sqlite(Path(text), is_sole=is_sole)
    try:
        if is_sole:
            migrate(database.engine, parts)
    except (DBAPIError, PoolTimeout) as error:
        database.close()
        raise explain(error, database.place, committing=False) or error from error
    except BaseException:
        database.close()
        raise
    return database


def _sqlite(path: Path, *, is_sole: bool) -> Database:
    sole = DatabaseLock(path) if is_sole else None
    place = place_of_file(path)
    writing = DbExecutor(sqlite_engine(path, writes=True), place, 1, "writer")
    reading = DbExecutor(sqlite_engine(path, writes=False), place, READERS, "reader")
    return Database("sqlite", reading, writing, sole)


def _postgres(address: str) -> Database:
    url = server_url(address)
    lane = DbExecutor(postgres_engine(url, CONNECTIONS), place_of_server(url), CONNECTIONS, "database")
    return Database("postgresql", lane, lane)


def server_url(address: str) -> URL:
    """The parts of a PostgreSQL address. Raises UsageError for an invalid one, without its password."""
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
    return url


BUSY_MS = 30_000  # a reader waits for a checkpoint; writers never compete
CONNECT_S, POOL_S = 10, 20


def sqlite_engine(path: Path, *, writes: bool) -> Engine:
    """An engine whose transactions begin as writers, or a read-only one."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"check_same_thread": False, "isolation_level": None},
        pool_size=1 if writes else 4,
        max_overflow=0,
    )
    pragmas = ["journal_mode=WAL", "synchronous=FULL"] if writes else ["query_only=ON"]

    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        for pragma in (f"busy_timeout={BUSY_MS}", "foreign_keys=ON", *pragmas):
            connection.execute(f"PRAGMA {pragma}").close()

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", begin)
    return engine


def postgres_engine(url: URL, connections: int) -> Engine:
    """A connection pool. It tests no connection before use: work that meets a lost one is repeated
    (`DbExecutor`), and the loss of one replaces all older ones.
    """
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_S,
            connect_args={"connect_timeout": CONNECT_S},
        )
    except ImportError as error:
        raise PrerequisiteError(
            f"PostgreSQL needs psycopg: {error}", hint=install_command("postgres")
        ) from None


LONGEST_NOTE = 200  # bytes of the holder's note


class DatabaseLock:
    """The lock `FILE.lock`. Raises RunError if another process holds it."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".lock")
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise RunError(
                f"{escaped_path(self._path)} cannot be written: {error.strerror}",
                hint=_lock_path(database.parent),
            ) from None
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = escaped_name(os.pread(self._fd, LONGEST_NOTE, 0).decode("utf-8", "replace").strip())
            os.close(self._fd)
            raise _refusal(database, error, holder) from None
        try:  # only the owner may read the file; SQLite's other files inherit its mode
            os.close(os.open(database, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            os.close(self._fd)
            raise RunError(
                f"{escaped_path(database)} cannot be opened: {error.strerror}",
                hint=f"ls -ld {quoted(database)}",
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock. Its file stays: deleting it would race with the next process."""
        os.close(self._fd)


def _lock_path(folder: Path) -> str:
    return f"ls -ld {quoted(folder)}" if folder.exists() else f"mkdir -p {quoted(folder)}"


def _refusal(database: Path, error: OSError, holder: str) -> RunError:
    if not isinstance(error, BlockingIOError):
        return RunError(
            f"{escaped_path(database)} cannot be locked: {error.strerror}",
            hint="put the database on a local disk",
        )
    return RunError(
        f"{escaped_path(database)} is in use by {holder or 'another process'}",
        hint="stop it, choose another file, or set DATABASE_URL=postgresql://… for several processes",
    )


LONGEST_REASON = 300  # characters of the database's message
# https://www.postgresql.org/docs/current/errcodes-appendix.html: rolled back because of other transactions.
_UNDONE = frozenset({"40001", "40P01"})  # serialization_failure, deadlock_detected
# Parts of SQLite's messages: their meaning for the operator, and a command for diagnosis.
_CAUSES = (
    ("readonly database", "its file is not writable", "ls -l {file}; id"),
    ("database or disk is full", "its disk is full", "df -h {folder}"),
    ("disk I/O error", "the system could not write its file", "df -h {folder}; dmesg | tail"),
    ("unable to open database file", "its file cannot be opened", "ls -ld {folder}"),
    ("database is locked", "its file is locked by another program", "lsof {file}"),
    ("not a database", "its file is not a SQLite database", "file {file}"),
    ("malformed", "its file is damaged", "sqlite3 {file} .recover | sqlite3 recovered.sqlite"),
)


class DatabaseUnavailable(BenchwrightError):
    """The database failed and nothing was stored; with `committing`, that is unknown.

    `repeatable`: nothing was committed, because the connection was lost earlier or because of a deadlock;
    so the work may be repeated.
    """

    def __init__(self, message: str, *, hint: str | None, repeatable: bool, committing: bool) -> None:
        super().__init__(message, hint=hint)
        self.repeatable, self.committing = repeatable, committing


class DatabaseLocation(NamedTuple):
    """The location of a database: its name for people, values for hints, and how to test a server."""

    name: str
    words: Mapping[str, str]
    ask: str = ""


def place_of_file(path: Path) -> DatabaseLocation:
    """The location of a SQLite file."""
    words = {"file": quoted(path.absolute()), "folder": quoted(path.absolute().parent)}
    return DatabaseLocation(escaped_path(path), words)


def place_of_server(url: URL) -> DatabaseLocation:
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
    return DatabaseLocation(name, {}, f"pg_isready -d {quoted(name)}")


def explain(
    error: DBAPIError | PoolTimeout, place: DatabaseLocation, *, committing: bool
) -> DatabaseUnavailable | None:
    """The failure that an error means; None if the statement itself was wrong."""
    if isinstance(error, PoolTimeout):
        return _unavailable(place, "all connections are in use", place.ask, committing=committing)
    if isinstance(error, IntegrityError):
        return None
    message = str(error.orig)
    for words, why, hint in _CAUSES if place.words else ():
        if words in message:
            return _unavailable(place, why, hint.format_map(place.words), committing=committing)
    lost = error.connection_invalidated or isinstance(error, OperationalError)
    if not lost or isinstance(error, ProgrammingError):
        return None
    why = escaped_name(" ".join(message.split()), LONGEST_REASON)
    undone = getattr(error.orig, "sqlstate", None) in _UNDONE
    repeatable = undone or (error.connection_invalidated and not committing)
    return _unavailable(place, why, place.ask, repeatable=repeatable, committing=committing and not undone)


def _unavailable(
    place: DatabaseLocation, why: str, hint: str, *, committing: bool, repeatable: bool = False
) -> DatabaseUnavailable:
    message = f"the database {place.name} is unavailable: {why}"
    return DatabaseUnavailable(message, hint=hint or None, repeatable=repeatable, committing=committing)
