"""One Java test case left in its file, with the imports that it still uses."""

from __future__ import annotations

from benchwright.lang.errors import CuttingError
from benchwright.lang.faults import Fault
from benchwright.lang.java.collecting import Found, collect
from benchwright.lang.java.pruning import lost_imports
from benchwright.lang.java.tree import TYPES, name_of, supertypes
from benchwright.lang.languages import JAVA
from benchwright.lang.nodes import inside, walk_outside, without_nodes
from benchwright.lang.trees import Node, Tree, parse


def cut_java(code: str, name: str) -> str:
    """The file with one test case. Raises CuttingError when another case is needed by what stays."""
    tree = parse(code, JAVA)
    assert not isinstance(tree, Fault)
    found = collect(tree)
    kept = next(each for each in found if each.name == name)
    methods = {each.method for each in found if each.method is not kept.method}
    cut = methods | _classes(tree, found, kept, methods)
    _check_uses(tree, cut)
    outer = [node for node in cut if node.parent is None or not inside(node.parent, cut)]
    return without_nodes(tree, outer, extra=lost_imports(tree, set(outer)))


def _classes(tree: Tree, found: list[Found], kept: Found, methods: set[Node]) -> set[Node]:
    """Other classes that hold tests, where nothing that stays names them."""
    needed = needed_classes(tree, kept)
    holding = {
        node for each in found for node in (each.owner, *each.method.ancestors()) if node.kind in TYPES
    }
    gone = holding - needed
    while True:
        used = _types_named(tree, methods | gone)
        staying = {node for node in gone if name_of(tree, node) in used}
        if not staying:
            return gone
        gone -= staying


def needed_classes(tree: Tree, kept: Found) -> set[Node]:
    """Classes around the kept case, and what they inherit from in this file."""
    named = {name_of(tree, node): node for node in tree.root.walk() if node.kind in TYPES}
    around = (kept.owner, *kept.owner.ancestors(), *kept.method.ancestors())
    stack = [node for node in around if node.kind in TYPES]
    needed: set[Node] = set()
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += [named[each] for each in supertypes(tree, node) if each in named]
    return needed


def _types_named(tree: Tree, gone: set[Node]) -> set[str]:
    """Words that may be types, in what stays; a class's own name at its declaration is none."""
    return {
        tree.text(node)
        for node in walk_outside(tree.root, gone)
        if node.kind in ("type_identifier", "identifier")
        and not (node.field == "name" and node.parent is not None and node.parent.kind in TYPES)
    }


def _check_uses(tree: Tree, cut: set[Node]) -> None:
    """A call by a bare name or on `this` of a method that is gone, where none of that name stays."""
    gone = {name_of(tree, node) for node in cut if node.kind == "method_declaration"}
    for node in walk_outside(tree.root, cut):
        if node.kind == "method_declaration":
            gone.discard(name_of(tree, node))
    for node in walk_outside(tree.root, cut):
        if node.kind == "method_invocation" and _is_own_call(node) and name_of(tree, node) in gone:
            raise CuttingError(f"what stays calls {name_of(tree, node)}, another test", reason="entangled")


def _is_own_call(node: Node) -> bool:
    held = node.get("object")
    return held is None or held.kind == "this"
