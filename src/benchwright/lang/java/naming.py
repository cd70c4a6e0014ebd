"""The names that a Java file uses and where it has them from: another file could give it these instead."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.lang.faults import Fault
from benchwright.lang.java.tree import package
from benchwright.lang.languages import JAVA
from benchwright.lang.nodes import walk_outside
from benchwright.lang.trees import parse

_NOT_CODE = ("import_declaration", "package_declaration")
_WORDS = ("identifier", "type_identifier")


class Names(NamedTuple):
    """Simple names in use, and the imports. A module is the full name of a package or type."""

    package: str
    used: frozenset[str]
    singles: dict[str, str]  # a name that is imported by itself, with its module
    stars: frozenset[str]  # modules whose types are imported with a star
    static_singles: dict[str, str]
    static_stars: frozenset[str]


def names(code: str) -> Names | None:
    """The names of a Java text; None where there is no tree of it. Comments and literals hold none."""
    tree = parse(code, JAVA)
    if isinstance(tree, Fault):
        return None
    imports = tree.root.all("import_declaration")
    singles: dict[bool, dict[str, str]] = {False: {}, True: {}}
    stars: dict[bool, set[str]] = {False: set(), True: set()}
    for node in imports:
        full, static = tree.name(node.first("scoped_identifier", "identifier")), bool(node.first("static"))
        module, _, name = full.rpartition(".")
        if node.first("asterisk"):
            stars[static].add(full)
        else:
            singles[static][name] = module
    code_nodes = walk_outside(tree.root, set(tree.root.all(*_NOT_CODE)))
    return Names(
        package=package(tree),
        used=frozenset(tree.text(node) for node in code_nodes if node.kind in _WORDS),
        singles=singles[False],
        stars=frozenset(stars[False]),
        static_singles=singles[True],
        static_stars=frozenset(stars[True]),
    )
