"""Packages of profiles with a lock: their lock is recorded, and missing ones have a hint."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from benchwright.errors import PrerequisiteError
from benchwright.sandbox import environments, profiles
from benchwright.sandbox.profiles import InstalledPackages


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(profiles.FOLDER_VARIABLE, str(tmp_path / "profiles"))
    return tmp_path / "profiles"


def installed(folder: Path, name: str, **changes: str) -> Path:
    """Create a profile's folder as an installation leaves it, without the packages."""
    mark = InstalledPackages(
        lock=profiles.lock_digest(name), python=profiles.python_build(), packages={"numpy": "2"}
    )
    place = folder / name
    place.mkdir(parents=True)
    (place / profiles.MARK).write_bytes(msgspec.json.encode(msgspec.structs.replace(mark, **changes)))
    return place


def test_a_profile_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint is the command for the user's installation: the package's own, or the clone's script."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "benchwright")
    with pytest.raises(PrerequisiteError, match="'torch' is not installed") as alone:
        environments.site_binds(environments.find_environment("torch"))
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    with pytest.raises(PrerequisiteError) as cloned:
        environments.site_binds(environments.find_environment("sklearn"))

    assert (alone.value.hint, cloned.value.hint, alone.value.exit_code) == (
        "benchwright setup torch",
        "./run setup sklearn",
        3,
    )


@pytest.mark.parametrize("changes", [{"lock": "0" * 64}, {"python": "cpython-39-x86_64-linux-gnu"}])
def test_packages_of_another_lock_are_not_used(folder: Path, changes: dict[str, str]) -> None:
    """Packages of an earlier lock, or for another Python."""
    installed(folder, "sklearn", **changes)
    with pytest.raises(PrerequisiteError, match="was installed from another lock file or for"):
        profiles.packages_folder("sklearn")


def test_a_broken_mark_is_said(folder: Path) -> None:
    """The error has the file."""
    place = installed(folder, "sklearn")
    (place / profiles.MARK).write_text("{")
    with pytest.raises(PrerequisiteError, match=re.escape(str(place / profiles.MARK))):
        profiles.installed_packages("sklearn")


def test_a_profile_is_one_mount(folder: Path) -> None:
    """All packages are at one place; a profile whose programs load models also shows the folder of twins."""
    for name in profiles.NAMED:
        installed(folder, name)
    binds = {name: environments.site_binds(environments.find_environment(name)) for name in profiles.NAMED}

    assert binds == {
        "flake8": [(str(folder / "flake8"), "/site")],
        "sklearn": [(str(folder / "sklearn"), "/site")],
        "torch": [(str(folder / "torch"), "/site"), (str(folder / "torch-twins"), "/twins")],
    }


def test_where_profiles_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the user's data folder, from the usual variable if it is set; clones have no separate folder."""
    monkeypatch.delenv(profiles.FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    named = profiles.profiles_folder()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    assert (named, profiles.profiles_folder()) == (
        tmp_path / "benchwright" / "profiles",
        tmp_path / "home" / ".local" / "share" / "benchwright" / "profiles",
    )


@pytest.mark.parametrize("name", sorted(profiles.NAMED))
def test_locks_pin_everything(name: str) -> None:
    """Each requirement has one version and at least one hash, no name occurs twice, and no path or address."""
    text = profiles.lock_file(name).read_text(encoding="utf-8")
    entries = re.findall(
        r"^([a-z0-9-]+)==(\S+)(?: ;[^\\\n]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", text, re.M
    )
    names = [entry[0] for entry in entries]
    rest = re.sub(r"^([a-z0-9-]+)==[^\n]*\n(    --hash[^\n]*\n)+|^#[^\n]*\n", "", text, flags=re.M)

    assert (sorted(set(names)), rest) == (names, "")
    assert set(profiles.NAMED[name]) <= set(names)
    assert "/" not in "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def test_the_torch_of_the_lock_is_for_processors() -> None:
    """A build for graphics cards would have gigabytes that no jail can use."""
    text = profiles.lock_file("torch").read_text(encoding="utf-8")

    assert (re.findall(r"^torch==\S+", text, re.M), "nvidia" in text) == (["torch==2.13.0+cpu"], False)
