"""Classes of a Java project that a suite names and does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from benchwright.contracts import Suite
from benchwright.lang.faults import Fault
from benchwright.lang.java.importing import java_imports, root_of
from benchwright.lang.java.known import LANG
from benchwright.lang.java.tree import TYPES, name_of, package
from benchwright.lang.languages import JAVA
from benchwright.lang.trees import Node, Tree, parse


def missing_in_java(suite: Suite, roots: Collection[str]) -> set[str]:
    """Full class names; "pkg.*" for a package of which neither file is.

    A simple name is taken to be of the file's own package only where no wildcard import could bring it.
    """
    read = [parse(suite.files[path], JAVA) for path in (suite.focal, suite.test)]
    trees = [tree for tree in read if not isinstance(tree, Fault)]
    declared = {(package(tree), name) for tree in trees for name in _declared(tree)}
    missing: set[str] = set()
    for tree in trees:
        missing.update(_imported(tree, declared, roots))
        missing.update(_same_package(tree, declared, roots))
    return missing


def _imported(tree: Tree, declared: set[tuple[str, str]], roots: Collection[str]) -> Iterator[str]:
    packages = {name for name, _ in declared}
    classes = {f"{name}.{kind}" if name else kind for name, kind in declared}
    for each in java_imports(tree, roots):
        if each.kind != "project":
            continue
        below = any(each.module == name or each.module.startswith(f"{name}.") for name in classes)
        if not below and not (each.names == ["*"] and each.module in packages):
            yield f"{each.module}.*" if each.names == ["*"] else each.module


def _same_package(tree: Tree, declared: set[tuple[str, str]], roots: Collection[str]) -> Iterator[str]:
    own = package(tree)
    imported = java_imports(tree, roots or root_of(own))
    if any(each.names == ["*"] and not _is_ours(each.module, declared) for each in imported):
        return
    known = LANG | {name for home, name in declared if home == own} | _parameters(tree)
    known |= {each.module.rpartition(".")[2] for each in imported if not each.names}
    known |= {name for each in imported for name in each.names}
    known |= {name for home, name in declared if any(each.module == home for each in imported)}
    for name in _used(tree) - known:
        yield f"{own}.{name}" if own else name


def _is_ours(module: str, declared: set[tuple[str, str]]) -> bool:
    """A wildcard of a package of the suite, or of members of a class, brings no unknown class."""
    return any(module == home for home, _ in declared) or module.rpartition(".")[2][:1].isupper()


def _declared(tree: Tree) -> set[str]:
    return {name_of(tree, node) for node in tree.root.walk() if node.kind in TYPES}


def _parameters(tree: Tree) -> set[str]:
    """Type parameters, such as the T of `class Box<T>`."""
    found = set()
    for node in tree.root.walk():
        if node.kind == "type_parameter":
            found.add(tree.text(node.first("type_identifier", "identifier")))
    return found


def _used(tree: Tree) -> set[str]:
    """Simple names of types in use: in type positions, as annotations, and before a dot when capitalised."""
    return {name for node in tree.root.walk() if (name := _type_used(tree, node))}


def _type_used(tree: Tree, node: Node) -> str:
    if node.kind == "type_identifier":
        head = node.parent is None or node.parent.kind != "scoped_type_identifier" or node.index == 0
        return tree.text(node) if head else ""
    if node.kind in ("marker_annotation", "annotation"):
        name = node.get("name")
        return tree.text(name) if name is not None and name.kind == "identifier" else ""
    if node.kind == "identifier" and node.field == "object":
        text = tree.text(node)
        mixed = text[:1].isupper() and not text.isupper()  # `LIMIT.get()` is a constant's
        return text if mixed else ""
    return ""
