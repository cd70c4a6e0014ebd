"""Equivalent mutants of Python source, which no test can notice.

Two kinds are detected from the text: `abs` of an expression that is never negative, or is made positive at
once; and the first two arguments swapped in a call whose result does not depend on their order. Sets and NaN
are ignored, as `min` of them says little either way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchwright.lang.python.tree import all_nodes

_NEVER_NEGATIVE = frozenset({"len", "abs", "ord"})
_SYMMETRIC = frozenset({"min", "max"})
_SYMMETRIC_OF_MATH = frozenset({"gcd", "lcm", "hypot", "isclose"})
_SYMMETRIC_OF_ARRAYS = frozenset({"minimum", "maximum", "fmin", "fmax", "hypot", "logaddexp"})
_ARRAYS = frozenset({"np", "numpy", "torch"})
_PASSES = 2  # scans of all bindings: a name may depend on one that is bound further down

_TargetValues = tuple[ast.expr, tuple[ast.expr, ...]]  # a target and its value


class _Binding(NamedTuple):
    """The values bound to a name: it is never below 0 if none of them is; None for a value that is not
    analysed."""

    name: str
    values: tuple[ast.expr, ...] | None


def idle_changes(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Return each equivalent change as its kind, "abs" or "arguments", and the expression at its start."""
    nodes = all_nodes(module)
    bound = list(_bindings(nodes))
    own = {each.name for each in bound}
    known = _never_negative_names(bound)
    for node in nodes:
        if isinstance(node, ast.Name | ast.Subscript) and _is_never_negative(node, known):
            yield "abs", node
        elif isinstance(node, ast.Call) and not node.keywords:
            yield from _of_call(node, own)
        elif isinstance(node, ast.BinOp) and _is_even_power(node):
            yield "abs", node.left


def _of_call(node: ast.Call, own: set[str]) -> Iterator[tuple[str, ast.expr]]:
    if len(node.args) > 1 and _is_symmetric(node.func, own):
        yield "arguments", node.args[0]
    if isinstance(node.func, ast.Name) and node.func.id == "abs" and "abs" not in own and node.args:
        yield "abs", node.args[0]


def _is_symmetric(function: ast.expr, own: set[str]) -> bool:
    match function:
        case ast.Name(id=name):
            return name in _SYMMETRIC and name not in own
        case ast.Attribute(value=ast.Name(id="math"), attr=name):
            return name in _SYMMETRIC_OF_MATH
        case ast.Attribute(value=ast.Name(id=library), attr=name):
            return library in _ARRAYS and name in _SYMMETRIC_OF_ARRAYS
    return False


def _is_even_power(node: ast.BinOp) -> bool:
    power = node.right.value if isinstance(node.right, ast.Constant) else None
    return isinstance(node.op, ast.Pow) and isinstance(power, int) and power % 2 == 0


def _never_negative_names(bound: Sequence[_Binding]) -> frozenset[str]:
    """Return names that are never bound to a value below 0 in the module."""
    known: frozenset[str] = frozenset()
    for _ in range(_PASSES):
        doubtful = {
            name
            for name, values in bound
            if values is None or not all(_is_never_negative(each, known) for each in values)
        }
        known = frozenset(each.name for each in bound) - doubtful
    return known


def _is_never_negative(value: ast.expr, known: frozenset[str]) -> bool:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case ast.Constant(value=int() | float() as number) if number >= 0:
                pass
            case ast.Name(id=name) if name in known:
                pass
            case ast.Call(func=ast.Name(id=name)) if name in _NEVER_NEGATIVE:
                pass
            case ast.BinOp(left, ast.Add() | ast.Mult() | ast.Div() | ast.FloorDiv(), right):
                waiting += [left, right]
            case ast.BinOp(_, ast.Mod(), right):
                waiting.append(right)  # a remainder has the sign of the divisor
            case ast.IfExp(body=body, orelse=orelse):
                waiting += [body, orelse]
            case _:
                return False
    return True


def _bindings(nodes: Sequence[ast.AST]) -> Iterator[_Binding]:
    """Return every binding of every name, those that can be analysed first."""
    analysed: set[int] = set()
    for node in nodes:
        for target, values in _bound_values(node):
            if isinstance(target, ast.Name):
                analysed.add(id(target))
                yield _Binding(target.id, values)
    yield from (_Binding(name, None) for name in _bound_otherwise(nodes, analysed))


def _bound_values(node: ast.AST) -> Iterator[_TargetValues]:
    """Return what a statement binds, if it can be analysed."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, (value,)) for target in targets)
        case ast.AugAssign(target=target, op=ast.Add() | ast.Mult(), value=value):
            yield target, (value,)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            yield target, (value,)
        case ast.For(target=target, iter=ast.Call() as loop):
            yield from _counters(target, loop)
        case ast.comprehension(target=target, iter=ast.Call() as loop):
            yield from _counters(target, loop)


def _counters(target: ast.expr, loop: ast.Call) -> Iterator[_TargetValues]:
    """Return the counter of a loop over `range` or `enumerate`, and its first value."""
    if (
        not isinstance(loop.func, ast.Name)
        or loop.keywords
        or any(isinstance(a, ast.Starred) for a in loop.args)
    ):
        return
    if loop.func.id == "enumerate" and isinstance(target, ast.Tuple) and target.elts:
        yield target.elts[0], tuple(loop.args[1:])
    elif loop.func.id == "range" and len(loop.args) < 3:
        yield target, tuple(loop.args[:1]) if len(loop.args) == 2 else ()


def _bound_otherwise(nodes: Sequence[ast.AST], analysed: set[int]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if id(node) not in analysed:
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
