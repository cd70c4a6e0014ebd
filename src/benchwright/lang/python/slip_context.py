"""Where a Python slip may be made, and which names it may confuse."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from benchwright.lang.python.tree import Function
from benchwright.lang.vocabulary import opposites

_PASSED_OVER = (
    *(ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
    *(ast.Pass, ast.Break, ast.Continue),
)
_UNREAD = ("annotation", "returns", "decorator_list", "type_params")
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class SlipContext:
    """The nodes of a module that a slip may change, with their parents."""

    def __init__(self, module: ast.Module) -> None:
        self.parents: dict[int, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self._names: dict[int, set[str]] = {}
        self._members: dict[int, set[str]] = {}
        stack: list[ast.AST] = [module]
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            below = list(_below(node))
            for child in below:
                self.parents[id(child)] = node
            stack.extend(reversed(below))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parent, its parent, and so on."""
        at = self.parents.get(id(node))
        while at is not None:
            yield at
            at = self.parents.get(id(at))

    def statement(self, node: ast.AST) -> ast.AST:
        """Return the statement that a node is part of."""
        return next((each for each in (node, *self.above(node)) if isinstance(each, ast.stmt)), node)

    def names_beside(self, node: ast.AST) -> set[str]:
        """Return the names in the statement that a node is part of."""
        around = self.statement(node)
        if id(around) not in self._names:
            self._names[id(around)] = names_in(around)
        return self._names[id(around)]

    def members_beside(self, node: ast.AST) -> set[str]:
        """Return the member names in the statement that a node is part of."""
        around = self.statement(node)
        if id(around) not in self._members:
            self._members[id(around)] = {
                each.attr for each in _own_nodes(around) if isinstance(each, ast.Attribute)
            }
        return self._members[id(around)]

    def guard(self, node: ast.AST) -> ast.If | None:
        """Return the `if` without `else` that leaves its block, if a node is in its condition."""
        below: ast.AST = node
        for each in self.above(node):
            if isinstance(each, ast.If):
                return each if below is each.test and is_guard(each) else None
            if isinstance(each, ast.stmt):
                return None
            below = each
        return None


def is_guard(node: ast.If) -> bool:
    """Return whether an `if` always leaves its block and has no other branch."""
    return not node.orelse and isinstance(node.body[-1], _LEAVING)


def names_in(node: ast.AST) -> set[str]:
    """Return the names of a statement or expression, without those of inner blocks."""
    return {each.id for each in _own_nodes(node) if isinstance(each, ast.Name)}


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    stack = [node]
    while stack:
        each = stack.pop()
        yield each
        stack.extend(child for child in ast.iter_child_nodes(each) if not isinstance(child, ast.stmt))


def parameters(function: Function) -> list[ast.arg]:
    """Return all parameters of a function."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _below(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, _PASSED_OVER) or _is_docstring_or_log(node):
        return
    unread = {id(child) for name in _UNREAD for child in _children(getattr(node, name, None))}
    if isinstance(node, ast.If | ast.While) and any(isinstance(each, ast.Raise) for each in node.body):
        unread.add(id(node.test))  # the message describes the condition
    for child in ast.iter_child_nodes(node):
        if id(child) not in unread:
            yield child


def _children(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _is_docstring_or_log(node: ast.AST) -> bool:
    """Return whether a statement is a docstring, or prints or logs."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return True
    called = node.value.func if isinstance(node.value, ast.Call) else None
    if isinstance(called, ast.Name):
        return called.id in ("print", "warn", "super")
    return isinstance(called, ast.Attribute) and called.attr in (
        *("debug", "info", "warning", "warn", "error", "exception", "log", "critical", "__init__"),
    )


_BindingLines = dict[str, int]  # names, and the line from which each has a value
_MAX_ALTERNATIVES = 3  # alternatives per name
_LONGEST = 30  # characters of a string that can be confused


def neighbours(context: SlipContext) -> Iterator[tuple[ast.expr, list[str]]]:
    """Yield each use of a name or constant with the texts that a slip may put in its place."""
    for function in context.nodes:
        if isinstance(function, Function):
            inside = list(_own_names(function))
            yield from _names(function, inside, context)
            yield from _constants(inside, context)


def _own_names(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function in the text's order, without inner functions and classes."""
    stack: list[ast.AST] = list(reversed(function.body))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))


def _names(
    function: Function, inside: list[ast.AST], context: SlipContext
) -> Iterator[tuple[ast.expr, list[str]]]:
    bound = _binding_lines(function, inside)
    alike = _alike(function, inside, bound)
    uses = [node for node in inside if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    counts = Counter(node.id for node in uses)
    for node in uses:
        # a name that is never used would give the mutant away
        if counts[node.id] > 1 and id(node) in context.parents:
            excluded = context.names_beside(node)
            others = [
                other
                for other in sorted(alike.get(node.id, ()))[:_MAX_ALTERNATIVES]
                if bound[other] < node.lineno and other not in excluded
            ]
            if others:
                yield node, others


def _binding_lines(function: Function, inside: list[ast.AST]) -> _BindingLines:
    found = {each.arg: 0 for each in parameters(function) if each.arg not in ("self", "cls")}
    for node in inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, node.lineno)
    return found


def _alike(function: Function, inside: list[ast.AST], bound: _BindingLines) -> dict[str, set[str]]:
    """Map each name to those of the same kind, if the text shows it."""
    found: dict[str, set[str]] = {}
    for one, other in (*_by_type(function), *_together(inside)):
        if one != other and one in bound and other in bound:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    for name in bound:
        found.setdefault(name, set()).update(opposites(name, bound))
    return found


def _by_type(function: Function) -> Iterator[tuple[str, str]]:
    """Yield parameters of one annotation, each with the next."""
    by_type: dict[str, list[str]] = {}
    for each in parameters(function):
        if each.annotation is not None:
            by_type.setdefault(ast.dump(each.annotation), []).append(each.arg)
    for names in by_type.values():
        yield from pairwise(names)


def _together(inside: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield names that are bound together, compared, added, or given the same kind of first value."""
    given: dict[str, str] = {}
    for node in inside:
        match node:
            case ast.Tuple(ctx=ast.Store(), elts=parts):
                yield from pairwise(
                    [each.id for each in parts if isinstance(each, ast.Name) and each.id != "_"]
                )
            case ast.Compare(
                left=ast.Name(id=one),
                ops=[ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()],
                comparators=[ast.Name(id=other)],
            ):
                yield one, other
            case ast.BinOp(left=ast.Name(id=one), op=ast.Add() | ast.Sub(), right=ast.Name(id=other)):
                yield one, other
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if kind := _kind(value):
                if kind in given:
                    yield given[kind], name
                given[kind] = name


def _kind(value: ast.expr) -> str:
    if isinstance(value, ast.Constant) and value.value is not None:
        return type(value.value).__name__
    if isinstance(value, ast.List | ast.Dict | ast.Set):
        return type(value).__name__
    called = value.func if isinstance(value, ast.Call) else None
    return called.id if isinstance(called, ast.Name) else ""


def _constants(inside: list[ast.AST], context: SlipContext) -> Iterator[tuple[ast.expr, list[str]]]:
    """Yield each constant with its own meaning, and the next one in the function."""
    by_kind: dict[str, list[ast.Constant]] = {}
    for node in inside:
        if isinstance(node, ast.Constant) and id(node) in context.parents and (kind := _meaning(node)):
            by_kind.setdefault(kind, []).append(node)
    for nodes in by_kind.values():
        for one, other in pairwise(nodes):
            if one.value != other.value and context.statement(one) is not context.statement(other):
                yield from ((here, [repr(there.value)]) for here, there in ((one, other), (other, one)))


def _meaning(node: ast.Constant) -> str:
    value = node.value
    if isinstance(value, str) and 0 < len(value) <= _LONGEST and "\n" not in value:
        return "word" if value.isidentifier() else f"text {len(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 20:
        return type(value).__name__
    return ""
