"""Markdown files of folders, clones and archives: the same files, with the commit if it is known."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pygit2
import pytest

from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.sources import markdown_files
from benchwright.sources.markdown_files import files_of
from kit.made_repositories import repository

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"a.md": b"A", "b/c.md": b"C", "b/d.py": b"no"}


def _tar(path: Path, *, prefix: str = "hub-main/", links: bool = False) -> Path:
    headers = {"comment": COMMIT}
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT, pax_headers=headers) as archive:
        for name, data in FILES.items():
            member = tarfile.TarInfo(prefix + name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        if links:
            member = tarfile.TarInfo(f"{prefix}evil.md")
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(member)
    return path


def _zip(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.comment = COMMIT.encode()
        for name, data in FILES.items():
            archive.writestr(f"hub-main/{name}", data)
    return path


def _read(path: Path) -> list[tuple[str, bytes | Drop, str]]:
    return [(file.path, file.read(100), file.commit) for file in files_of(path).files(lambda text: None)]


def test_a_folder(tmp_path: Path) -> None:
    """Files below it in the order of their paths; hidden ones are ignored."""
    for name, data in {**FILES, ".hidden.md": b"H", ".git2/x.md": b"X"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)

    assert _read(tmp_path) == [("a.md", b"A", ""), ("b/c.md", b"C", "")]


def test_a_clone_is_read_at_its_commit(tmp_path: Path) -> None:
    """Not from its work tree; the user gets a note."""
    path = repository(tmp_path, FILES)
    (path / "a.md").write_bytes(b"changed")
    told: list[str] = []
    files = files_of(path).files(told.append)

    head = str(pygit2.Repository(str(path)).head.target)
    assert [(file.path, file.read(100), file.commit) for file in files] == [
        ("a.md", b"A", head),
        ("b/c.md", b"C", head),
    ]
    assert files[0].committed_at == "2023-11-14T22:13:20+00:00"
    assert head[:12] in told[0]


@pytest.mark.parametrize("make", [_tar, _zip])
def test_an_archive(tmp_path: Path, make: object) -> None:
    """Its top folder is not part of the names, and its commit is recorded."""
    assert callable(make)
    assert _read(make(tmp_path / "archive")) == [("a.md", b"A", COMMIT), ("b/c.md", b"C", COMMIT)]


def test_an_archive_without_a_folder(tmp_path: Path) -> None:
    """Names are unchanged, and a link is not followed."""
    read = _read(_tar(tmp_path / "a.tgz", prefix="", links=True))

    assert [name for name, _, _ in read] == ["a.md", "b/c.md"]


def test_too_large(tmp_path: Path) -> None:
    """A file over the limit is a drop, and none of its content is stored."""
    (tmp_path / "f").mkdir()
    (tmp_path / "f/a.md").write_bytes(b"A" * 9)
    for path in (tmp_path / "f", repository(tmp_path / "g", {"a.md": b"A" * 9})):
        [file] = files_of(path).files(lambda text: None)
        found = file.read(8)
        assert isinstance(found, Drop)
        assert (found.unit, found.reason) == ("a.md", "card_too_large")
    assert isinstance(files_of(_zip(tmp_path / "z")).files(print)[0].read(0), Drop)


def test_damaged_archives(tmp_path: Path) -> None:
    """An invalid archive is an error with its place; a truncated one keeps the members before the cut."""
    (tmp_path / "none.zip").write_bytes(b"PK no")
    whole = _tar(tmp_path / "a.tgz").read_bytes()
    (tmp_path / "cut.tgz").write_bytes(whole[: len(whole) // 2])
    for name in ("none.zip", "cut.tgz"):
        with pytest.raises(DataError, match=name):
            _read(tmp_path / name)
    with pytest.raises(UsageError):
        files_of(tmp_path / "absent")


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Archives with too many members, or too much content, are refused."""
    path = _tar(tmp_path / "a.tgz")
    monkeypatch.setattr(markdown_files, "MAX_FILES", 2)
    for each in (path, _zip(tmp_path / "a.zip")):
        with pytest.raises(DataError, match="more than 2 files"):
            _read(each)
    monkeypatch.setattr(markdown_files, "MAX_UNPACKED", 1000)
    with pytest.raises(DataError, match="over 1,000 bytes unpacked"):
        _read(path)
