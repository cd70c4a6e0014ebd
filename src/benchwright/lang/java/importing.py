"""The imports of a Java file."""

from __future__ import annotations

from collections.abc import Collection

from benchwright.lang.found import Import
from benchwright.lang.java.known import STANDARD, UMBRELLAS
from benchwright.lang.java.tree import package
from benchwright.lang.trees import Node, Tree


def java_imports(tree: Tree, roots: Collection[str] = ()) -> list[Import]:
    """All imports in the file's order. A static import names its class as the module."""
    own = roots or root_of(package(tree))
    return [_record(tree, node, own) for node in tree.root.all("import_declaration")]


def root_of(name: str) -> list[str]:
    """The package prefix that a project's files share, as far as one package tells: two names or more."""
    parts = name.split(".") if name else []
    length = 2
    while length < len(parts) and ".".join(parts[:length]) in UMBRELLAS:
        length += 1
    return [".".join(parts[:length])] if parts else []


def kind_of(name: str, roots: Collection[str]) -> str:
    """The kind of an imported class or package by its dotted name."""
    if any(name == root or name.startswith(f"{root}.") for root in roots):
        return "project"
    return "standard" if name.startswith(STANDARD) else "third_party"


def _record(tree: Tree, node: Node, roots: Collection[str]) -> Import:
    name = tree.name(node.first("scoped_identifier", "identifier"))
    names = ["*"] if node.first("asterisk") else []
    if node.first("static") and not names:
        name, _, member = name.rpartition(".")
        names = [member]
    return Import(module=name, kind=kind_of(name, roots), line=node.first_line, names=names)
