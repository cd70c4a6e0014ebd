"""Restore a backup to a new folder, and to an empty PostgreSQL database if it was taken from one.

Everything is written to a folder next to the target and checked there; then one rename makes it the target.
So an interrupted restore leaves no target, and can be repeated.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec
from sqlalchemy import inspect

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, RunError, UsageError, command_name
from benchwright.store.atomic_files import sync_folder, write_error
from benchwright.web.core.database import place_of_server, postgres_engine, server_url
from benchwright.web.core.tables import SchemaPart, refuse_newer
from benchwright.web.serve.backup import (
    DUMP_MEMBER,
    FORMAT,
    MANIFEST,
    SQLITE_MEMBER,
    BackupManifest,
    BackupMember,
    call_postgres,
    database_errors,
)
from benchwright.web.serve.tables import PARTS
from benchwright.web.station.application import PARTS as STATION_PARTS
from benchwright.web.submissions.judging_process import SUBMISSIONS

DATABASE_FILE = "serve.sqlite"
MAX_MANIFEST = 256 << 20  # bytes
KNOWN: tuple[SchemaPart, ...] = (*PARTS, SUBMISSIONS, *STATION_PARTS[1:])
_FOLDERS = ("submissions", "data")
_BLOCK = 1 << 20


class RestoredServer(NamedTuple):
    """The restored parts, as options of `serve`."""

    database: str  # a file, or the name of a PostgreSQL database
    submissions: Path
    rules: Path | None
    manifest: BackupManifest


class _Format(msgspec.Struct, frozen=True):
    format: int


def restore_backup(backup: Path, folder: Path, database: str | None = None) -> RestoredServer:
    """Restore a backup to a folder that does not exist or is empty.

    `database` is the address of an empty PostgreSQL database; only for a backup of PostgreSQL.

    Raises UsageError for a target with content or the wrong kind of database, DataError for a damaged file,
    and RunError for one that a newer version wrote.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"{escaped_path(folder)} is not an empty folder", hint="name a new folder; nothing is overwritten"
        )
    try:
        with zipfile.ZipFile(backup) as archive:
            manifest = _manifest(archive, backup)
            _check_database(manifest, database)
            _extract(archive, manifest, backup, folder, database)
    except zipfile.BadZipFile as error:
        raise _damaged(backup, str(error)) from None
    except FileNotFoundError as error:
        raise UsageError(f"file not found: {escaped_path(backup)}", hint=f"ls -l {quoted(backup)}") from error
    except OSError as error:
        raise write_error(error, folder) from error
    rules = folder / "data" / manifest.rules if manifest.rules else None
    where = place_of_server(server_url(database)).name if database else str(folder / DATABASE_FILE)
    return RestoredServer(where, folder / "submissions", rules, manifest)


def _damaged(backup: Path, why: str) -> DataError:
    return DataError(f"the backup is damaged: {why}", path=escaped_path(backup), hint="use another backup")


def _manifest(archive: zipfile.ZipFile, backup: Path) -> BackupManifest:
    try:
        info = archive.getinfo(MANIFEST)
    except KeyError:
        message, hint = f"not a backup: it has no {MANIFEST}", f"{command_name()} backup FILE"
        raise DataError(message, path=escaped_path(backup), hint=hint) from None
    try:
        if info.file_size > MAX_MANIFEST:
            raise _damaged(backup, f"{MANIFEST} is too large")
        content = archive.read(info)
        found = msgspec.json.decode(content, type=_Format)
        if found.format > FORMAT:
            raise RunError(
                f"{escaped_path(backup)} was written by a newer version: format {found.format}",
                hint="pip install --upgrade benchwright",
            )
        manifest = msgspec.json.decode(content, type=BackupManifest)
    except (msgspec.MsgspecError, UnicodeError, zlib.error) as error:
        raise _damaged(backup, f"{MANIFEST}: {error}") from None
    refuse_newer(manifest.revisions, KNOWN)
    _check_names(archive, manifest, backup)
    return manifest


def _check_names(archive: zipfile.ZipFile, manifest: BackupManifest, backup: Path) -> None:
    """Refuse names outside of the folder, and members that differ from the manifest."""
    database = SQLITE_MEMBER if manifest.kind == "sqlite" else DUMP_MEMBER
    names = [each.name for each in manifest.files]
    if unexpected := [each for each in names if each != database and not _is_inside(each)]:
        raise _damaged(backup, f"unexpected member {escaped_name(unexpected[0])}")
    needed = [database, *([f"data/{manifest.rules}"] if manifest.rules else [])]
    if sorted([*names, MANIFEST]) != sorted(archive.namelist()) or not {*needed} <= {*names}:
        raise _damaged(backup, f"{MANIFEST} lists other files than it contains")


def _is_inside(name: str) -> bool:
    """Whether a name is that of a file in one of the folders, in its plain form."""
    path = PurePosixPath(name)
    plain = str(path) == name and ".." not in path.parts and "\0" not in name
    return plain and len(path.parts) > 1 and path.parts[0] in _FOLDERS


def _check_database(manifest: BackupManifest, database: str | None) -> None:
    if manifest.kind == "sqlite" and database is not None:
        raise UsageError(
            "the backup has a SQLite database, which is restored to the folder", hint="leave out --database"
        )
    if manifest.kind == "postgresql":
        if database is None:
            raise UsageError(
                "the backup has a PostgreSQL database", hint="--database postgresql://USER@HOST/NAME"
            )
        _check_empty(database)


def _check_empty(database: str) -> None:
    url = server_url(database)
    engine = postgres_engine(url, 1)
    try:
        with database_errors(place_of_server(url)), engine.connect() as connection:
            if inspect(connection).get_table_names():
                raise UsageError(
                    f"{place_of_server(url).name} is not an empty database",
                    hint="createdb NAME; nothing is overwritten",
                )
    finally:
        engine.dispose()


def _extract(
    archive: zipfile.ZipFile, manifest: BackupManifest, backup: Path, folder: Path, database: str | None
) -> None:
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    scratch = folder.absolute().with_name(f".{folder.absolute().name}.restoring")
    if scratch.exists():
        shutil.rmtree(scratch)  # of a restore that was interrupted
    scratch.mkdir(mode=0o700)
    try:
        for member in manifest.files:
            _extract_member(archive, member, backup, scratch)
        if database is not None:
            dump = scratch / DUMP_MEMBER
            words = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
            call_postgres("pg_restore", server_url(database), *words, str(dump))
            dump.unlink()
        else:
            (scratch / SQLITE_MEMBER).rename(scratch / DATABASE_FILE)
        sync_folder(scratch)
        scratch.rename(folder)
        sync_folder(folder.absolute().parent)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _extract_member(archive: zipfile.ZipFile, member: BackupMember, backup: Path, scratch: Path) -> None:
    path = scratch / member.name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, left = hashlib.sha256(), member.size
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(out, "wb") as file:
        try:
            with archive.open(member.name) as source:
                while block := source.read(min(_BLOCK, left + 1)):
                    left -= len(block)
                    if left < 0:
                        break
                    digest.update(block)
                    file.write(block)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise _damaged(backup, f"{escaped_name(member.name)}: {error}") from None
        file.flush()
        os.fsync(file.fileno())
    if left or digest.hexdigest() != member.sha256:
        raise _damaged(backup, f"{escaped_name(member.name)} differs from its hash")
