"""Backups of a server: taken under load, restored elsewhere, and refusals."""

from __future__ import annotations

import io
import json
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.orm import Session

from benchwright.errors import BenchwrightError
from benchwright.web.core.accounts import make_account, make_project
from benchwright.web.core.database import Database, open_database
from benchwright.web.core.tables import SchemaPart
from benchwright.web.serve.backup import BackupSource, take_backup
from benchwright.web.serve.restore import restore_backup
from benchwright.web.serve.tables import PARTS
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.judging_process import SUBMISSIONS
from benchwright.web.submissions.tables import CLAIMED, REFUSED, VERIFIED, Submission
from kit.command_line import called
from kit.needs import need
from kit.postgres import Postgres
from kit.processes import HANG_S

pytestmark = pytest.mark.postgresql

ALL = (*PARTS, SUBMISSIONS)


@pytest.fixture
def database_parts() -> tuple[SchemaPart, ...]:
    """Return the tables of a server that accepts submissions."""
    return ALL


class FilledServer:
    """A server's data: a space with a submission in each state, and its data set."""

    def __init__(self, database: Database, place: str, folder: Path) -> None:
        self.database, self.folders = database, SubmissionFolders(folder / "submissions")
        (folder / "data").mkdir()
        (folder / "data/tasks.jsonl").write_text("{}\n")
        self.rules = folder / "data/rules.toml"
        self.rules.write_text('[[data]]\nname = "a"\ntrack = "humaneval"\npath = "tasks.jsonl"\n')
        self.source = BackupSource(place, self.folders.top, self.rules)
        self.space = database.write_now(self._make_space)
        for number, state in enumerate((CLAIMED, VERIFIED, REFUSED)):
            self.push(number, state)

    def _make_space(self, session: Session) -> str:
        owner = make_account(session, "anna", "!", 1).id
        return make_project(session, "Team", 1, state="private", owner_id=owner).id

    def push(self, number: int, state: str = CLAIMED) -> None:
        """Store an upload and its row, in the order of a push."""
        name = f"s{number:05}"
        self._write(self.folders.claim(name), "upload.zip", name)
        if state == VERIFIED:
            self._write(self.folders.top / "verified" / name, "run.json", f"run of {name}")
        row = {"id": name, "project_id": self.space, "sha256": name, "size": 1, "kind": "run", "model": "m"}
        row |= {"data": "a", "state": state, "claim": {"n": number}, "result": {}, "created_ms": number}
        self.database.write_now(lambda session: session.execute(insert(Submission), [row]))

    @staticmethod
    def _write(folder: Path, name: str, content: str) -> None:
        folder.mkdir()
        (folder / name).write_text(content)


@pytest.fixture
def filled(database: Database, database_place: str, tmp_path: Path) -> FilledServer:
    """Return a server with data, on each kind of database."""
    return FilledServer(database, database_place, tmp_path)


@pytest.fixture
def target(database: Database, request: pytest.FixtureRequest) -> Iterator[str | None]:
    """Return the empty database to restore to; None for SQLite."""
    if database.kind == "sqlite":
        yield None
        return
    need("pg_dump", "a backup of PostgreSQL needs")
    server: Postgres = request.getfixturevalue("postgres_server")
    address = server.new_database()
    yield address
    server.drop(address)


def _rows(database: Database) -> dict[str, list[Any]]:
    def read(session: Session) -> dict[str, list[Any]]:
        accounts = session.execute(text("select id, name, password from accounts order by id")).all()
        submissions = session.scalars(select(Submission).order_by(Submission.id))
        return {
            "accounts": [tuple(each) for each in accounts],
            "submissions": [(row.id, row.state, row.claim, row.created_ms) for row in submissions],
        }

    return database.read_now(read)


def test_a_backup_under_load_is_one_moment(filled: FilledServer, target: str | None, tmp_path: Path) -> None:
    """Pushes continue meanwhile: each row of the backup has its files, and earlier rows are equal."""
    earlier, ended, pushed = _rows(filled.database), threading.Event(), threading.Event()

    def push() -> None:
        number = 100
        while not ended.is_set():
            filled.push(number := number + 1)
            pushed.set()

    thread = threading.Thread(target=push)
    thread.start()
    assert pushed.wait(HANG_S)
    try:
        made = take_backup(filled.source, tmp_path / "backup.zip")
    finally:
        ended.set()
        thread.join()
    assert (made.kind, made.missing, made.submissions) == (filled.database.kind, [], made.rows["submissions"])
    assert (tmp_path / "backup.zip").stat().st_mode & 0o077 == 0

    restored = restore_backup(tmp_path / "backup.zip", tmp_path / "new/server", target)
    place = target or restored.database
    opened = open_database(place, ALL)
    found = _rows(opened)
    opened.close()
    names = {row[0] for row in found["submissions"]}
    assert (found["accounts"], found["submissions"][:3]) == (earlier["accounts"], earlier["submissions"])
    assert len(names) == made.submissions > 3
    claims = {
        path.name: (path / "upload.zip").read_text() for path in (restored.submissions / "claims").iterdir()
    }
    assert claims == {name: name for name in names}
    assert (restored.submissions / "judged/s00001/run.json").read_text() == "run of s00001"
    assert restored.rules is not None and restored.rules.read_bytes() == filled.rules.read_bytes()
    assert (restored.rules.parent / "tasks.jsonl").read_text() == "{}\n"
    with pytest.raises(BenchwrightError, match="is not an empty"):
        restore_backup(tmp_path / "backup.zip", tmp_path / ("new/server" if target is None else "x"), target)


def _edited(path: Path, edit: Callable[[dict[str, Any]], None]) -> bytes:
    """Return a copy of a backup with another manifest."""
    out = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "backup.json":
                document = json.loads(content)
                edit(document)
                content = json.dumps(document).encode()
            new.writestr(name, content)
    return out.getvalue()


def _set(**values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.update(values)


def test_what_a_restore_refuses(tmp_path: Path, made_file: Callable[..., Path]) -> None:
    """The error names a damaged or newer file and its member; nothing is created at the target."""
    place = tmp_path / "serve.sqlite"
    shutil.copy(made_file(ALL), place)
    database = open_database(place, ALL)
    FilledServer(database, str(place), tmp_path)
    good = tmp_path / "good.zip"
    words = ["--database", place, "--submissions", tmp_path / "submissions"]
    made = called("backup", good, *words, "--accept", tmp_path / "data/rules.toml", "--json")
    database.close()
    assert (made.code, made.document["submissions"], made.document["missing"]) == (0, 3, []), made.err
    content = good.read_bytes()

    def rename(document: dict[str, Any]) -> None:
        document["files"][1]["name"] = "submissions/../../outside"

    def rehash(document: dict[str, Any]) -> None:
        document["files"][0]["sha256"] = "0" * 64

    refused = [
        (content[: len(content) // 2], "damaged"),
        (b"nothing", "damaged"),
        (_edited(good, _set(format=2)), "newer version: format 2"),
        (_edited(good, _set(revisions=["core_9999"])), "newer version: unknown migrations core_9999"),
        (_edited(good, _set(files=[])), "lists other files"),
        (_edited(good, rename), "unexpected member"),
        (_edited(good, rehash), "database.sqlite differs from its hash"),
        (_edited(good, _set(kind="postgresql")), "damaged"),
        (content.replace(b"PK\x01\x02", b"PK\x01\x03", 1), "damaged"),
    ]
    for number, (given, said) in enumerate(refused):
        bad = tmp_path / f"bad{number}.zip"
        bad.write_bytes(given)
        result = called("restore", bad, tmp_path / "target")
        assert (result.code, said in result.err, "hint:" in result.err) == (1, True, True), (said, result.err)
    assert not (tmp_path / "target").exists() and list(tmp_path.glob(".target*")) == []

    for line, said in [
        (("backup", good, *words), "already exists"),
        (("backup", tmp_path / "new.zip", "--database", tmp_path / "none"), "database not found"),
        (
            ("backup", tmp_path / "new.zip", "--database", place, "--submissions", tmp_path / "none"),
            "--submissions",
        ),
        (("restore", good, tmp_path), "is not an empty folder"),
        (("restore", tmp_path / "none.zip", tmp_path / "target"), "file not found"),
        (("restore", good, tmp_path / "target", "--database", "postgresql://a@b/c"), "SQLite"),
    ]:
        result = called(*line)
        assert (result.code, said in result.err, "hint:" in result.err) == (2, True, True), (said, result.err)
    assert not (tmp_path / "new.zip").exists()
    restored = called("restore", good, tmp_path / "target")
    assert (restored.code, "--accept" in restored.out) == (0, True), restored.err
