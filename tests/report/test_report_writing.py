"""Files of a report are written completely, and never over something that is not a regular file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright.errors import BenchwrightError, RunError, UsageError
from benchwright.report.page import check_target, make_folder, write_file


def test_pieces_become_a_file(tmp_path: Path) -> None:
    """They keep their order, and replace the earlier file."""
    path = tmp_path / "page.html"
    path.write_text("old and longer than the new one")
    write_file(path, iter([b"one ", b"two"]))

    assert path.read_bytes() == b"one two"
    assert [path] == list(tmp_path.iterdir())


def test_a_failure_keeps_the_old_file(tmp_path: Path) -> None:
    """A generator that raises midway leaves the old page unchanged, and no temporary files."""
    path = tmp_path / "page.html"
    path.write_text("old")

    def broken() -> object:
        yield b"half"
        raise RunError("broken off")

    with pytest.raises(RunError, match="broken off"):
        write_file(path, broken())  # type: ignore[arg-type]

    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link to device"])
def test_other_things_are_not_written_over(tmp_path: Path, kind: str) -> None:
    """A folder, a pipe and a device are refused before any work, with a hint."""
    path = tmp_path / "target"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/null")
    else:
        path.symlink_to("/dev/null")
    with pytest.raises(UsageError, match="not a regular file") as caught:
        check_target(path)

    assert str(path) in caught.value.message
    assert "--out" in str(caught.value.hint)


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    """The link stays, and its target gets the page."""
    real, link = tmp_path / "real.html", tmp_path / "link.html"
    real.write_text("old")
    link.symlink_to(real)
    write_file(link, [b"new"])

    assert (link.is_symlink(), real.read_text()) == (True, "new")


@pytest.mark.parametrize("name", ["no/such/folder/page.html", "a-file/page.html", "nul\0.html", "x" * 300])
def test_impossible_names_are_said(tmp_path: Path, name: str) -> None:
    """An invalid name is an error with a hint, not a traceback."""
    (tmp_path / "a-file").write_text("")
    with pytest.raises(BenchwrightError) as caught:
        check_target(tmp_path / name)

    assert caught.value.hint


def test_folders_are_made(tmp_path: Path) -> None:
    """Parent folders are created; a file in their place is reported."""
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        make_folder(tmp_path / "file")

    assert (tmp_path / "a" / "b").is_dir()
