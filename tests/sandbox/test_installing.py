"""Installing profiles. pip is replaced by a script that records its calls, so nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError, UsageError
from benchwright.sandbox import profiles

WORKS = """
mkdir -p "$target/numpy-2.4.6.dist-info"
printf 'Metadata-Version: 2.1\\nName: NumPy\\nVersion: 2.4.6\\n' >"$target/numpy-2.4.6.dist-info/METADATA"
"""
FAILS = """
echo "WARNING: a place is ignored" >&2
echo "ERROR: Could not find a version that satisfies the requirement" >&2
echo "ERROR: No matching distribution found for {wanted}" >&2
exit 1
"""


class Python:
    """An interpreter whose pip does what the test sets."""

    def __init__(self, folder: Path) -> None:
        self.path, self.log = folder / "python", folder / "log"
        self.does(WORKS)

    def does(self, body: str) -> None:
        """Set the script; `$target` is the folder to fill."""
        find = 'previous=; for word; do [ "$previous" = --target ] && target=$word; previous=$word; done'
        self.path.write_text(f'#!/bin/sh\necho "$*" >>{self.log}\n{find}\n{body}\n')
        self.path.chmod(0o755)

    def calls(self) -> list[str]:
        """Return its calls."""
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def python(tmp_path: Path) -> Python:
    return Python(tmp_path)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(profiles.FOLDER_VARIABLE, str(tmp_path / "profiles"))
    monkeypatch.setattr(profiles, "_PYTHONS", (profiles.sys.version_info[:2],))
    monkeypatch.setattr(profiles, "_MACHINES", (profiles.platform.machine(),))
    return tmp_path / "profiles"


def install(name: str, python: Python) -> tuple[profiles.InstalledPackages, list[str]]:
    """Install; return the result and the notes."""
    told: list[str] = []
    return profiles.install_packages(name, python.path, tell=told.append), told


def test_an_installation(python: Python, folder: Path) -> None:
    """Only wheels of the lock, by hash, in a folder that is renamed when it is complete."""
    found, told = install("sklearn", python)
    (call,) = python.calls()

    assert (found.packages, [path.name for path in folder.iterdir()]) == ({"numpy": "2.4.6"}, ["sklearn"])
    assert all(
        word in call for word in ("--require-hashes", "--no-deps", "--only-binary :all:", "sklearn.txt")
    )
    assert told == [f"installing 17 packages into {folder / 'sklearn'}"]


def test_a_second_time_costs_nothing(python: Python) -> None:
    """An installation of the same lock is left unchanged."""
    first, _ = install("sklearn", python)
    again, told = install("sklearn", python)

    assert (again, told, len(python.calls())) == (first, [], 1)


def test_an_earlier_lock_is_replaced(python: Python, folder: Path) -> None:
    """Its packages are removed."""
    (folder / "sklearn" / "old").mkdir(parents=True)
    install("sklearn", python)

    assert not (folder / "sklearn" / "old").exists()


def test_a_lock_that_does_not_resolve(python: Python, folder: Path) -> None:
    """pip's message is the reason, the earlier packages stay, and no incomplete folder is left."""
    (folder / "sklearn" / "old").mkdir(parents=True)
    python.does(FAILS.format(wanted="scipy==1.17.1"))
    with pytest.raises(PrerequisiteError) as caught:
        install("sklearn", python)

    assert (caught.value.exit_code, [path.name for path in folder.iterdir()]) == (3, ["sklearn"])
    assert "cannot be installed: No matching distribution found for scipy==1.17.1" in caught.value.message
    assert "setup sklearn" in (caught.value.hint or "") and (folder / "sklearn" / "old").is_dir()


def test_pip_that_is_not_there(python: Python) -> None:
    """Without an error line the last line of the output is the reason."""
    python.does("echo '/usr/bin/python3: No module named pip' >&2; exit 1")
    with pytest.raises(PrerequisiteError, match="No module named pip"):
        install("sklearn", python)


def test_the_builds_for_processors_have_an_index(python: Python) -> None:
    """If pip's configuration has no CPU build of torch, PyTorch's own index is used, and only then."""
    other = f"case $* in *{profiles.CPU_BUILDS}*) {WORKS} ;; *) {FAILS.format(wanted='torch==2.13.0+cpu')} ;; esac"
    python.does(other)
    install("torch", python)

    assert [profiles.CPU_BUILDS in call for call in python.calls()] == [False, True]


@pytest.mark.parametrize(("name", "value"), [("_PYTHONS", ((3, 9),)), ("_MACHINES", ("riscv64",))])
def test_a_lock_that_does_not_hold_here(
    python: Python, monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    """Another Python or machine is reported before anything is downloaded."""
    monkeypatch.setattr(profiles, name, value)
    with pytest.raises(PrerequisiteError, match=r"holds for CPython 3\.11 to 3\.13 on Linux"):
        install("sklearn", python)

    assert python.calls() == []


def test_a_profile_without_a_lock(python: Python) -> None:
    """The hint lists profiles with a lock."""
    with pytest.raises(UsageError) as caught:
        install("numpy", python)

    assert caught.value.hint == "one of: flake8, sklearn, torch"
