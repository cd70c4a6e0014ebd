"""Slips in the statements of a Python file: a forgotten case, a lost update, two steps in the wrong order."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from benchwright.lang.line_edits import LineEditor, Span
from benchwright.lang.lines import split
from benchwright.lang.mutations import Edit
from benchwright.lang.python.mutations import PythonText
from benchwright.lang.python.slip_context import SlipContext, is_guard, names_in, parameters
from benchwright.lang.python.tree import Function, blocks, bound_names

_STEPS = (ast.Assign, ast.AugAssign, ast.Expr, ast.Delete)


def statement_slips(context: SlipContext, text: PythonText) -> Iterator[Edit]:
    """Yield every slip of whole statements that the tree allows, in no order."""
    slips = _Statements(text, context)
    for node in context.nodes:
        if isinstance(node, Function):
            yield from slips.function(node)


class _Statements:
    def __init__(self, text: PythonText, context: SlipContext) -> None:
        self._text, self._context = text, context
        self._given, self._uses = (
            set[str](),
            Counter[str](),
        )  # names of the function, and how often they are read
        self._editor = LineEditor(split(text.data.decode()), "#")

    def function(self, function: Function) -> Iterator[Edit]:
        """Yield the slips in a function."""
        given = {each.arg for each in parameters(function)}
        self._given, self._uses = given | _stored(function), _loads(function)
        yield from self.block(function.body, given)

    def _leaves_unused(self, node: ast.stmt) -> bool:
        """Return whether removing a statement leaves a name of the function unused, which gives the mutant
        away."""
        return any(name in self._given and self._uses[name] == count for name, count in _loads(node).items())

    def block(self, block: list[ast.stmt], given: set[str]) -> Iterator[Edit]:
        """Yield the slips in a block and its inner blocks; `given`: names that have a value at its start."""
        known = set(given)
        following: dict[int, ast.stmt] = {id(one): other for one, other in pairwise(block)}
        for node in block:
            if id(node) in self._context.parents or node in block:
                yield from self._forgotten(node, block)
                yield from self._lost(node, block, known)
                if (after := following.get(id(node))) is not None:
                    yield from self._turned(node, after, known)
            if not isinstance(node, Function | ast.ClassDef):
                for inner in blocks(node):
                    yield from self.block(inner, known | set(bound_names(node)))
            known |= _stored(node)

    def _forgotten(self, node: ast.stmt, block: list[ast.stmt]) -> Iterator[Edit]:
        if isinstance(node, ast.If):
            if is_guard(node) and node is not block[-1] and not self._leaves_unused(node):
                yield from self._editor.removed("case", self._span(node))
            yield from self._branches(node)
        elif isinstance(node, ast.Match):
            for case in node.cases[:-1]:
                first = case.pattern.lineno
                start = self._text.data.index(b"case", self._text.starts[first - 1])
                end = self._text.span(case.body[-1])[1]
                yield from self._editor.removed(
                    "case", Span(start, end, first, case.body[-1].end_lineno or first)
                )

    def _branches(self, node: ast.If) -> Iterator[Edit]:
        """Yield an `elif` with its block removed, or the `else`."""
        if not node.orelse or not node.orelse[0].end_lineno:
            return
        other, last = node.orelse[0], node.orelse[-1].end_lineno or 0
        start, end = self._text.span(other)[0], self._text.span(node.orelse[-1])[1]
        if self._text.data[start:].startswith(b"elif") and isinstance(other, ast.If):
            body = other.body[-1]
            yield from self._editor.removed(
                "case", Span(start, self._text.span(body)[1], other.lineno, body.end_lineno or 0)
            )
            return
        if (word := self._text.data.rfind(b"else", self._text.span(node.body[-1])[1], start)) >= 0:
            first = self._text.data.count(b"\n", 0, word) + 1
            yield from self._editor.removed("case", Span(word, end, first, last))

    def _lost(self, node: ast.stmt, block: list[ast.stmt], known: set[str]) -> Iterator[Edit]:
        may_go = len(block) > 1 and isinstance(node, _STEPS) and self._may_go(node, known)
        if may_go and not self._leaves_unused(node):
            yield from self._editor.removed("lost", self._span(node))

    def _may_go(self, node: ast.stmt, known: set[str]) -> bool:
        """Return whether the rest works without a statement: names keep an older value, and loops still
        end."""
        loops = [each for each in self._context.above(node) if isinstance(each, ast.While)]
        if any(names_in(loop.test) & names_in(node) for loop in loops):
            return False
        around = next((each for each in self._context.above(node) if isinstance(each, Function)), None)
        match node:
            case ast.Expr(value=ast.Call()):
                return id(node.value) in self._context.parents
            case ast.Assign(targets=[ast.Name(id=name)]):
                return name in known
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                return around is None or around.name != "__init__"
            case ast.AugAssign() | ast.Delete():
                return True
        return False

    def _turned(self, one: ast.stmt, two: ast.stmt, known: set[str]) -> Iterator[Edit]:
        if not (isinstance(one, _STEPS) and isinstance(two, _STEPS)):
            return
        if not all(
            id(child) in self._context.parents for node in (one, two) for child in ast.iter_child_nodes(node)
        ):
            return  # a docstring, or a print or log
        if any(name.lower().startswith(("temp", "tmp")) for name in names_in(one) | names_in(two)):
            return  # two values exchanged: readers know the order
        new = _stored(one) - known
        if new & names_in(two) or not (_touched(one) & names_in(two) or _touched(two) & names_in(one)):
            return
        yield from self._editor.swapped("order", self._span(one), self._span(two))

    def _span(self, node: ast.stmt) -> Span:
        return Span(*self._text.span(node), node.lineno, node.end_lineno or node.lineno)


def _stored(node: ast.stmt) -> set[str]:
    return {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _touched(node: ast.stmt) -> set[str]:
    """Return the names that a step changes: it assigns to them, or calls their method."""
    match node:
        case ast.Assign(targets=targets):
            return {name for target in targets for name in names_in(target)}
        case ast.AugAssign(target=target):
            return names_in(target)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value))):
            return names_in(value)
    return set()


def _loads(node: ast.AST) -> Counter[str]:
    read = (each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
    return Counter(each.id for each in read)
