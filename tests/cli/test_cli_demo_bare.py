"""What the demo says where the package was installed alone: one line that gets all the rest."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from benchwright.cli import demo


def told(monkeypatch: pytest.MonkeyPatch, absent: set[str], command: str) -> list[str]:
    """The lines at the end of the demo, where these modules are not installed."""
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name in absent else object())
    monkeypatch.setattr(demo, "install_command", command.format)
    target = Console(file=StringIO(), width=40)
    demo._print_missing_packages(target)
    return target.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_all_that_is_left_out_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part by name, then the one command, whole on its line in a narrow terminal too."""
    assert told(monkeypatch, set(demo.NEEDS), "pip install 'benchwright[{}]'") == [
        f"skipped, packages are missing: {', '.join(demo.NEEDS.values())}",
        "hint: install everything: pip install 'benchwright[all]' && benchwright demo",
    ]


def test_under_uvx_one_call_does_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed there is gone with the call, so the demo is a part of it."""
    lines = told(monkeypatch, {"scipy"}, "uvx --from 'benchwright[{}]' benchwright")

    assert lines[1] == "hint: install everything: uvx --from 'benchwright[all]' benchwright demo"


def test_nothing_is_told_where_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is the usual case."""
    assert told(monkeypatch, set(), "{}") == []
