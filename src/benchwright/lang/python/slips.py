"""Mutation operators for Python that look like a programmer's slip, in expressions and in statements.

Unlike mutants that measure how much tests notice, they leave no mark of a machine: nothing is wrapped,
nothing becomes None, and messages and guards still fit. The kinds are those of `lang.tree_slips`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from benchwright.lang.lines import split
from benchwright.lang.python.mutations import OperatorText, PythonText
from benchwright.lang.python.slip_context import SlipContext, is_guard, names_in, neighbours, parameters
from benchwright.lang.python.tree import Function, blocks, bound_names
from benchwright.lang.python.words import FAMILIES
from benchwright.lang.text_edits import ARITHMETIC, BOUNDARY, NEGATED, Edit, LineEditor, Span, TextEdit
from benchwright.lang.vocabulary import opposites

_WORDS = {"in": "not in", "not in": "in", "is": "is not", "is not": "is"}
_LOGIC = {"and": "or", "or": "and"}
_SMALL = 20  # integers up to this are counts and positions; larger ones have a special meaning
_SIGNS = {"+": "-", "-": "+"}
_OTHERS = {"//": "/", "<<": ">>", ">>": "<<", "&": "|"}
_POSITIONS = frozenset(("i", "j", "k", "n", "idx", "index", "pos", "start", "end"))
_COUNTING = ("range", "enumerate", "islice")
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript)
_ORDERLESS = frozenset(
    (
        *("min", "max", "gcd", "lcm", "hypot", "isclose", "isinstance", "issubclass", "getattr", "setattr"),
        *("hasattr", "print", "zip", "open", "super", "map", "filter", "reduce", "sorted", "join", "minimum"),
        *("maximum", "format", "Union", "Optional", "cast"),
    )
)


def python_slips(module: ast.Module, code: str) -> Iterator[Edit]:
    """Yield every slip that the tree allows, in no order."""
    context = SlipContext(module)
    slips = _Slips(code, context)
    for node in context.nodes:
        for change in _CHANGES.get(type(node), ()):
            yield from change(slips, node)
    for name, others in neighbours(context):
        yield from (Edit("name", [slips.place(name, other)]) for other in others)
    yield from statement_slips(context, slips)


class _Slips(OperatorText):
    """The text, and the slips at one node of its tree."""

    def __init__(self, code: str, context: SlipContext) -> None:
        super().__init__(code)
        self._context = context
        self._members = {each.attr for each in context.nodes if isinstance(each, ast.Attribute)}
        self._functions = {
            each.name for each in context.nodes if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        }

    def comparisons(self, node: ast.Compare) -> Iterator[Edit]:
        if any(_is_none(each) for each in (node.left, *node.comparators)):
            return
        inline = isinstance(self._context.parents.get(id(node)), ast.IfExp | ast.While)
        guarded = inline or self._context.guard(node) is not None
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            yield from self.operators("boundary", left, right, BOUNDARY)
            if not guarded:
                yield from self.operators("compare", left, right, NEGATED | _WORDS)

    def logic(self, node: ast.BoolOp) -> Iterator[Edit]:
        """Change the word between two conditions, or remove one condition."""
        ends = [self.span(each) for each in node.values]
        between = b"".join(self.data[one[1] : two[0]] for one, two in pairwise(ends))
        if b"(" not in between and b")" not in between:
            yield Edit("condition", [TextEdit(ends[0][0], ends[1][0], "")])
            yield from (Edit("condition", [TextEdit(one[1], two[1], "")]) for one, two in pairwise(ends))
        if len(node.values) == 2 and not self._leans(*node.values):
            yield from self.operators("logic", node.values[0], node.values[1], _LOGIC)

    def _leans(self, first: ast.expr, second: ast.expr) -> bool:
        """Return whether the second condition is only valid if the first holds."""
        bare = first.operand if isinstance(first, ast.UnaryOp) else first
        tested = isinstance(bare, ast.Name | ast.Attribute | ast.Call) or (
            isinstance(bare, ast.Compare) and any(map(_is_none, (bare.left, *bare.comparators)))
        )
        tested = tested or any(isinstance(each, ast.Subscript) for each in ast.walk(second))
        return tested and bool(names_in(first) & names_in(second))

    def constant(self, node: ast.Constant) -> Iterator[Edit]:
        value, above = node.value, self._context.parents.get(id(node))
        if isinstance(value, bool):
            if isinstance(above, ast.keyword | ast.Assign):
                yield Edit("boolean", [self.place(node, str(not value))])
        elif isinstance(value, int) and value <= _SMALL and self._counts(node, above):
            signed = isinstance(above, ast.BinOp | ast.UnaryOp)
            steps = (1,) if value == 0 or (value == 1 and signed) else (1, -1)
            if self.text(node) == str(value):
                yield from (Edit("bound", [self.place(node, str(value + step))]) for step in steps)

    def _counts(self, node: ast.Constant, above: ast.AST | None) -> bool:
        """Return whether a number is a position, a bound or a first value, so that it can be off by one."""
        match above:
            case ast.UnaryOp(op=ast.USub()):
                outer = self._context.parents.get(id(above))
                counts = node.value != 0 and isinstance(outer, ast.Subscript | ast.Slice)
            case ast.Subscript(slice=value) | ast.Assign(value=value):
                counts = value is node
            case ast.Call(func=ast.Name(id=name)):
                counts = name in _COUNTING
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
                counts = node.value != 0 and not (_is_text(left) or _is_text(right))
            case _:
                counts = isinstance(above, ast.Slice | ast.Compare)
        return counts

    def arithmetic(self, node: ast.BinOp) -> Iterator[Edit]:
        if isinstance(node.op, ast.Add | ast.Sub) and _is_number(node.right) and not _is_text(node.left):
            yield from self.operators("operator", node.left, node.right, _SIGNS)
            if node.right.value == 1 and not self._is_bracketed(node):  # type: ignore[attr-defined]
                yield Edit("bound", [TextEdit(self.span(node.left)[1], self.span(node.right)[1], "")])
        elif not isinstance(node.op, ast.Add | ast.Mod | ast.Mult | ast.Pow):
            yield from self.operators("operator", node.left, node.right, _OTHERS)
            yield from self._turned("order", [node.left, node.right])

    def _is_bracketed(self, node: ast.BinOp) -> bool:
        return b")" in self.data[self.span(node.left)[1] : self.span(node.right)[0]]

    def updated(self, node: ast.AugAssign) -> Iterator[Edit]:
        """Change the sign of an update, or lose the old value."""
        table = {old: new for old, new in ARITHMETIC.items() if old in _SIGNS}
        if not isinstance(node.value, ast.Constant) or isinstance(node.value.value, int):
            looped = any(
                isinstance(each, ast.While) and names_in(each.test) & names_in(node.target)
                for each in self._context.above(node)
            )
            if _is_number(node.value) and not looped:
                yield from self.operators("operator", node.target, node.value, table)
            found = self.operator(node.target, node.value)
            if found is not None and not looped and self.text(node.target) != "self":
                start = found[0]
                yield Edit("lost", [TextEdit(start, start + len(found[1].encode()), "")])

    def call(self, node: ast.Call) -> Iterator[Edit]:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if isinstance(function, ast.Attribute):
            yield from self._member(function, FAMILIES.get(name, ()))
        elif isinstance(function, ast.Name):
            others = dict.fromkeys([*FAMILIES.get(name, ()), *opposites(name, self._functions)])
            yield from (
                Edit("family", [self.place(function, other)])
                for other in others
                if other in _KNOWN_FUNCTIONS or other in self._functions
            )
        if name not in _ORDERLESS and not any(isinstance(each, ast.Starred) for each in node.args):
            for at in range(len(node.args) - 1):
                yield from self._turned("arguments", node.args[at : at + 2])
        if name in _COUNTING and node.args and not node.keywords:
            yield from self._range(node)

    def _range(self, node: ast.Call) -> Iterator[Edit]:
        stop = node.args[0] if len(node.args) == 1 else node.args[1]
        if isinstance(stop, ast.Name | ast.Call | ast.Attribute):
            end = self.span(stop)[1]
            yield from (Edit("bound", [TextEdit(end, end, change)]) for change in (" - 1", " + 1"))

    def member(self, node: ast.Attribute) -> Iterator[Edit]:
        yield from self._member(node, ())

    def _member(self, node: ast.Attribute, more: tuple[str, ...]) -> Iterator[Edit]:
        end = self.span(node)[1]
        others = dict.fromkeys([*more, *(opposites(node.attr, self._members) if not more else ())])
        there = self._context.members_beside(node)
        for other in others:
            if other not in there:
                yield Edit("family", [TextEdit(end - len(node.attr.encode()), end, other)])

    def slices(self, node: ast.Slice) -> Iterator[Edit]:
        if isinstance(node.upper, ast.Name | ast.Attribute):
            end = self.span(node.upper)[1]
            yield from (Edit("bound", [TextEdit(end, end, change)]) for change in (" - 1", " + 1"))

    def index(self, node: ast.Subscript) -> Iterator[Edit]:
        if isinstance(node.slice, ast.Name) and node.slice.id in _POSITIONS:
            end = self.span(node.slice)[1]
            yield from (Edit("bound", [TextEdit(end, end, change)]) for change in (" - 1", " + 1"))

    def returned(self, node: ast.Return) -> Iterator[Edit]:
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
            yield from self._turned("order", list(node.value.elts))

    def _turned(self, kind: str, two: list[ast.expr]) -> Iterator[Edit]:
        """Yield two simple expressions in the other order."""
        if not all(isinstance(each, _PLAIN) for each in two):
            return
        texts = [self.text(each) for each in two]
        if texts[0] != texts[1]:
            yield Edit(kind, [self.place(two[0], texts[1]), self.place(two[1], texts[0])])


_KNOWN_FUNCTIONS = frozenset(("min", "max", "any", "all"))
_CHANGES: dict[type[ast.AST], tuple[Callable[[_Slips, Any], Iterator[Edit]], ...]] = {
    ast.Compare: (_Slips.comparisons,),
    ast.BoolOp: (_Slips.logic,),
    ast.Constant: (_Slips.constant,),
    ast.BinOp: (_Slips.arithmetic,),
    ast.AugAssign: (_Slips.updated,),
    ast.Call: (_Slips.call,),
    ast.Attribute: (_Slips.member,),
    ast.Slice: (_Slips.slices,),
    ast.Subscript: (_Slips.index,),
    ast.Return: (_Slips.returned,),
}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_number(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


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
        self._bound_names, self._uses = (
            set[str](),
            Counter[str](),
        )  # names of the function, and how often they are read
        self._editor = LineEditor(split(text.data.decode()), "#")

    def function(self, function: Function) -> Iterator[Edit]:
        """Yield the slips in a function."""
        given = {each.arg for each in parameters(function)}
        self._bound_names, self._uses = given | _stored_names(function), _loads(function)
        yield from self.block(function.body, given)

    def _leaves_unused(self, node: ast.stmt) -> bool:
        """Return whether removing a statement leaves a name of the function unused, which gives the mutant
        away."""
        return any(
            name in self._bound_names and self._uses[name] == count for name, count in _loads(node).items()
        )

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
            known |= _stored_names(node)

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
        new = _stored_names(one) - known
        if new & names_in(two) or not (_touched(one) & names_in(two) or _touched(two) & names_in(one)):
            return
        yield from self._editor.swapped("order", self._span(one), self._span(two))

    def _span(self, node: ast.stmt) -> Span:
        return Span(*self._text.span(node), node.lineno, node.end_lineno or node.lineno)


def _stored_names(node: ast.stmt) -> set[str]:
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
