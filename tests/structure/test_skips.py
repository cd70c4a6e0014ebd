"""A test is skipped in one place: what it needs of the machine is asked for by `kit.needs`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
DOOR = TESTS / "kit" / "needs.py"
SKIPS = {"pytest.skip", "pytest.importorskip", "pytest.mark.skip", "pytest.mark.skipif", "shutil.which"}


def skips(source: str) -> list[str]:
    """The ways to skip that a file uses by itself: calls and decorators, not the words of a string."""
    names = (ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))
    return sorted(SKIPS & set(names))


@pytest.mark.parametrize("way", sorted(SKIPS))
def test_every_way_to_skip_is_seen(way: str) -> None:
    """As a call, and with other names around it."""
    assert skips(f"import pytest, shutil\n\ndef test_it():\n    {way}('gone')\n") == [way]
    assert skips(f"TEXT = {way!r}\n") == []


def test_only_one_file_skips() -> None:
    """Elsewhere a test could use a program that most machines have, and fail on a bare one."""
    sources = {path: path.read_text("utf-8") for path in TESTS.rglob("*.py") if path != DOOR}
    last = {way.rpartition(".")[2] for way in SKIPS}
    users = {
        path: source
        for path, source in sources.items()
        if ("import pytest" in source or "shutil" in source) and any(name in source for name in last)
    }
    found = {str(path.relative_to(TESTS)): ways for path, source in users.items() if (ways := skips(source))}

    assert found == {"test_needs.py": ["pytest.skip"]}  # it catches the exception
