"""In which order files are given out: what is dear first, and nothing is lost or torn apart."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kit import sharing

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("each", sharing.DEAREST)
def test_what_is_named_as_dear_is_there(each: str) -> None:
    """A file, or a folder with tests."""
    path = ROOT / each

    assert list(path.rglob("test_*.py")) if each.endswith("/") else path.is_file()


def test_the_dearest_come_first_and_no_file_is_torn_apart() -> None:
    """Those of a file stay together in their order, and so do files that are not dear."""
    names = [
        "tests/a.py::x",
        "tests/cli/b.py::y",
        "tests/cli/test_cli_demo.py::1",
        "tests/cli/test_cli_demo.py::2",
    ]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in [*names, "tests/z.py::tests/e2e/x"]]
    sharing.dearest_first(items)

    assert [item.nodeid for item in items] == [*names[2:], names[1], names[0], "tests/z.py::tests/e2e/x"]


def test_a_run_gives_out_whole_files_in_this_order() -> None:
    """Else a file's fixtures would be made by several processes, and the order would be that of the counts."""
    text = (ROOT / "tests" / "check.sh").read_text()

    assert "--dist loadfile --no-loadscope-reorder" in text
