"""Slips in the statements of a Java or Go file: a forgotten case, a lost update, steps in the wrong order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from benchwright.lang.line_edits import LineEditor, Span
from benchwright.lang.lines import split_lf
from benchwright.lang.mutations import Edit, TextEdit
from benchwright.lang.tree_slip_context import SlipTree
from benchwright.lang.trees import Node

_SPARE = re.compile(r"(?i)te?mp")
_CASES = ("switch_block_statement_group", "switch_rule", "expression_case", "type_case", "switch_case")


def statement_slips(context: SlipTree) -> Iterator[Edit]:
    """Yield every slip of whole statements that the tree allows, in no order."""
    slips = _Statements(context)
    for node in context.nodes:
        if node.kind in context.grammar.lists:
            yield from slips.block(node)
        elif node.kind == "if_statement":
            yield from slips.branches(node)
        elif node.kind in _CASES:
            yield from slips.case(node)


class _Statements:
    def __init__(self, context: SlipTree) -> None:
        self._context, self._grammar = context, context.grammar
        self._named: dict[int, Counter[str]] = {}
        self._editor = LineEditor(split_lf(context.tree.data.decode()), "//")

    def block(self, block: Node) -> Iterator[Edit]:
        """Yield a block's guards and steps removed, and steps swapped."""
        if block.kind == "block" and any(child.kind == "statement_list" for child in block.children):
            return  # the list itself is visited later
        found = list(self._context.statements(block))
        for node in found:
            may_go = node.kind == "if_statement" and self._context.is_guard(node) and node is not found[-1]
            if may_go and not self._leaves_unused(node):
                yield from self._editor.removed("case", _span(node))
            constructs = block.kind == "constructor_body" and self._changed(node)
            may_go = len(found) > 1 and self._is_step(node) and not constructs
            if may_go and not (self._ends_a_loop(node) or self._leaves_unused(node)):
                yield from self._editor.removed("lost", _span(node))
        for one, two in pairwise(found):
            if self._is_step(one) and self._is_step(two) and self._share(one, two):
                yield from self._editor.swapped("order", _span(one), _span(two))

    def branches(self, node: Node) -> Iterator[Edit]:
        """Yield an `else if` with its block removed, or the `else`."""
        body, other = node.get("consequence"), node.get("alternative")
        if body is None or other is None or body.kind != self._grammar.block or self._context.leaves(body):
            return
        if other.kind == "else_clause":  # JavaScript: the keyword and its statement
            other = other.children[-1]
        end = other
        if other.kind == "if_statement":
            inner = other.get("consequence")
            if inner is None or inner.kind != self._grammar.block:
                return
            end = inner
        data = self._context.tree.data
        if data[body.end : other.start].strip() == b"else":
            yield Edit("case", [TextEdit(body.end, end.end, "")])

    def case(self, node: Node) -> Iterator[Edit]:
        """Yield one case of a switch removed, if it has others."""
        beside = node.parent.all(node.kind) if node.parent is not None else []
        if not self._context.text(node).startswith("default") and len(beside) > 2:
            yield from self._editor.removed("case", self._case_span(node))

    def _case_span(self, node: Node) -> Span:
        """End the span at the last statement: some grammars include the line end."""
        last = node
        while (
            last.children
            and last.kind in (*_CASES, *self._grammar.lists)
            and last.kind != self._grammar.block
        ):
            last = last.children[-1]
        return Span(node.start, last.end, node.first_line, last.last_line)

    def _is_step(self, node: Node) -> bool:
        if node.kind not in self._grammar.steps or not all(map(self._context.may_change, node.children)):
            return False
        return not self._context.is_told(node) and self._context.may_change(node)

    def _leaves_unused(self, node: Node) -> bool:
        """Return whether removing a statement leaves a local name declared and unused, which gives the mutant
        away."""
        function = self._context.place(node).function
        if function is None:
            return False
        if id(function) not in self._named:
            self._named[id(function)] = Counter(self._names(function))
        everywhere, here = self._named[id(function)], Counter(self._names(node))
        local = self._context.bound(function)
        return any(name in local and everywhere[name] - count < 2 for name, count in here.items())

    def _names(self, node: Node) -> Iterator[str]:
        """Yield local names, without members of the same name."""
        found = (each for each in node.walk() if each.kind == "identifier" and not _is_member(each))
        return map(self._context.text, found)

    def _ends_a_loop(self, node: Node) -> bool:
        return bool(self._context.names(node) & self._context.loop_names(node))

    def _share(self, one: Node, two: Node) -> bool:
        """Return whether the order of two steps may matter; an exchange through a temporary name is
        excluded."""
        first, second = self._context.names(one), self._context.names(two)
        if any(_SPARE.match(name) for name in first | second):
            return False
        return bool(self._changed(one) & second or self._changed(two) & first)

    def _changed(self, node: Node) -> set[str]:
        """Return the names that a step assigns to, or whose method it calls."""
        first = node.children[0] if node.kind == "expression_statement" else node
        target = first.get("left") or first.get("object") or first.get("operand")
        if target is None and first.kind == "call_expression":
            target = first.get("function")
        if target is None and first.kind in ("update_expression", "inc_statement", "dec_statement"):
            target = first
        return self._context.names(target) if target is not None else set()


def _span(node: Node) -> Span:
    return Span(node.start, node.end, node.first_line, node.last_line)


def _is_member(node: Node) -> bool:
    return node.field == "field" or (
        node.field == "name" and node.parent is not None and node.parent.kind == "method_invocation"
    )
