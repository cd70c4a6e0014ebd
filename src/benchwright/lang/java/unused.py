"""What in a Java test file only the tests cut out of it used: helper methods, fields, and classes.

A member goes when something that is cut names it and nothing that stays does, in code or in a text. What
carries an annotation stays, since a runner may look for it, and so does a field whose value comes of a call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from benchwright.lang.java.tree import TYPES, members, name_of, top_types
from benchwright.lang.trees import Node, Tree, stands_alone, walk_outside

_NAME_NODES = ("identifier", "type_identifier")
_MEMBERS = ("method_declaration", "field_declaration", *TYPES)
_TEXTS = ("string_literal", "string_fragment", "text_block")
_PLAIN_MARKS = frozenset(["SuppressWarnings", "Override", "SafeVarargs", "Nullable", "NonNull"])
_WORD = re.compile(r"[^\W\d]\w*")


def unused_members(tree: Tree, cut: set[Node], needed: set[Node], kept: Node) -> set[Node]:
    """Return the members to remove with `cut`. `needed`: the classes around the test `kept`."""
    units = [node for node in _units(tree, needed) if node not in cut and node is not kept]
    units = [node for node in units if _may_go(tree, node)]
    words = {node: Counter(_words_in(tree, node, cut)) for node in units}
    before = {word for node in cut for word in _words_in(tree, node, set())}
    staying = Counter(_words_in(tree, tree.root, cut))
    gone: set[Node] = set()
    while True:
        lost = [
            node
            for node in units
            if node not in gone
            and (names := _names(tree, node))
            and not before.isdisjoint(names)
            and all(staying[name] <= words[node][name] for name in names)
        ]
        if not lost:
            return gone
        for node in lost:
            staying.subtract(words[node])
            before.update(words[node])
        gone.update(lost)


def _units(tree: Tree, needed: set[Node]) -> Iterator[Node]:
    """Yield whole types that the test is not in, and the members of those that it is in."""
    yield from (node for node in top_types(tree) if node not in needed)
    for declared in needed:
        yield from (node for node in members(declared) if node.kind in _MEMBERS and node not in needed)


def _may_go(tree: Tree, node: Node) -> bool:
    held = node.first("modifiers")
    marks = held.all("marker_annotation", "annotation") if held else []
    plain = all(tree.name(each.get("name")).rpartition(".")[2] in _PLAIN_MARKS for each in marks)
    calls = node.kind == "field_declaration" and any(each.kind == "method_invocation" for each in node.walk())
    return plain and not calls and stands_alone(tree, node)


def _names(tree: Tree, node: Node) -> set[str]:
    """Return the names of a member; a field may have several."""
    if node.kind == "field_declaration":
        return {name_of(tree, each) for each in node.all("variable_declarator")}
    return {name_of(tree, node)} - {"main", ""}


def _words_in(tree: Tree, root: Node, skipped: set[Node]) -> Iterator[str]:
    """Return used names, and the words of strings, without names at their declarations."""
    for node in walk_outside(root, skipped):
        if node.kind in _NAME_NODES:
            above = node.parent.kind if node.parent and node.field == "name" else ""
            if above not in (*_MEMBERS, "variable_declarator"):
                yield tree.text(node)
        elif node.kind in _TEXTS:
            yield from _WORD.findall(tree.text(node)[:2000])
