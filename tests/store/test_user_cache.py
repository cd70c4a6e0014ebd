"""Cached files: complete or unused, private to this user, and never a reason to fail."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store.user_cache import drop_cached, read_cached, user_cache, write_cached

MOST = 1 << 20


def kept(folder: Path, body: bytes = b"what was proved\n") -> Path:
    """Return a cached file."""
    path = folder / "kept" / "one"
    assert write_cached(path, body, files=8)
    return path


@given(body=st.binary(max_size=2000))
def test_what_was_written_is_read(body: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Any bytes, including line ends."""
    path = kept(tmp_path_factory.mktemp("any"), body)

    assert read_cached(path, most=MOST) == body


@given(place=st.integers(0, 79), bit=st.integers(0, 7))
def test_any_changed_bit_is_noticed(place: int, bit: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """In the digest as well as in the content."""
    path = kept(tmp_path_factory.mktemp("bit"), b"0123456789abcde")
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 1 << bit
    path.write_bytes(damaged)

    with pytest.raises(DataError, match="not what its digest says"):
        read_cached(path, most=MOST)


def cut(path: Path) -> None:
    """Truncate it, as after a power failure."""
    os.truncate(path, path.stat().st_size // 2)


def grown(path: Path) -> None:
    """Make it longer than the reader's limit."""
    with path.open("ab") as file:
        file.write(b"x" * (MOST + 100))


def open_to_all(path: Path) -> None:
    """Make it writable for others."""
    path.chmod(0o666)


def in_an_open_folder(path: Path) -> None:
    """Put it into a folder in which others may replace it."""
    path.parent.chmod(0o777)


def linked(path: Path) -> None:
    """Replace it by a link to a target of another user."""
    path.rename(path.with_name("other"))
    path.symlink_to(path.with_name("other"))


def a_pipe(path: Path) -> None:
    """Replace it by a pipe without a writer, which would block the reader."""
    path.unlink()
    os.mkfifo(path, 0o600)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (cut, "not what its digest says"),
        (grown, "larger than"),
        (open_to_all, "others may write to it"),
        (in_an_open_folder, "others may write to it"),
        (linked, "cannot be opened"),
        (a_pipe, "not a regular file"),
    ],
)
def test_what_is_not_to_be_trusted(spoil: Callable[[Path], None], why: str, tmp_path: Path) -> None:
    """The error has the reason and a command that removes it."""
    path = kept(tmp_path)
    spoil(path)
    with pytest.raises(DataError, match=why) as caught:
        read_cached(path, most=MOST)

    assert str(caught.value.hint).startswith("rm -r ")


def test_a_file_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The content does not matter: whoever could write it could write anything."""
    path = kept(tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 4_000_000)
    with pytest.raises(DataError, match="it belongs to user"):
        read_cached(path, most=MOST)

    assert write_cached(path, b"mine", files=8) is False


def test_nothing_is_there(tmp_path: Path) -> None:
    """Every cache begins this way; a file in place of the folder has no entries either."""
    (tmp_path / "file").write_text("")

    assert read_cached(tmp_path / "none" / "one", most=MOST) is None
    assert read_cached(tmp_path / "file" / "one", most=MOST) is None


def test_where_nothing_can_be_kept(tmp_path: Path) -> None:
    """A cache that cannot be created is no error, for writing and removing."""
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "one"
    drop_cached(path)

    assert write_cached(path, b"x", files=8) is False


def test_only_this_user_may_read_what_is_kept(tmp_path: Path) -> None:
    """The mode of folder and file does not depend on the shell's mask."""
    path = kept(tmp_path)

    assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


def test_the_latest_files_stay(tmp_path: Path) -> None:
    """Files that a restart of the machine made useless are limited in number, and incomplete ones are
    removed."""
    (tmp_path / "kept").mkdir(mode=0o700)
    for age, name in enumerate(("new", "old", ".1-dead.tmp", "oldest")):
        (tmp_path / "kept" / name).write_text("")
        os.utime(tmp_path / "kept" / name, (1000 - age, 1000 - age))
    write_cached(tmp_path / "kept" / "one", b"x", files=3)

    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["new", "old", "one"]


def _write_often(path: Path, letter: bytes) -> None:
    for _ in range(100):
        write_cached(path, letter * 5000, files=8)


def test_writers_beside_each_other_leave_one_whole_file(tmp_path: Path) -> None:
    """A reader gets one version or the other, never a mixture."""
    path = kept(tmp_path, b"a" * 5000)
    writers = [get_context("spawn").Process(target=_write_often, args=(path, each)) for each in (b"a", b"b")]
    for writer in writers:
        writer.start()
    seen = set()
    while any(writer.is_alive() for writer in writers):
        seen.add(read_cached(path, most=MOST))
    for writer in writers:
        writer.join()

    assert seen <= {b"a" * 5000, b"b" * 5000}
    assert [each.name for each in path.parent.iterdir()] == ["one"]


def test_whose_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BENCHWRIGHT_CACHE, then XDG_CACHE_HOME, then a folder in the home directory."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BENCHWRIGHT_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    home = user_cache()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))

    below = user_cache()
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "whole"))

    assert (home, below) == (tmp_path / ".cache/benchwright", tmp_path / "other/benchwright")
    assert user_cache() == tmp_path / "whole"
