"""A replaced file is the old one or the new one, and a failed write has a hint."""

from __future__ import annotations

import json
import os
import select
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError
from benchwright.store.writing import replacing, write_json
from kit.needs import need_root, need_that
from kit.processes import HANG_S


def test_json_for_people_is_sorted_and_readable(tmp_path: Path) -> None:
    """Two runs can be compared with `diff`, and Russian text is readable."""
    write_json(tmp_path / "a.json", {"b": 1, "a": {"d": "ответ", "c": None}})

    expected = '{\n  "a": {\n    "c": null,\n    "d": "ответ"\n  },\n  "b": 1\n}\n'
    assert expected == (tmp_path / "a.json").read_text(encoding="utf-8")


def test_a_failure_leaves_the_old_content(tmp_path: Path) -> None:
    """An incomplete file never replaces a complete one, and no temporary file stays."""
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(KeyError), replacing(path) as file:
        file.write(b"half")
        raise KeyError("stop")

    assert (path.read_text(), [entry.name for entry in tmp_path.iterdir()]) == ("old", ["a.json"])


def test_the_leftover_of_a_crash_is_reused(tmp_path: Path) -> None:
    """A temporary file of a killed process does not prevent a write."""
    (tmp_path / ".a.json.tmp").write_bytes(b"x" * 1000)
    write_json(tmp_path / "a.json", [1])

    assert (json.loads((tmp_path / "a.json").read_text()), len(list(tmp_path.iterdir()))) == ([1], 1)


def test_a_missing_folder_is_a_run_error(tmp_path: Path) -> None:
    """The hint creates the folder."""
    with pytest.raises(RunError) as caught:
        write_json(tmp_path / "none" / "a.json", {})

    assert caught.value.hint == f"mkdir -p {tmp_path / 'none'}"


def test_text_that_utf8_cannot_hold_is_written_all_the_same(tmp_path: Path) -> None:
    """A lone surrogate in a note never loses the document."""
    write_json(tmp_path / "a.json", {"note": "x\ud800"})

    assert json.loads((tmp_path / "a.json").read_text())["note"].startswith("x")


def _write(path: Path, content: bytes = b"new\n") -> None:
    with replacing(path) as file:
        file.write(content)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_the_mode_of_an_existing_file_stays(mode: int, tmp_path: Path) -> None:
    """Private files stay private, and public ones public."""
    path = tmp_path / "a.json"
    path.touch()
    path.chmod(mode)
    _write(path)

    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (mode, b"new\n")


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    """The user's mask decides, as for any other program, even if a crash left a file with another mode."""
    leftover = tmp_path / ".a.json.tmp"
    leftover.touch()
    leftover.chmod(0o777)
    old = os.umask(0o027)
    try:
        _write(tmp_path / "a.json")
    finally:
        os.umask(old)

    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o640


def test_the_owner_of_an_existing_file_stays(tmp_path: Path) -> None:
    """Root who overwrites another user's private file does not change its owner."""
    need_root()
    path = tmp_path / "a.json"
    path.touch(0o600)
    os.chown(path, 65534, 65534)
    _write(path)

    assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (65534, 65534, b"new\n")


@pytest.mark.parametrize("target", ["real.json", "below/real.json"])
def test_a_link_stays_and_its_file_is_replaced(target: str, tmp_path: Path) -> None:
    """A reader of the old file keeps it, so the file was replaced and not overwritten."""
    (tmp_path / "below").mkdir()
    (tmp_path / target).write_text("old")
    (tmp_path / "a.json").symlink_to(target)
    with (tmp_path / target).open() as reader:
        _write(tmp_path / "a.json")
        before = reader.read()

    assert (before, (tmp_path / target).read_text(), (tmp_path / "a.json").is_symlink()) == (
        "old",
        "new\n",
        True,
    )
    assert list(tmp_path.rglob("*.tmp")) == []


def test_a_link_to_nothing_makes_its_file(tmp_path: Path) -> None:
    """As a shell's `>` does."""
    (tmp_path / "a.json").symlink_to("real.json")
    _write(tmp_path / "a.json")

    assert ((tmp_path / "a.json").is_symlink(), (tmp_path / "real.json").read_bytes()) == (True, b"new\n")


def test_a_link_to_itself_is_a_run_error(tmp_path: Path) -> None:
    """It leads to no file."""
    (tmp_path / "a.json").symlink_to("a.json")
    with pytest.raises(RunError, match="cannot be written"):
        _write(tmp_path / "a.json")

    assert (tmp_path / "a.json").is_symlink()


def test_a_link_in_the_way_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    """In a folder that others can write to, it may be an attack."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".a.json.tmp").symlink_to(victim)
    _write(tmp_path / "a.json")

    assert (victim.read_text(), (tmp_path / "a.json").read_bytes()) == ("mine", b"new\n")


@pytest.mark.parametrize("via", ["fifo", "link"])
def test_a_pipe_is_written_through(via: str, tmp_path: Path) -> None:
    """Its reader gets the content, and it stays a pipe; also through a link."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    try:
        _write(tmp_path / via)
        got = os.read(reader, 100)
    finally:
        os.close(reader)

    assert (got, stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)) == (b"new\n", True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["fifo", "link"]


def test_a_terminal_is_written_through(tmp_path: Path) -> None:
    """A character device under another name is written to, and its name is not replaced."""
    need_that(Path("/dev/pts/ptmx").exists(), "no terminal can be opened here")
    ours, theirs = os.openpty()
    try:
        name = tmp_path / "terminal"
        name.symlink_to(os.ttyname(theirs))
        _write(name, b"to the terminal")
        ready = select.select([ours], [], [], 20)[0]  # the kernel passes it on in its own time
        got = os.read(ours, 100) if ready else b""
        still = stat.S_ISCHR(name.stat().st_mode)
    finally:
        os.close(ours)
        os.close(theirs)

    assert (got, still, name.is_symlink()) == (b"to the terminal", True, True)


def test_a_pipe_whose_reader_has_gone_is_a_run_error(tmp_path: Path) -> None:
    """It is reported like any other failed write, and the pipe stays."""
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(RunError, match="Broken pipe"), replacing(tmp_path / "fifo") as file:
        os.close(reader)
        file.write(b"x")

    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)


def test_a_socket_that_nobody_can_open_is_a_run_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket has a name but cannot be opened by it; it is left in place."""
    monkeypatch.chdir(tmp_path)  # the name of a socket may have at most 107 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(RunError, match="cannot be written") as caught:
            _write(Path("s"))

    assert (bool(caught.value.hint), stat.S_ISSOCK(Path("s").stat().st_mode)) == (True, True)


@pytest.mark.parametrize("empty", [True, False])
def test_a_folder_is_a_run_error(empty: bool, tmp_path: Path) -> None:
    """The error names a file in the folder; the folder is unchanged."""
    folder = tmp_path / "it is here"
    folder.mkdir()
    if not empty:
        (folder / "mine").touch()
    with pytest.raises(RunError, match="is a folder") as caught:
        _write(folder)

    assert caught.value.hint == f"name a file in it, such as '{folder}/rows.jsonl'"
    assert [entry.name for entry in folder.iterdir()] == ([] if empty else ["mine"])


def test_a_name_that_is_too_long_is_a_run_error(tmp_path: Path) -> None:
    """This includes a name that only the suffix of the temporary file makes too long."""
    with pytest.raises(RunError, match="File name too long"):
        _write(tmp_path / ("a" * 253))

    assert list(tmp_path.iterdir()) == []


_IN_STDOUT = """
import os, sys
from pathlib import Path
from benchwright.store.writing import replacing, writing
os.write(1, b"before\\n")
with (writing if sys.argv[1] == "-" else replacing)(Path(sys.argv[1])) as file:
    file.write(b"rows\\n")
os.write(1, b"after\\n")
"""


def _beside_stdout(name: object, **stdout: Any) -> bytes:
    command = [sys.executable, "-c", _IN_STDOUT, str(name)]
    done = subprocess.run(command, timeout=HANG_S, check=True, **stdout)
    return done.stdout or b""


def test_a_dash_is_stdout() -> None:
    """Stdout stays open."""
    assert _beside_stdout("-", stdout=subprocess.PIPE) == b"before\nrows\nafter\n"


def test_the_file_that_stdout_goes_to_is_not_replaced(tmp_path: Path) -> None:
    """`--out /dev/stdout > rows.jsonl` does this: the shell's file stays."""
    (tmp_path / "rows.jsonl").write_text("earlier\n")
    with (tmp_path / "rows.jsonl").open("ab") as stdout:
        _beside_stdout(tmp_path / "rows.jsonl", stdout=stdout)

    assert (tmp_path / "rows.jsonl").read_text() == "earlier\nbefore\nrows\nafter\n"


def test_a_socket_that_is_stdout_is_written(tmp_path: Path) -> None:
    """Under a service manager stdout is a socket, which cannot be opened by name."""
    ours, theirs = socket.socketpair()
    link = tmp_path / "stdout"
    link.symlink_to("/proc/self/fd/1")
    with ours, theirs:
        _beside_stdout(link, stdout=theirs)
        theirs.shutdown(socket.SHUT_WR)
        got = b"".join(iter(lambda: ours.recv(100), b""))

    assert got == b"before\nrows\nafter\n"
