"""The package as a whole: one name for one thing, and no way round in a circle."""

from __future__ import annotations

import pytest

from benchmarks import structure

# Names that several files define still. The list may only become shorter.
TWICE: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def package() -> list[structure.Module]:
    """The package, parsed once: that is nearly all that these tests cost."""
    return structure.read_package(structure.OURS)


def test_a_public_class_name_is_defined_once(package: list[structure.Module]) -> None:
    """Who searches for a class finds one: no two files of the package define public classes of one name."""
    found = structure.twice_defined(package)

    assert {name: where for name, where in found.items() if name not in TWICE} == {}


def test_nothing_is_listed_that_is_defined_once(package: list[structure.Module]) -> None:
    """A name that is unique by now leaves the list."""
    assert frozenset(structure.twice_defined(package)) >= TWICE


def test_no_files_import_each_other_in_a_circle(package: list[structure.Module]) -> None:
    """Imports inside functions count as well."""
    graph = structure.import_graph(package)

    assert structure.cycles(graph) == []
