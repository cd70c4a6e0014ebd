"""The description of a machine changes with everything that affects an execution, and with nothing else."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.sandbox import environments
from benchwright.sandbox import machine_identity as described
from benchwright.sandbox.machine_identity import (
    files_identity,
    interpreter_identity,
    machine,
    profile_versions,
)

Break = Callable[[pytest.MonkeyPatch, Path], None]


def test_the_same_machine_is_described_alike() -> None:
    """Twice at once, in full."""
    assert machine("native") == machine("native")


def another_boot(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Restart the machine."""
    (place / "boot_id").write_text("0b00\n")
    monkeypatch.setattr(described, "BOOT", place / "boot_id")


def another_kernel(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    """Update the kernel without a restart."""
    monkeypatch.setattr("os.uname", lambda: ("Linux", "host", "7.1", "#1", "x86_64"))


def lower_limits(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    """Call `ulimit` in the shell that starts the run."""
    real = resource.getrlimit
    monkeypatch.setattr(
        "resource.getrlimit", lambda name: (1, 1) if name == resource.RLIMIT_AS else real(name)
    )


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    """Remove bubblewrap."""
    monkeypatch.setattr(described, "find_bubblewrap", lambda: "/opt/other/bwrap")


def another_user(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    """Change the user of answers."""
    monkeypatch.setenv("BENCHWRIGHT_UID", "1234")


def a_preloaded_library(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    """Preload a library, which affects every process."""
    monkeypatch.setenv("LD_PRELOAD", "/opt/libother.so")


def another_loop(monkeypatch: pytest.MonkeyPatch, _: Path) -> None:
    """Fork answers in Python instead of machine code."""
    monkeypatch.setenv("BENCHWRIGHT_ZYGOTE", "python")


def another_interpreter(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Use another file of the same version."""
    (place / "python").write_bytes(b"\x7fELF")
    monkeypatch.setattr(environments, "interpreter", lambda: place / "python")


def another_library(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Use an edited standard library."""
    (place / "json.py").write_text("")
    monkeypatch.setattr(environments, "standard_library", lambda: [place])


@pytest.mark.parametrize(
    "change",
    [
        another_boot,
        another_kernel,
        lower_limits,
        without_bubblewrap,
        another_user,
        a_preloaded_library,
        another_loop,
        another_interpreter,
        another_library,
    ],
)
def test_what_makes_it_another_machine(
    change: Break, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each of them alone."""
    before = machine("bubblewrap")
    change(monkeypatch, tmp_path)

    assert machine("bubblewrap") != before


def test_the_jail_is_part_of_it() -> None:
    """A proof with one jail is not valid for the other."""
    assert machine("native") != machine("bubblewrap")


def test_a_machine_that_does_not_say_when_it_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It has no description, so nothing is stored for it."""
    monkeypatch.setattr(described, "BOOT", tmp_path / "none")
    with pytest.raises(OSError, match="No such file"):
        machine("native")


def test_an_edited_file_is_seen_without_being_read(tmp_path: Path) -> None:
    """Size and modification time are equal: the time of the last status change reveals it."""
    file = tmp_path / "module.py"
    file.write_text("a = 1")
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    before = files_identity(tmp_path)
    file.write_text("a = 2")
    os.utime(file, ns=times)

    assert files_identity(tmp_path) != before


def test_bytecode_and_packages_are_no_part_of_the_library(tmp_path: Path) -> None:
    """Bytecode is generated, and no answer sees the packages."""
    before = files_identity(tmp_path)
    for name in ("__pycache__", "site-packages", "test"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "new.py").write_text("")

    assert files_identity(tmp_path) == before


def test_the_interpreter_is_that_of_the_answers() -> None:
    """It has path and digest; its library has files."""
    told = interpreter_identity()

    assert told["path"] == str(environments.interpreter())
    assert len(str(told["executable"])) == 64


def test_the_versions_of_profiles() -> None:
    """One dependency profile after the other."""
    assert list(profile_versions({"bare"})) == ["bare"]
