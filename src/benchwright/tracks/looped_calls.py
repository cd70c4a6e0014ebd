"""Read the calls that a test makes in loops over lists of constants, as in EvalPlus's tests:

    inputs = [[1, 2], [3, 4]]
    results = [3, 7]
    for i, (inp, exp) in enumerate(zip(inputs, results)):
        assertion(candidate(*inp), exp, 0)

Nothing is executed. A value that is not a constant is unknown, and so are calls that use it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from benchwright.tracks.fold import NotConstant, fold

MOST = 4000  # maximum of calls read from one program
UNKNOWN = object()  # a value that is not a constant


class LoopedCall(NamedTuple):
    """A call, and the value that the test compares it with; `UNKNOWN` if it is not a constant."""

    args: list[Any]
    kwargs: dict[str, Any]
    expected: Any = UNKNOWN


def looped_calls(tree: ast.Module, names: frozenset[str], *, most: int = MOST) -> Iterator[LoopedCall]:
    """Calls of the named functions in a program's loops, in order."""
    lists = _lists(tree)
    left = most
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For):
            continue
        calls = [node for each in loop.body for node in ast.walk(each) if _is_call(node, names)]
        expected = [_compared(loop, call) for call in calls]
        for item in (_items(loop.iter, lists) or [])[:left] if calls else []:
            left -= 1
            bound = dict(_bound(loop.target, item))
            for call, value in zip(calls, expected, strict=True):
                with suppress(NotConstant):
                    yield _arguments(call, bound)._replace(expected=_known(value, bound))


def _is_call(node: ast.AST, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _compared(loop: ast.For, call: ast.AST) -> ast.expr | None:
    """The expression that a call is compared with: `call == this`, or `assertion(call, this)`."""
    for node in (inner for each in loop.body for inner in ast.walk(each)):
        if isinstance(node, ast.Call) and len(node.args) > 1 and node.args[0] is call:
            return node.args[1]
        if isinstance(node, ast.Compare) and node.left is call and isinstance(node.ops[0], ast.Eq):
            return node.comparators[0]
    return None


def _known(node: ast.expr | None, bound: Mapping[str, Any]) -> Any:
    try:
        return UNKNOWN if node is None else _bound_value(node, bound)
    except NotConstant:
        return UNKNOWN


def _lists(tree: ast.Module) -> dict[str, ast.expr]:
    """Expressions by name, for names that are assigned once."""
    found: dict[str, ast.expr] = {}
    twice: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            twice |= {name} & found.keys()
            found[name] = node.value
    return {name: value for name, value in found.items() if name not in twice}


def _items(node: ast.expr, lists: Mapping[str, ast.expr]) -> list[Any] | None:
    """Items that a loop iterates over; None if unknown. An item that is not a constant is `UNKNOWN`."""
    if isinstance(node, ast.Name):
        return _items(lists[node.id], {}) if node.id in lists else None
    if isinstance(node, ast.List | ast.Tuple):
        return [_folded(each) for each in node.elts]
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return None
    parts = [_items(each, lists) for each in node.args]
    if node.func.id == "enumerate":
        return None if parts[0] is None else [*enumerate(parts[0])]
    return _zipped(parts) if node.func.id == "zip" else None


def _zipped(parts: Sequence[list[Any] | None]) -> list[Any] | None:
    known = [each for each in parts if each is not None]
    if not known:
        return None
    count = min(map(len, known))
    return [*zip(*([UNKNOWN] * count if each is None else each[:count] for each in parts), strict=True)]


def _folded(node: ast.expr) -> Any:
    try:
        return fold(node)
    except NotConstant:
        return UNKNOWN


def _bound(target: ast.expr, item: Any) -> Iterator[tuple[str, Any]]:
    """Variables of a loop with their values for one item; unknown variables are omitted."""
    if item is UNKNOWN:
        return
    if isinstance(target, ast.Name):
        yield target.id, item
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(item, list | tuple):
        for inner, each in zip(target.elts, item, strict=False):
            yield from _bound(inner, each)


def _arguments(call: ast.AST, bound: Mapping[str, Any]) -> LoopedCall:
    assert isinstance(call, ast.Call)
    args: list[Any] = []
    for each in call.args:
        if isinstance(each, ast.Starred):
            args += _sequence(_bound_value(each.value, bound))
        else:
            args.append(_bound_value(each, bound))
    kwargs: dict[str, Any] = {}
    for keyword in call.keywords:
        value = _bound_value(keyword.value, bound)
        kwargs |= {keyword.arg: value} if keyword.arg else _by_name(value)
    return LoopedCall(args, kwargs)


def _bound_value(node: ast.expr, bound: Mapping[str, Any]) -> Any:
    value = bound[node.id] if isinstance(node, ast.Name) and node.id in bound else fold(node)
    if value is UNKNOWN:
        raise NotConstant("a variable of the loop is unknown")
    return value


def _sequence(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise NotConstant("`*` before a value that is not a list")
    return value


def _by_name(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise NotConstant("`**` before a value that is not a dict with string keys")
    return value
