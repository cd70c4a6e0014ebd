"""A PostgreSQL server of the tests: one per session, run by an ordinary user, with a new database for each
test."""

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
# Data that is lost when the machine fails does not matter here; data that is lost when the server restarts
# does.
SETTINGS = ("listen_addresses=", "fsync=off", "max_connections=60", "shared_buffers=16MB", "jit=off")

# Deletes the rows of all tables; for small tables this is much cheaper than `truncate`. Migrations write no
# other rows.
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
    """A server on a socket in a separate folder. It can be stopped and started again."""

    def __init__(self) -> None:
        # A socket's path may have at most 107 bytes, which a test's folder may exceed.
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
        """Start the server, and wait until it accepts connections. It is not a child of this process: tests
        count those."""
        settings = " ".join(f"-c {setting}" for setting in SETTINGS)
        self._control("start", "-l", self.folder / "log", "-o", f"-k {self.folder} {settings}")

    def stop(self, *, how: Literal["fast", "immediate"] = "fast") -> None:
        """Stop the server: fast closes all its connections, immediate ends it as if it had crashed."""
        self._control("stop", "-m", how)

    def _control(self, action: str, *words: object) -> None:
        self._run("pg_ctl", action, "-D", self._data, "-w", "-s", "-t", int(HANG_S), *words)

    def address(self, name: str) -> str:
        """Return the address of a database."""
        return f"postgresql://{USER}@/{name}?host={self.folder}"

    def new_database(self) -> str:
        """Return the address of an empty database."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"create database {name}")
        return self.address(name)

    def drop(self, address: str) -> None:
        """Remove a database, even if clients are connected."""
        self.execute(f"drop database {address.partition('?')[0].rpartition('/')[2]} with (force)")

    def empty(self, address: str) -> None:
        """Delete all rows that migrations have not written, and close open connections."""
        import psycopg

        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(EMPTY)

    def execute(self, command: str) -> None:
        """Execute one command as the superuser."""
        import psycopg

        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(command)

    def log(self) -> str:
        """Return the server's log."""
        return (self.folder / "log").read_text(errors="replace")

    def remove(self) -> None:
        """Stop the server and remove its files."""
        if (self._data / "postmaster.pid").exists():
            self.stop(how="immediate")
        rmtree(self.folder)


def _programs() -> Path:
    """Return the folder of the programs: Debian installs them outside the path, in a folder per version."""
    found = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    initdb = need(str(found[-1]) if found else "initdb", "the tests of PostgreSQL start a server with")
    need_module("psycopg", reason="needs psycopg")
    return Path(initdb).resolve().parent
