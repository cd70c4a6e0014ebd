"""Where prepared tools are kept, for whom, and what is said where they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites import go_library, toolchain_cache
from benchwright.judges.suites.go_toolchain import GoToolchain
from benchwright.judges.suites.toolchain_cache import cache_folder, install_hint

GO = GoToolchain(root="/go", tools="/go/pkg/tool/linux_amd64", version="1.27.3")


@pytest.fixture(autouse=True)
def an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "benchwright")


def test_the_users_own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """XDG_CACHE_HOME first, then ~/.cache."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    home = cache_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))

    assert (tmp_path / ".cache/benchwright", tmp_path / "own/benchwright") == (home, cache_folder())


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that no list of users knows has a cache that cannot be made, not a crash."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 4_000_000_000)

    assert cache_folder() == Path("/nonexistent/.cache/benchwright")


def test_roots_cache_is_one_that_the_jail_can_enter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Root's own cache where everybody may pass through it, else that of the system."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(toolchain_cache, "_is_open", lambda folder: folder.name == "open")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "open"))
    open_one = cache_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "closed"))

    assert (tmp_path / "open/benchwright", Path("/var/cache/benchwright")) == (open_one, cache_folder())


def test_an_open_folder(tmp_path: Path) -> None:
    """Each folder on the way counts, those that are yet to be made do not."""
    tmp_path.chmod(0o700)

    assert (toolchain_cache._is_open(tmp_path / "new"), toolchain_cache._is_open(Path("/usr/new"))) == (
        False,
        True,
    )


def test_go_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The library's folder cannot be made: said with its place, the reason, and what to set."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(go_library, "cache_folder", lambda: tmp_path / "file" / "cache")

    with pytest.raises(PrerequisiteError, match="standard library cannot be cached in") as caught:
        go_library.prepare_library(GO)
    assert caught.value.hint == "set BENCHWRIGHT_CACHE to a folder that is writable"


def test_how_to_get_a_toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who installed the package is told the system's command, who has a clone the script's."""
    installed = install_hint("java", "apt-get install x")
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")

    assert (installed, install_hint("java", "apt-get install x")) == ("apt-get install x", "./run setup java")


def test_a_place_is_checked_before_it_is_needed(tmp_path: Path) -> None:
    """Nothing is said where the folder is there or can be made; else what `cache_errors` says."""
    toolchain_cache.check_place("tools", tmp_path / "new/tools")
    (tmp_path / "file").write_text("")

    with pytest.raises(PrerequisiteError, match="tools cannot be cached in"):
        toolchain_cache.check_place("tools", tmp_path / "file/cache/tools")
    assert (tmp_path / "new").is_dir()


def test_a_place_that_may_not_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A read-only cache will do when it holds the tools already, and not when they are to be made."""
    (tmp_path / "made").mkdir()
    monkeypatch.setattr("os.access", lambda *_: False)
    toolchain_cache.check_place("tools", tmp_path / "made")

    with pytest.raises(PrerequisiteError) as caught:
        toolchain_cache.check_place("tools", tmp_path / "other")
    assert str(tmp_path) in caught.value.message
