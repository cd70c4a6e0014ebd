"""A PostgreSQL of the tests' own: one server for a session, run by an ordinary user, and a new database a test."""

from __future__ import annotations

import itertools
import os
import pwd
import subprocess
import tempfile
from pathlib import Path
from shutil import chown, rmtree
from typing import Any, Literal

from kit.needs import need, need_module
from kit.processes import HANG_S

PROGRAMS = Path("/usr/lib/postgresql")
USER = "benchwright"  # in the database; the system's user is whoever runs the tests, or nobody for root
# What is lost when the machine fails does not matter here; what a restart of the server does to us does.
SETTINGS = ("listen_addresses=", "fsync=off", "max_connections=60", "shared_buffers=16MB", "jit=off")

# Deletes the rows of all tables; for small tables this is much cheaper than `truncate`. Migrations write no other rows.
EMPTY = """
do $$
declare found record;
begin
    perform pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid();
    set local session_replication_role = replica; -- checks no foreign key
    for found in select tablename from pg_tables where schemaname = 'public' and tablename <> 'alembic_version' loop
        execute format('delete from %I', found.tablename);
    end loop;
    for found in select sequencename from pg_sequences where schemaname = 'public' loop
        execute format('alter sequence %I restart', found.sequencename);
    end loop;
end $$
"""


class Postgres:
    """A server on a socket in a folder of its own. It can be stopped and started again."""

    def __init__(self) -> None:
        # A socket's path may be 107 bytes long, which a test's own folder may exceed.
        self.folder = Path(tempfile.mkdtemp(prefix="bw-pg-", dir="/tmp"))
        self._programs = _programs()
        self._numbers = itertools.count(1)
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        self._data = self.folder / "data"
        self._run("initdb", "-D", self._data, "-A", "trust", "-U", USER, "-E", "UTF8", "--no-sync", "-N")
        self.start()

    def _run(self, program: str, *words: object) -> None:
        command = [str(self._programs / program), *map(str, words)]
        done = subprocess.run(
            command, cwd="/", capture_output=True, text=True, timeout=HANG_S, check=False, **self._as
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it, and wait until it takes connections. It is no child of this process: tests count those."""
        settings = " ".join(f"-c {setting}" for setting in SETTINGS)
        self._control("start", "-l", self.folder / "log", "-o", f"-k {self.folder} {settings}")

    def stop(self, *, how: Literal["fast", "immediate"] = "fast") -> None:
        """Stop it: fast closes all its connections, immediate ends it as if it had crashed."""
        self._control("stop", "-m", how)

    def _control(self, action: str, *words: object) -> None:
        self._run("pg_ctl", action, "-D", self._data, "-w", "-s", "-t", int(HANG_S), *words)

    def address(self, name: str) -> str:
        """Where a database is."""
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"create database {name}")
        return self.address(name)

    def drop(self, address: str) -> None:
        """Remove a database, whoever may still be in it."""
        self.execute(f"drop database {address.partition('?')[0].rpartition('/')[2]} with (force)")

    def empty(self, address: str) -> None:
        """Delete all rows that migrations have not written, and end connections that are still open."""
        import psycopg

        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(EMPTY)

    def execute(self, command: str) -> None:
        """Run one command as the superuser."""
        import psycopg

        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(command)

    def log(self) -> str:
        """What the server has said."""
        return (self.folder / "log").read_text(errors="replace")

    def remove(self) -> None:
        """Stop it for good."""
        if (self._data / "postmaster.pid").exists():
            self.stop(how="immediate")
        rmtree(self.folder)


def _programs() -> Path:
    """Where the programs are: Debian keeps them out of the path, a folder for each version."""
    found = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    initdb = need(str(found[-1]) if found else "initdb", "the tests of PostgreSQL start a server with")
    need_module("psycopg", reason="needs psycopg")
    return Path(initdb).resolve().parent
