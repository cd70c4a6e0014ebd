"""Where in a Python file a slip may be made: what is passed over, and what stands around a node."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchwright.lang.python.tree import Function

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
                each.attr for each in _own(around) if isinstance(each, ast.Attribute)
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
    return {each.id for each in _own(node) if isinstance(each, ast.Name)}


def _own(node: ast.AST) -> Iterator[ast.AST]:
    stack = [node]
    while stack:
        each = stack.pop()
        yield each
        stack.extend(child for child in ast.iter_child_nodes(each) if not isinstance(child, ast.stmt))


def parameters(function: Function) -> list[ast.arg]:
    """Return all parameters of a function."""
    held = function.args
    return [*held.posonlyargs, *held.args, *held.kwonlyargs]


def _below(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, _PASSED_OVER) or _is_told(node):
        return
    unread = {id(child) for name in _UNREAD for child in _children(getattr(node, name, None))}
    if isinstance(node, ast.If | ast.While) and any(isinstance(each, ast.Raise) for each in node.body):
        unread.add(id(node.test))  # the message describes the condition
    for child in ast.iter_child_nodes(node):
        if id(child) not in unread:
            yield child


def _children(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _is_told(node: ast.AST) -> bool:
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
