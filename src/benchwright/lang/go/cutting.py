"""One Go test case left in its file, with the imports that it still uses."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang.faults import CuttingError, SyntaxFault
from benchwright.lang.go.collecting import collect
from benchwright.lang.go.importing import package_names
from benchwright.lang.go.tree import import_path, import_specs, name_of, parse
from benchwright.lang.trees import Node, Tree, walk_outside, without_nodes


def cut_go(code: str, name: str) -> str:
    """The file with one test case. Raises CuttingError when another case is needed by what stays."""
    tree = parse(code)
    assert not isinstance(tree, SyntaxFault)
    tests = collect(tree)
    cut = {node for node in tests.values() if node is not tests[name]}
    names = {name_of(tree, node) for node in cut}
    used = names & {tree.text(node) for node in walk_outside(tree.root, cut) if node.kind == "identifier"}
    if used:
        raise CuttingError(f"what stays uses {min(used)}, another test", reason="entangled")
    return without_nodes(tree, [*cut, *_unused_imports(tree, cut)])


def _unused_imports(tree: Tree, cut: set[Node]) -> list[Node]:
    """Imports that only what is cut used, which would not compile; a block of nothing else goes whole.

    A package that goes by no name its path tells stays: whether it is used cannot be said.
    """
    before, after = set(_packages_used(tree, set())), set(_packages_used(tree, cut))
    unused = {spec for spec in import_specs(tree) if _lost(_names(tree, spec), before, after)}
    whole = []
    for declared in tree.root.all("import_declaration"):
        specs = [spec for spec in import_specs(tree) if declared in spec.ancestors()]
        if specs and unused.issuperset(specs):
            whole.append(declared)
            unused.difference_update(specs)
    return [*whole, *unused]


def _lost(names: list[str], before: set[str], after: set[str]) -> bool:
    return not before.isdisjoint(names) and after.isdisjoint(names)


def _names(tree: Tree, spec: Node) -> list[str]:
    name = name_of(tree, spec)
    return package_names(import_path(tree, spec)) if not name else [name]


def _packages_used(tree: Tree, gone: set[Node]) -> Iterator[str]:
    for node in walk_outside(tree.root, gone):
        if node.kind == "identifier" and node.field == "operand":
            yield tree.text(node)
        elif node.kind == "qualified_type":
            yield tree.text(node.get("package"))
