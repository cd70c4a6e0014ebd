"""Preparing a toolchain before its first use."""

from __future__ import annotations

import pytest

from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.judges.suites import preparing


def _absent() -> dict[str, str]:
    raise PrerequisiteError("no JDK", hint="apt-get install jdk")


def _broken() -> dict[str, str]:
    raise SandboxError("no jail")


@pytest.mark.parametrize(
    ("java", "code", "said"),
    [
        (lambda: {"java": "17", "junit5": "5.9"}, 0, "java: ready (java 17, junit5 5.9)\n"),
        (_absent, 3, "java: no JDK\nhint: apt-get install jdk\n"),
        (_broken, 1, "java: no jail\n"),
    ],
)
def test_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], java: object, code: int, said: str
) -> None:
    """Code 3 means that something is to be installed, any other that this would not help."""
    monkeypatch.setattr(preparing, "_LANGUAGES", {"java": java})

    assert (preparing.main(["java"]), capsys.readouterr().err) == (code, said)


def test_an_unknown_language(capsys: pytest.CaptureFixture[str]) -> None:
    """Named with those that there are."""
    assert (preparing.main(["rust"]), "one of: java, go" in capsys.readouterr().err) == (2, True)
