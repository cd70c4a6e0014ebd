"""SQLAlchemy engines: the settings of each connection, and how transactions begin."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from benchwright.errors import PrerequisiteError, install_command

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
    """A connection pool that tests connections before use."""
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_S,
            pool_pre_ping=True,
            connect_args={"connect_timeout": CONNECT_S},
        )
    except ImportError as error:
        raise PrerequisiteError(
            f"PostgreSQL needs psycopg: {error}", hint=install_command("postgres")
        ) from None
