"""Pairs: what of a repository is never cut into cases, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.building.codecorrectness.collect_pairs import collect_repositories, pair_tests
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_records import Pair
from benchwright.records import Drop
from benchwright.sources.repositories import ClonesSource
from kit.made_repositories import MIT, cases_of, function, repository

_MODULE = {"sum_1.py": function("sum_1"), "test_sum_1.py": cases_of("sum_1", "sum_1", "small")}
_GPL = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\nTERMS AND CONDITIONS\n"


def _paired(tmp_path: Path, files: dict[str, str], bounds: RowBounds | None = None) -> list[tuple[str, str]]:
    path = repository(tmp_path / "r", files)
    found = pair_tests(_collected(path, tmp_path), bounds or RowBounds())
    return [(each.reason, each.unit) if isinstance(each, Drop) else ("", each.test_path) for each in found]


def _collected(path: Path, tmp_path: Path) -> list[Any]:
    return list(collect_repositories(ClonesSource([str(path)]).collect(tmp_path, print).items))


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ({"LICENSE": MIT}, [("", "test_sum_1.py")]),
        ({"COPYING": _GPL}, [("licence", "r")]),
        ({}, [("licence_unknown", "r")]),
    ],
)
def test_a_licence_that_allows_no_rows(
    tmp_path: Path, licence: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    """The repository is one drop, however many tests it has."""
    assert _paired(tmp_path, licence | _MODULE) == expected


def test_a_licence_that_nothing_says_may_be_kept(tmp_path: Path) -> None:
    """A known one that allows no rows stays out, and so does a file whose head names one."""
    keep = RowBounds(licence_unknown="keep")
    head = {**_MODULE, "sum_1.py": "# SPDX-License-Identifier: MIT\n" + _MODULE["sum_1.py"]}

    assert _paired(tmp_path / "none", _MODULE, keep) == [("", "test_sum_1.py")]
    assert _paired(tmp_path / "gpl", {"COPYING": _GPL} | _MODULE, keep) == [("licence", "r")]
    assert _paired(tmp_path / "head", head, keep) == [("foreign_licence", "r:test_sum_1.py")]


def test_a_focal_file_over_the_bound(tmp_path: Path) -> None:
    """One drop that names it, for all its cases."""
    found = _paired(tmp_path, {"LICENSE": MIT, **_MODULE}, RowBounds(focal_chars=50))

    assert found == [("focal_too_large", "r:test_sum_1.py")]


def test_what_a_pair_carries(tmp_path: Path) -> None:
    """Both texts, with where they are from."""
    path = repository(tmp_path / "r", {"LICENSE": MIT, **_MODULE})
    (found,) = pair_tests(_collected(path, tmp_path), RowBounds())
    assert isinstance(found, Pair)
    said = (found.repository, found.licence, found.lang, found.focal_path, found.focal_code)

    assert said == ("r", "MIT", "Python", "sum_1.py", _MODULE["sum_1.py"])


def test_a_class_that_the_package_passes_on(tmp_path: Path) -> None:
    """The test is named like a method: the file is the one that defines what it imports from the package."""
    files = {
        "tree/__init__.py": "from .interval import Interval\nfrom .tree import Tree\n",
        "tree/interval.py": "class Interval:\n    pass\n",
        "tree/tree.py": "class Tree:\n    pass\n",
        "test/methods/test_chop.py": "from tree import Tree\n\n\ndef test_chop():\n    assert Tree()\n",
        "test/methods/test_both.py": "from tree import Interval, Tree\nimport json\n\n\ndef test_x():\n    assert Tree()\n",
        "test/methods/test_nothing.py": "import json\n\n\ndef test_x():\n    assert json\n",
    }
    path = repository(tmp_path / "r", {"LICENSE": MIT, **files})
    found = pair_tests(_collected(path, tmp_path), RowBounds())
    focal = {each.test_path: each.focal_path for each in found if isinstance(each, Pair)}

    assert focal == {
        "test/methods/test_chop.py": "tree/tree.py",
        "test/methods/test_both.py": "tree/interval.py",
    }
