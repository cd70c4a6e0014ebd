"""What in a Go test file only the tests cut out of it used, and what no test runs: benchmarks and examples.

A declaration goes when something that is cut names it and nothing that stays does, in code or in a text. A
variable stays where its value is more than data, since a call may do more than make a value.
"""

from __future__ import annotations

import re
from collections import Counter

from benchwright.lang.go.tree import name_of, spec_names
from benchwright.lang.trees import Node, Tree, stands_alone

_DECLARATIONS = (
    "function_declaration",
    "method_declaration",
    "type_declaration",
    "var_declaration",
    "const_declaration",
)
_SPECS = ("type_spec", "type_alias", "var_spec", "const_spec")
_WORDS = ("identifier", "type_identifier", "field_identifier", "package_identifier")
_NEVER_RUN = re.compile(r"(?:Benchmark|Example|Fuzz)(?![a-z])\w*")
_KEPT = frozenset(("init", "main", "TestMain", "_", ""))
_MAKERS = frozenset(("regexp.MustCompile", "errors.New", "big.NewInt", "time.Duration", "make", "new"))
_WORD = re.compile(r"[^\W\d]\w*")


def unused_declarations(tree: Tree, cut: set[Node], kept: Node) -> set[Node]:
    """Return the declarations to remove with the cut ones, without the test `kept`."""
    groups = [node for node in tree.root.all(*_DECLARATIONS) if node not in cut]
    gone = {node for node in groups if _is_never_run(tree, node) and stands_alone(tree, node)}
    words = {node: _words(tree, node) for node in groups}
    names = _all_names(tree, groups)
    before = set[str]().union(*(_words(tree, node) for node in cut), *(words[node] for node in gone))
    staying = Counter(word for node in groups if node not in gone for word in words[node])
    while True:
        own = Counter(name for node in groups if node not in gone for name in names[node] & words[node])
        lost = [
            node
            for node in groups
            if node not in gone
            and node is not kept
            and names[node]
            and not before.isdisjoint(names[node])
            and all(staying[name] <= own[name] for name in names[node])
            and _may_go(tree, node)
        ]
        if not lost:
            return gone
        for node in lost:
            staying.subtract(words[node])
            before |= words[node]
        gone.update(lost)


def _is_never_run(tree: Tree, node: Node) -> bool:
    return node.kind == "function_declaration" and _NEVER_RUN.fullmatch(name_of(tree, node)) is not None


def _may_go(tree: Tree, node: Node) -> bool:
    return _is_data(tree, node) and stands_alone(tree, node)


def _all_names(tree: Tree, groups: list[Node]) -> dict[Node, set[str]]:
    """Map each declaration to its names; none for hooks and for methods of types in other files."""
    found = {node: _declared_names(tree, node) for node in groups}
    declared = {name for node in groups if node.kind != "method_declaration" for name in found[node]}
    return {
        node: names if names <= declared and _KEPT.isdisjoint(names) else set()
        for node, names in found.items()
    }


def _declared_names(tree: Tree, node: Node) -> set[str]:
    """Return the names of a declaration; a method has that of its type, with which it is removed."""
    if node.kind == "function_declaration":
        return {name_of(tree, node)}
    if node.kind == "method_declaration":
        held = node.get("receiver")
        types = [each for each in held.walk() if each.kind == "type_identifier"] if held else []
        return {tree.text(each) for each in types[:1]}
    return {name for each in node.walk() if each.kind in _SPECS for name in spec_names(tree, each)}


def _is_data(tree: Tree, node: Node) -> bool:
    if node.kind != "var_declaration":
        return True
    calls = [each for each in node.walk() if each.kind == "call_expression"]
    inside = any(each.kind == "func_literal" for each in node.walk())
    return inside or all(tree.name(each.get("function")) in _MAKERS for each in calls if each.get("function"))


def _words(tree: Tree, node: Node) -> set[str]:
    """Return the names in a declaration, and the words of its strings."""
    found: set[str] = set()
    for each in node.walk():
        if each.kind in _WORDS:
            found.add(tree.text(each))
        elif each.kind.endswith("string_literal_content") or each.kind == "raw_string_literal":
            found.update(_WORD.findall(tree.text(each)[:2000]))
    return found
