"""Files are given out with the longest first; none is lost or split."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kit import sharing

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("each", sharing.LONGEST)
def test_listed_files_exist(each: str) -> None:
    """Each entry is a file, or a folder with tests."""
    path = ROOT / each

    assert list(path.rglob("test_*.py")) if each.endswith("/") else path.is_file()


def test_the_longest_files_come_first_and_none_is_split() -> None:
    """Tests of a file stay together in their order, and so do files that are not listed."""
    names = [
        "tests/a.py::x",
        "tests/cli/b.py::y",
        "tests/cli/test_cli_demo.py::1",
        "tests/cli/test_cli_demo.py::2",
    ]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in [*names, "tests/z.py::tests/e2e/x"]]
    sharing.longest_first(items)

    assert [item.nodeid for item in items] == [*names[2:], names[1], names[0], "tests/z.py::tests/e2e/x"]
