"""A backup of a running server in a ZIP file: its database, the files of submissions, and data sets.

The database is copied first, in one snapshot, then the files of the submissions in that snapshot. Files of a
submission exist before its row does, so every row of the backup has its files. Later submissions are left
out.

backup.json         the manifest: format, versions, rows by table, and the SHA-256 of every member
database.sqlite     a SQLite file, by SQLite's online backup, or
database.pgdump     an archive of pg_dump
submissions/        claims/ID, and judged/ID for runs that are verified
data/               the file of rules and the data sets that it names
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

import msgspec
from sqlalchemy import URL, Connection, func, inspect, select, table, text
from sqlalchemy.exc import DBAPIError

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import PrerequisiteError, RunError, UsageError
from benchwright.records import Record
from benchwright.store.atomic_files import replacing
from benchwright.version import VERSION
from benchwright.web.core.database import (
    DatabaseKind,
    DatabaseLocation,
    explain,
    place_of_file,
    place_of_server,
    postgres_engine,
    server_url,
    sqlite_engine,
)
from benchwright.web.core.tables import applied_revisions
from benchwright.web.submissions.accepted_data import read_rules
from benchwright.web.submissions.tables import VERIFIED

FORMAT = 1
MANIFEST = "backup.json"
SQLITE_MEMBER, DUMP_MEMBER = "database.sqlite", "database.pgdump"
RUN_PLACES = ("judged", "verified", "judging")  # where the run folder of a verified submission may be
_BLOCK = 1 << 20
_TRIES = 5  # to list a folder that is moved meanwhile


class BackupMember(Record, frozen=True, kw_only=True):
    """A file of a backup."""

    name: str
    size: int  # bytes
    sha256: str


class BackupManifest(Record, frozen=True, kw_only=True):
    """The content of a backup. `missing` are submissions that were deleted while it was taken."""

    format: int
    version: str
    kind: DatabaseKind
    revisions: list[str]  # applied migrations
    rows: dict[str, int]  # by table
    submissions: int
    missing: list[str]
    rules: str  # the file of rules below data/; empty if there is none
    files: list[BackupMember]


class BackupSource(NamedTuple):
    """The parts of a server. `rules` is None for one that accepts no submissions."""

    database: str
    submissions: Path
    rules: Path | None = None


class _Snapshot(NamedTuple):
    kind: DatabaseKind
    file: Path
    revisions: list[str]
    rows: dict[str, int]
    submissions: list[tuple[str, str]]  # id, state


def take_backup(source: BackupSource, out: Path) -> BackupManifest:
    """Write a backup of a server, which may be running, to a new file that only its owner can read.

    Raises UsageError if the file exists or a part is missing, PrerequisiteError without pg_dump, and RunError
    or DatabaseUnavailable if something cannot be read.
    """
    if os.path.lexists(out):
        raise UsageError(f"{escaped_path(out)} already exists", hint="name a new file")
    if not out.parent.is_dir():
        raise UsageError(
            f"folder not found: {escaped_path(out.parent)}", hint=f"mkdir -p {quoted(out.parent)}"
        )
    data = [] if source.rules is None else _data_files(source.rules)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=out.parent) as scratch:
        snapshot = _snapshot(source.database, Path(scratch))
        if snapshot.submissions and not source.submissions.is_dir():
            raise UsageError(
                f"the folder of submissions was not found: {escaped_path(source.submissions)}",
                hint="--submissions FOLDER, as given to `benchwright serve`",
            )
        with replacing(out) as file:
            os.fchmod(file.fileno(), 0o600)
            return _write(file, source, snapshot, data)


def _write(
    file: BinaryIO, source: BackupSource, snapshot: _Snapshot, data: Sequence[tuple[str, Path]]
) -> BackupManifest:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        name = SQLITE_MEMBER if snapshot.kind == "sqlite" else DUMP_MEMBER
        files = [_add(archive, name, snapshot.file.open("rb"))]
        files += [_add(archive, f"data/{each}", _opened(path)) for each, path in data]
        missing = []
        for submission_id, state in snapshot.submissions:
            found = list(_submission(archive, source.submissions, submission_id, state))
            files += filter(None, found)
            if None in found:
                missing.append(submission_id)
        manifest = BackupManifest(
            format=FORMAT,
            version=VERSION,
            kind=snapshot.kind,
            revisions=sorted(snapshot.revisions),
            rows=snapshot.rows,
            submissions=len(snapshot.submissions),
            missing=missing,
            rules=source.rules.name if source.rules else "",
            files=files,
        )
        archive.writestr(_member(MANIFEST), msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    return manifest


def _submission(
    archive: zipfile.ZipFile, top: Path, submission_id: str, state: str
) -> Iterator[BackupMember | None]:
    """Add the files of a submission; None for each that was deleted meanwhile.

    A claim is judged again after it was restored, so the unfinished run folder is left out. The uploads of a
    judged submission may have been deleted at the end of their retention.
    """
    places: list[tuple[str, Sequence[str]]] = [("claims", ("claims",))]
    if state == VERIFIED:
        places.append(("judged", RUN_PLACES))
    for place, names in places:
        listed = _listed(top, names, submission_id)
        if not listed and (place == "judged" or state not in (VERIFIED, "refused")):
            yield None
        for each in listed:
            opened = _open_moved(top, names, submission_id, each)
            name = f"submissions/{place}/{submission_id}/{each}"
            yield None if opened is None else _add(archive, name, opened)


def _listed(top: Path, places: Sequence[str], submission_id: str) -> list[str]:
    """The files of a folder that may move between places meanwhile."""
    for _ in range(_TRIES):
        for place in places:
            folder = top / place / submission_id
            found = sorted(
                str(PurePosixPath(path.relative_to(folder)))
                for path in folder.rglob("*")
                if path.is_file() and not path.is_symlink()
            )
            if found and folder.is_dir():
                return found
    return []


def _open_moved(top: Path, places: Sequence[str], submission_id: str, name: str) -> BinaryIO | None:
    for _ in range(_TRIES):
        for place in places:
            try:
                return (top / place / submission_id / name).open("rb")
            except FileNotFoundError:
                continue
            except OSError as error:
                raise _unreadable(top / place / submission_id / name, error) from None
    return None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> RunError:
    return RunError(f"{escaped_path(path)} cannot be read: {error.strerror}", hint=f"ls -l {quoted(path)}")


def _add(archive: zipfile.ZipFile, name: str, source: BinaryIO) -> BackupMember:
    digest, size = hashlib.sha256(), 0
    with source, archive.open(_member(name), "w", force_zip64=True) as out:
        while block := source.read(_BLOCK):
            digest.update(block)
            size += len(block)
            out.write(block)
    return BackupMember(name=name, size=size, sha256=digest.hexdigest())


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)  # of 1980: times of files are not part of a backup
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o600 << 16
    return member


def _data_files(rules: Path) -> list[tuple[str, Path]]:
    """The file of rules and every file that it names, by their paths relative to its folder."""
    wanted = [rules.name]
    for each in read_rules(rules):
        for name in (each.path, *each.public):
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts:
                raise UsageError(
                    f"{escaped_path(rules)} names data outside of its folder: {escaped_path(name)}",
                    hint="move the data next to the file, or leave out --accept",
                )
            wanted.append(name)
    found = {
        str(PurePosixPath(path.relative_to(rules.parent))): path
        for name in wanted
        for path in _files_below(rules.parent / name)
    }
    return sorted(found.items())


def _files_below(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(each for each in path.rglob("*") if each.is_file())
    return [path]


def _snapshot(place: str, scratch: Path) -> _Snapshot:
    if "://" in place:
        return _postgres_snapshot(server_url(place), scratch / DUMP_MEMBER)
    return _sqlite_snapshot(Path(place), scratch / SQLITE_MEMBER)


def _sqlite_snapshot(path: Path, out: Path) -> _Snapshot:
    """Copy a SQLite file with the online backup API, in one step: https://www.sqlite.org/backup.html."""
    if not path.is_file():
        raise UsageError(f"database not found: {escaped_path(path)}", hint="--database FILE")
    place = place_of_file(path)
    reading = sqlite_engine(path, writes=False)
    try:
        with database_errors(place), reading.connect() as connection:
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)
            with closing(sqlite3.connect(out)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")
                (state,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        if state != "ok":
            raise RunError(
                f"{place.name} is damaged: {state}",
                hint=f"sqlite3 {quoted(path)} .recover | sqlite3 recovered.sqlite",
            )
    except sqlite3.Error as error:
        raise RunError(f"{place.name} cannot be copied: {error}", hint=f"ls -l {quoted(path)}") from None
    finally:
        reading.dispose()
    copied = sqlite_engine(out, writes=False)
    try:
        with copied.connect() as connection:
            return _facts(connection, "sqlite", out)
    finally:
        copied.dispose()


def _postgres_snapshot(url: URL, out: Path) -> _Snapshot:
    """Call pg_dump in a snapshot that this process also reads."""
    engine = postgres_engine(url, 1)
    try:
        with (
            database_errors(place_of_server(url)),
            engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection,
        ):
            shared = connection.scalar(text("select pg_export_snapshot()"))
            found = _facts(connection, "postgresql", out)
            call_postgres(
                "pg_dump",
                url,
                *("--format=custom", "--no-owner", "--no-privileges"),
                *(f"--snapshot={shared}", f"--file={out}"),
            )
            return found
    finally:
        engine.dispose()


def call_postgres(program: str, url: URL, *words: str) -> None:
    """Call a program of PostgreSQL on a database. The password goes by the environment, not the command line.

    Raises PrerequisiteError if it is not installed, and RunError with its message if it fails.
    """
    found = shutil.which(program)
    if found is None:
        raise PrerequisiteError(
            f"a backup of PostgreSQL needs {program}", hint="apt-get install postgresql-client"
        )
    plain = url.set(drivername="postgresql", password=None)
    environment = dict(os.environ)
    if url.password is not None:
        environment["PGPASSWORD"] = str(url.password)
    address = plain.render_as_string(hide_password=False)
    done = subprocess.run(
        [found, *words, f"--dbname={address}"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        message = " ".join(done.stderr.split())[:500] or f"exit code {done.returncode}"
        raise RunError(f"{program} failed: {message}", hint=place_of_server(url).ask)


@contextmanager
def database_errors(place: DatabaseLocation) -> Iterator[None]:
    """Raise DatabaseUnavailable for errors of the connection in the block."""
    try:
        yield
    except DBAPIError as error:
        raise explain(error, place, committing=False) or error from error


def _facts(connection: Connection, kind: DatabaseKind, file: Path) -> _Snapshot:
    names = inspect(connection).get_table_names()
    if "site_facts" not in names:
        raise UsageError("the database is not that of a server", hint="--database FILE")
    rows = {
        name: connection.scalar(select(func.count()).select_from(table(name))) or 0 for name in sorted(names)
    }
    pushed: list[tuple[str, str]] = []
    if "submissions" in names:
        found = connection.execute(text("select id, state from submissions order by id"))
        pushed = [(row.id, row.state) for row in found]
    return _Snapshot(kind, file, applied_revisions(connection), rows, pushed)
