"""Bytecode for the jail: made once, refused where it is stale, done without where it cannot be kept."""

from __future__ import annotations

import os
import sys
from importlib.machinery import FileFinder
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Suite, Variation
from benchwright.judges.suites import python
from benchwright.judges.suites.python import CROWDED, PythonSuites, bytecode_binds
from benchwright.sandbox.environments import find_environment

PYTEST = find_environment("pytest")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two modules that the jail would show, and a cache of its own."""
    folder = tmp_path / "installed" / "made"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("SAID = 'first'\n")
    (folder / "inner" / "deep.py").write_text("SAID = 'deep'\n")
    (folder / "notes.txt").write_text("no module")
    shown = [(str(folder), "/site/made"), (str(folder / "inner" / "deep.py"), "/site/alone.py")]
    monkeypatch.setattr(python, "site_binds", lambda environment: shown)
    monkeypatch.setattr(python, "cache_folder", lambda: tmp_path / "cache")
    return folder


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of the jail, with what its import changed put back."""
    monkeypatch.setattr(sys, "path_hooks", [*sys.path_hooks])
    from benchwright.sandbox.inside import suite_bytecode

    return suite_bytecode


def test_each_module_once(package: Path) -> None:
    """Named by its place in the jail, whether it came with a folder or by itself; nothing else is made."""
    ((folder, place),) = bytecode_binds(PYTEST)

    assert (place, sorted(path.name for path in Path(folder).iterdir())) == (
        "/bytecode",
        ["site!alone.py", "site!made!__init__.py", "site!made!inner!deep.py"],
    )


def test_made_once(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second runner finds what the first made."""
    first = bytecode_binds(PYTEST)
    monkeypatch.setattr(python, "_make", None)

    assert bytecode_binds(PYTEST) == first


def test_an_installation_makes_it_anew(package: Path) -> None:
    """What pip or uv has put in the folder changes the key."""
    first = bytecode_binds(PYTEST)
    os.utime(package, ns=(0, 0))

    assert bytecode_binds(PYTEST) != first


def test_the_second_of_two_makers_finds_it_there(package: Path, tmp_path: Path) -> None:
    """Both made it at once: the one that comes later throws its own away."""
    ((folder, _),) = bytecode_binds(PYTEST)
    python._make(python.site_binds(PYTEST), Path(folder))

    assert [path.name for path in (tmp_path / "cache").iterdir()] == [Path(folder).name]


def test_without_a_cache_there_is_none(package: Path, tmp_path: Path) -> None:
    """A cache that cannot be made costs time and nothing else."""
    (tmp_path / "cache").write_text("a file is in the way")

    assert bytecode_binds(PYTEST) == ()


def test_crowded_folders_are_left_out(package: Path) -> None:
    """Hundreds of modules of which a run loads three are not worth their compilation."""
    for number in range(CROWDED):
        (package / "inner" / f"lexer{number}.py").write_text("")
    ((folder, _),) = bytecode_binds(PYTEST)

    assert sorted(path.name for path in Path(folder).iterdir()) == ["site!alone.py", "site!made!__init__.py"]


@pytest.mark.parametrize(
    ("then", "said"), [(None, "first"), ("SAID = 'later'\n", "later"), ("SAID = 'other'\n", "other")]
)
def test_stale_bytecode_is_not_loaded(
    package: Path, loading: Any, monkeypatch: pytest.MonkeyPatch, then: str | None, said: str
) -> None:
    """A source that was edited in its place is compiled as it is now, also when its size is the same."""
    ((folder, _),) = bytecode_binds(PYTEST)
    monkeypatch.setattr(loading, "PLACE", folder)
    monkeypatch.setattr(loading, "name_of", lambda path: "site!made!__init__.py")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    source = package / "__init__.py"
    if then is not None:
        source.write_text(then)
        os.utime(source, ns=(1, 1))
    code = loading.Loader("made", str(source)).get_code("made")
    space: dict[str, str] = {}
    exec(code, space)

    assert (space["SAID"], code.co_filename.startswith("/site/")) == (said, then is None)


def test_a_module_without_bytecode_is_loaded(package: Path, loading: Any) -> None:
    """As one of a crowded folder is."""
    code = loading.Loader("made", str(package / "__init__.py")).get_code("made")

    assert code.co_consts[0] == "first"


def test_only_what_was_installed_is_looked_for(
    package: Path, loading: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders of a suite, and the standard library, are imported from as ever."""
    refused = []
    monkeypatch.setattr(loading, "SITE", str(package.parent))
    for path in ("/tmp/project", f"{package.parent}s", "/usr/lib/python3.11"):
        with pytest.raises(ImportError) as caught:
            loading._hook(path)
        refused.append(str(caught.value))

    assert (len(refused), isinstance(loading._hook(str(package)), FileFinder)) == (3, True)


@pytest.mark.usefixtures("jail")
def test_pytest_comes_from_bytecode_in_the_jail() -> None:
    """A suite sees by whom its pytest was loaded, and nothing of its own is loaded so."""
    test = (
        "import pytest, focal\n\n\ndef test_loader():\n"
        "    assert type(pytest.__spec__.loader).__name__ == 'Loader'\n"
        "    assert type(focal.__spec__.loader).__name__ == 'SourceFileLoader'\n"
    )
    files = {"focal.py": "X = 1\n", "test_focal.py": test}
    suite = Suite(
        lang="Python",
        framework="pytest",
        files=files,
        focal="focal.py",
        test="test_focal.py",
        cases=["test_loader"],
    )
    runner = PythonSuites()
    ((_, report),) = runner.run([(0, suite)], variation=Variation())
    runner.close()

    assert (report.state, report.detail) == ("success", "")


def test_slow_modules_are_loaded_for_suites_that_may_need_them(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mention in any file, or a folder of libraries, decides; both profiles have names of their own."""
    monkeypatch.setattr(python, "_library_binds", lambda environment, libraries: [])

    def profile(helper: str, libraries: Path | None = None) -> Any:
        files = {"test_a.py": "def test_a(): pass", "helper.py": helper}
        suite = Suite(
            lang="Python", framework="pytest", files=files, focal="helper.py", test="test_a.py", cases=[]
        )
        return PythonSuites(libraries=libraries)._environment(suite, 7)

    plain, slow = profile("x = 1"), profile("from unittest.mock import AsyncMock")

    assert slow == profile("import asyncio") == profile("x = 1", tmp_path)
    assert {*slow.preload} - {*plain.preload} == {"asyncio", "unittest.mock"}
    assert (plain.name != slow.name, plain.hash_seed, slow.hash_seed) == (True, 7, 7)
