"""Node kinds of tree-sitter's grammars that set variables, by language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from benchwright.lang.codebleu.marked_trees import MarkedNode


def by_fields(node: MarkedNode) -> tuple[MarkedNode | None, MarkedNode | None]:
    """Name and value of a declaration."""
    return node.get("name"), node.get("value")


def by_places(node: MarkedNode) -> tuple[MarkedNode | None, MarkedNode | None]:
    """Name and value of a declaration in C#: its two children, or a name alone."""
    first = node.children[0]
    return first, node.children[1] if len(node.children) == 2 else None


class FlowRules(NamedTuple):
    """Kinds of nodes by what they do to variables."""

    declarations: frozenset[str]
    assignments: frozenset[str]
    updates: frozenset[str] = frozenset()
    branches: frozenset[str] = frozenset({"if_statement", "else"})
    other_branches: frozenset[str] = frozenset(
        {"if_statement", "else"}
    )  # children that start from the state before
    others_stay: bool = True  # all children after one of the other branches belong to them
    keeps_before: bool = False  # the state before a branch remains possible even with an `else`
    loops: frozenset[str] = frozenset({"for_statement"})
    loop_head: str = ""  # child of a loop after which its children are visited again
    step: str = ""  # field of that child which is visited first
    for_each: frozenset[str] = frozenset()
    each_fields: tuple[str, str] = ("name", "value")
    while_loops: frozenset[str] = frozenset({"while_statement"})
    first: frozenset[str] = frozenset()  # children that are visited before the others
    pairs: bool = False  # assignments to tuples are taken apart
    parts: Callable[[MarkedNode], tuple[MarkedNode | None, MarkedNode | None]] = by_fields


def _kinds(*names: str) -> frozenset[str]:
    return frozenset(names)


RULES: Mapping[str, FlowRules] = {
    "python": FlowRules(
        declarations=_kinds("default_parameter"),
        assignments=_kinds("assignment", "augmented_assignment", "for_in_clause"),
        branches=_kinds("if_statement"),
        other_branches=_kinds("elif_clause", "else_clause"),
        others_stay=False,
        first=_kinds("for_in_clause"),
        pairs=True,
    ),
    "java": FlowRules(
        declarations=_kinds("variable_declarator"),
        assignments=_kinds("assignment_expression"),
        updates=_kinds("update_expression"),
        loop_head="local_variable_declaration",
        for_each=_kinds("enhanced_for_statement"),
    ),
    "csharp": FlowRules(
        declarations=_kinds("variable_declarator"),
        assignments=_kinds("assignment_expression"),
        updates=_kinds("postfix_unary_expression"),
        loop_head="local_variable_declaration",
        for_each=_kinds("for_each_statement"),
        each_fields=("left", "right"),
        parts=by_places,
    ),
    "go": FlowRules(
        declarations=_kinds("var_spec"),
        assignments=_kinds("assignment_statement"),
        updates=_kinds("inc_statement"),
        keeps_before=True,
        loop_head="for_clause",
        step="update",
        while_loops=frozenset(),
    ),
    "js": FlowRules(
        declarations=_kinds("variable_declarator"),
        assignments=_kinds("assignment_pattern", "augmented_assignment_expression"),
        updates=_kinds("update_expression"),
        keeps_before=True,
        loop_head="variable_declaration",
    ),
}
