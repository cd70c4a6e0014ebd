"""The package as a whole: one name for one thing, and no way round in a circle."""

from __future__ import annotations

from benchmarks import structure

# Names that several files define still. The list may only become shorter.
TWICE: frozenset[str] = frozenset()


def test_a_public_class_name_is_defined_once() -> None:
    """Who searches for a class finds one: no two files of the package define public classes of one name."""
    found = structure.twice_defined(structure.read_package(structure.OURS))

    assert {name: where for name, where in found.items() if name not in TWICE} == {}


def test_nothing_is_listed_that_is_defined_once() -> None:
    """A name that is unique by now leaves the list."""
    assert frozenset(structure.twice_defined(structure.read_package(structure.OURS))) >= TWICE


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports inside functions count as well."""
    graph = structure.import_graph(structure.read_package(structure.OURS))

    assert structure.cycles(graph) == []
