"""No test of pages waits for more than a minute: a page that never shows something fails the test, not the run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "browser"
LONG = {"wait_until", "HANG_S", "set_default_timeout", "wait_for_timeout"}


def long_waits(source: str) -> list[str]:
    """The names in a file by which it could wait for longer, or for no condition."""
    nodes = [*ast.walk(ast.parse(source))]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return sorted(LONG & (names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}))


@pytest.mark.parametrize("name", sorted(LONG))
def test_every_long_wait_is_seen(name: str) -> None:
    """As a name and as an attribute."""
    assert long_waits(f"{name}(lambda: True)") == long_waits(f"page.{name}(1)") == [name]


def test_tests_of_pages_wait_by_visits_alone() -> None:
    """`kit.visits` limits what the browser does by `PAGE_S`, and has functions that wait for as long."""
    found = {path.name: long_waits(path.read_text("utf-8")) for path in TESTS.glob("*.py")}

    assert {name: waits for name, waits in found.items() if waits} == {}
    assert len(found) > 10
