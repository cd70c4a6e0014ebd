"""Folders that a killed supervisor left are removed with their processes; those of living sessions are kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.cluster import session_folder as module
from benchwright.cluster.session_folder import remove_left, session_folder
from kit.processes import HANG_S


@pytest.fixture
def base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(module, "_short_folder", lambda: tmp_path)
    return tmp_path


def test_only_folders_without_a_living_owner_are_removed(base: Path) -> None:
    """Whoever holds the lock: the driver, or a supervisor that got its descriptor. No process id decides."""
    with session_folder() as (folder, lock):
        left = shutil.copytree(folder.parent, base / "bwray-left")
        unlocked = base / "bwray-unfinished"
        unlocked.mkdir()
        command = [sys.executable, "-c", "print(flush=True); input()", f"--temp-dir={left}/r"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, pass_fds=[lock]) as process:  # type: ignore[call-overload]
            assert process.stdout.read(1)
            remove_left(base)
            assert not left.exists()
            assert process.wait(HANG_S) == -9
        assert folder.exists()
        assert unlocked.exists()
    assert not folder.parent.exists()


def test_a_folder_outlives_its_driver_while_a_supervisor_has_the_lock(base: Path) -> None:
    with session_folder() as (folder, lock):
        own = folder.parent
        keeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=[lock])
        copied = shutil.copytree(own, base / "kept", copy_function=shutil.copy)
        (copied / "lock").unlink()
        (copied / "lock").hardlink_to(own / "lock")
    copied.rename(base / "bwray-kept")
    with keeper:
        remove_left(base)
        assert (base / "bwray-kept").exists()
        keeper.kill()
    remove_left(base)
    assert not (base / "bwray-kept").exists()
