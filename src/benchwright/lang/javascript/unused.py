"""What in a JavaScript test file only the tests cut out of it used: imports, helpers and data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchwright.lang.trees import Node, Tree, stands_alone, walk_outside

_DECLARATIONS = ("function_declaration", "generator_function_declaration", "class_declaration")
_LISTS = ("lexical_declaration", "variable_declaration")
_USES = ("identifier", "shorthand_property_identifier")
_BOUND = ("identifier", "shorthand_property_identifier_pattern")
_FUNCTION_NODES = ("arrow_function", "function_expression", "generator_function")
_RUNS = ("call_expression", "new_expression", "await_expression", "yield_expression")


def unused_nodes(tree: Tree, cut: set[Node]) -> set[Node]:
    """Return the top-level statements whose names something cut uses and nothing that stays does.

    A variable stays if its value runs code, since that may do more than make a value; `require` may go.
    """
    names = {node: set(_names(tree, node)) for node in tree.root.children if node not in cut}
    removable = {
        node for node, own in names.items() if own and stands_alone(tree, node) and _is_data(tree, node)
    }
    gone: set[Node] = set()
    while True:
        skipped = cut | gone
        staying = Counter(_used(tree, walk_outside(tree.root, skipped)))
        before = set(_used(tree, (each for node in skipped for each in node.walk())))
        lost = {
            node
            for node in removable - gone
            if names[node] & before and _only_here(tree, node, names[node], staying)
        }
        if not lost:
            return gone
        gone |= lost


def _only_here(tree: Tree, node: Node, names: set[str], staying: Counter[str]) -> bool:
    here = Counter(_used(tree, node.walk()))
    return all(staying[name] <= here[name] for name in names)


def _used(tree: Tree, nodes: Iterator[Node]) -> Iterator[str]:
    return (tree.text(node) for node in nodes if node.kind in _USES)


def _names(tree: Tree, node: Node) -> list[str]:
    """Return the names that a top-level statement binds."""
    if node.kind in _DECLARATIONS:
        return [tree.text(node.get("name"))]
    if node.kind == "import_statement":
        clause = node.first("import_clause")
        bound = clause.walk() if clause is not None else ()
        return [tree.text(each) for each in bound if each.kind == "identifier" and _is_local(each)]
    if node.kind not in _LISTS:
        return []
    targets = (declared.get("name") for declared in node.all("variable_declarator"))
    found = (each for target in targets if target is not None for each in target.walk())
    return [tree.text(each) for each in found if each.kind in _BOUND]


def _is_local(name: Node) -> bool:
    """Return whether an imported name is the one that the file uses."""
    specifier = name.parent
    renamed = specifier is not None and specifier.kind == "import_specifier" and specifier.get("alias")
    return not renamed or name.field == "alias"


def _is_data(tree: Tree, node: Node) -> bool:
    """Return whether nothing runs where a statement stands but `require`."""
    if node.kind not in _LISTS:
        return True
    functions = {each for each in node.walk() if each.kind in _FUNCTION_NODES}
    runs = (each for each in walk_outside(node, functions) if each.kind in _RUNS)
    return all(tree.text(each.get("function")) == "require" for each in runs)
