"""The package as a whole: one name for one thing, and no way round in a circle."""

from __future__ import annotations

import pytest

from benchmarks import structure
from kit.package_source import package

# Names that several files define still. The list may only become shorter.
TWICE: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def modules() -> list[structure.Module]:
    """Return all files of the package."""
    return list(package().values())


def test_a_public_class_name_is_defined_once(modules: list[structure.Module]) -> None:
    """Who searches for a class finds one: no two files of the package define public classes of one name."""
    found = structure.twice_defined(modules)

    assert {name: where for name, where in found.items() if name not in TWICE} == {}


def test_nothing_is_listed_that_is_defined_once(modules: list[structure.Module]) -> None:
    """A name that is unique by now leaves the list."""
    assert frozenset(structure.twice_defined(modules)) >= TWICE


def test_no_files_import_each_other_in_a_circle(modules: list[structure.Module]) -> None:
    """Imports inside functions count as well."""
    graph = structure.import_graph(modules)

    assert structure.cycles(graph) == []
