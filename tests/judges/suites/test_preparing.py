"""Preparing a toolchain before its first use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.judges.suites import java, java_toolchain, preparing
from benchwright.judges.suites.java_toolchain import JavaToolchain


def _absent() -> dict[str, str]:
    raise PrerequisiteError("no JDK", hint="apt-get install jdk")


def _broken() -> dict[str, str]:
    raise SandboxError("no jail")


class _Runner:
    """A runner of which nothing but the versions is known."""

    def __init__(self, versions: Callable[[], dict[str, str]]) -> None:
        self.versions = versions

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(
    ("versions", "code", "said"),
    [
        (lambda: {"java": "17", "junit5": "5.9"}, 0, "java: ready (java 17, junit5 5.9)\n"),
        (_absent, 3, "java: no JDK\nhint: apt-get install jdk\n"),
        (_broken, 1, "java: no jail\n"),
    ],
)
def test_codes(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    versions: Callable[[], dict[str, str]],
    code: int,
    said: str,
) -> None:
    """Code 3 means that something is to be installed, any other that this would not help."""
    monkeypatch.setattr(preparing, "open_runner", lambda _: _Runner(versions))

    assert (preparing.main(["java"]), capsys.readouterr().err) == (code, said)


def test_an_unknown_language(capsys: pytest.CaptureFixture[str]) -> None:
    """Named with those that there are."""
    assert (preparing.main(["rust"]), "one of: python, java, go" in capsys.readouterr().err) == (2, True)


def test_java_is_ready_with_the_libraries_of_its_data_sets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A machine with JUnit alone has something to install: what rows of MultiPL-E import."""
    toolchain = JavaToolchain(jdk="/jdk", jars=(), java="17", junit5="5", junit4="4")
    monkeypatch.setattr(java, "find_toolchain", lambda: toolchain)
    monkeypatch.setattr(java, "check_tools", lambda _: None)
    monkeypatch.setattr(java, "prepare_tools", lambda _, **__: None)
    monkeypatch.setattr(java_toolchain, "_JARS", tmp_path)
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache" / "own"))
    monkeypatch.delenv("BENCHWRIGHT_JUNIT", raising=False)

    assert preparing.main(["java"]) == 3
    assert "no jar named javatuples" in capsys.readouterr().err
    with ZipFile(tmp_path / "javatuples-1.2.jar", "w") as jar:
        jar.writestr("org/javatuples/Pair.class", "1")
    assert preparing.main(["java"]) == 0
    assert "java: ready (java 17" in capsys.readouterr().err
