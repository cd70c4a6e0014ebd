"""The folder of Go programs: kept as long as its process lives, and not a day longer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.judges.suites.go import LOCK, PREFIX, GoPrograms, sweep
from kit.processes import HANG_S

_LEAVE = """
import os, signal, sys
from pathlib import Path
from benchwright.judges.suites.go import GoPrograms
GoPrograms(Path(sys.argv[1])).keep(b"program")
os.kill(os.getpid(), signal.SIGKILL)
"""


def left_by_a_kill(parent: Path) -> Path:
    """The folder of a process that kept a program and was killed."""
    subprocess.run([sys.executable, "-c", _LEAVE, str(parent)], check=False, timeout=HANG_S)
    (folder,) = parent.iterdir()
    return folder


def test_a_program_is_kept_and_dropped(tmp_path: Path) -> None:
    """It has its bytes, may be run by anybody, and is gone once it is dropped."""
    programs = GoPrograms(tmp_path)
    name = programs.keep(b"program")
    path = programs.folder / name
    kept = (path.read_bytes(), path.stat().st_mode & 0o777, programs.folder.stat().st_mode & 0o777)
    programs.drop(name)
    left = [each.name for each in programs.folder.iterdir()]
    programs.close()

    assert (kept, left, list(tmp_path.iterdir())) == ((b"program", 0o755, 0o755), [LOCK], [])


def test_no_program_is_no_file(tmp_path: Path) -> None:
    """Nothing is made for a build that gave none, and closing nothing is no error."""
    programs = GoPrograms(tmp_path)
    name = programs.keep(b"")
    programs.drop(name)
    programs.close()

    assert (name, list(tmp_path.iterdir())) == ("", [])


def test_two_programs_have_two_names(tmp_path: Path) -> None:
    """Batches do not overwrite each other."""
    programs = GoPrograms(tmp_path)
    names = {programs.keep(b"one"), programs.keep(b"two")}
    programs.close()

    assert len(names) == 2


def test_what_a_kill_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    """The lock went with the process, so the folder is nobody's."""
    dead = left_by_a_kill(tmp_path)
    existed = dead.exists()
    programs = GoPrograms(tmp_path)
    mine = programs.folder
    left = [path for path in tmp_path.iterdir() if path.name.startswith(PREFIX)]
    programs.close()

    assert (existed, left) == (True, [mine])


def test_a_folder_in_use_stays(tmp_path: Path) -> None:
    """Two processes at a time have a folder each."""
    first, second = GoPrograms(tmp_path), GoPrograms(tmp_path)
    name = first.keep(b"program")
    there = (second.folder != first.folder, (first.folder / name).exists())
    first.close()
    second.close()

    assert there == (True, True)


@pytest.mark.parametrize("made", ["folder", "file", "link"])
def test_what_is_not_surely_ours_stays(tmp_path: Path, made: str) -> None:
    """A folder that is being made has no lock yet; a link might lead anywhere."""
    path, other = tmp_path / f"{PREFIX}x", tmp_path / "other"
    other.mkdir()
    if made == "folder":
        path.mkdir()
    elif made == "file":
        path.write_text("")
    else:
        path.mkdir()
        (other / "target").write_text("")
        (path / LOCK).symlink_to(other / "target")
    sweep(tmp_path)

    assert path.exists()


def test_a_program_that_is_not_to_be_read_can_be_executed_alone(tmp_path: Path) -> None:
    """By whoever the sandbox runs as."""
    programs = GoPrograms(tmp_path)
    modes = [
        (programs.folder / programs.keep(b"x", readable=readable)).stat().st_mode & 0o777
        for readable in (True, False)
    ]
    programs.close()

    assert modes == [0o755, 0o111]
