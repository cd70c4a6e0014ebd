"""Packages and package-level names of a Go project that a suite uses and does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.faults import Fault
from benchwright.lang.go.importing import go_imports, module_of
from benchwright.lang.go.known import UNIVERSE
from benchwright.lang.go.layout import local_names, selectors
from benchwright.lang.go.tree import declared_names, package
from benchwright.lang.languages import GO
from benchwright.lang.trees import Node, Tree, parse

# Fields in which an identifier gives a name instead of using one.
_NAMING = {"name", "label"}
_NAMED_BY = {
    "parameter_declaration", "variadic_parameter_declaration", "var_spec", "const_spec", "type_spec",
    "type_alias", "function_declaration", "type_parameter_declaration", "method_elem",
}  # fmt: skip
_ASSIGNING = {"short_var_declaration", "range_clause", "receive_statement", "type_switch_statement"}


def missing_in_go(suite: Suite, roots: Collection[str]) -> set[str]:
    """Import paths of the project's other packages, and names that no file of the suite declares.

    A name that is declared anywhere in a file, in whatever scope, counts as known there.
    """
    module = suite.files["go.mod"].split()[1]
    known_roots = roots or [module_of(module)]
    read = {path: parse(suite.files[path], GO) for path in (suite.focal, suite.test)}
    trees = {path: tree for path, tree in read.items() if not isinstance(tree, Fault)}
    missing: set[str] = set()
    for tree in trees.values():
        paths = (
            each.module for each in go_imports(tree, known_roots) if each.kind in ("project", "relative")
        )
        missing.update(path for path in paths if path != module)
        together = [other for other in trees.values() if package(other) == package(tree)]
        known = {name for other in together for name in declared_names(other)}
        missing.update(_undeclared(tree, known))
    return missing


def _undeclared(tree: Tree, known: set[str]) -> set[str]:
    imported = local_names(tree)
    if ["."] in imported.values():
        return set()
    used = {tree.text(node) for node in _used(tree.root)}
    names = {name for found in imported.values() for name in found}
    bound = {tree.text(node) for node in tree.root.walk() if _is_bound(node)}
    unknown = used - bound - names - known - UNIVERSE
    if any(used.isdisjoint(found) for found in imported.values() if found != ["_"]):
        unknown -= {
            name for name, _ in selectors(tree)
        }  # may be that package, whose path does not say its name
    return unknown


def _is_bound(node: Node) -> bool:
    """True for an identifier that gives a name: in a declaration, or left of `:=`."""
    if node.kind not in ("identifier", "type_identifier") or node.parent is None:
        return False
    above = node.parent
    if above.kind in _NAMED_BY:
        return node.field in _NAMING
    if above.kind == "expression_list" and above.parent is not None:
        return above.parent.kind in _ASSIGNING and above.field in ("left", "alias")
    return above.kind in _ASSIGNING and node.field in ("left", "alias")


def _used(root: Node) -> Iterator[Node]:
    """Names read: not the keys of a literal, which are fields, and not what follows a dot."""
    for node in root.walk():
        if node.kind not in ("identifier", "type_identifier") or node.parent is None:
            continue
        above = node.parent
        key = above.kind == "literal_element" and above.field == "key"
        if not key and above.kind != "qualified_type":
            yield node
