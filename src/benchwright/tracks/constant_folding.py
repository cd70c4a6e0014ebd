"""Evaluate constant Python expressions, and calls in loops over constants, without executing code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

MAX_WEIGHT = 100_000
MAX_BITS = 4096
_NUMBERS = (int, float, complex)
_SEQUENCES = (str, bytes, list, tuple)
_TEXTS, _COLLECTIONS = (str, bytes), (list, tuple, set, frozenset)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_KINDS: dict[type[ast.expr], Callable[[list[Any]], Any]] = {ast.List: list, ast.Tuple: tuple, ast.Set: set}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class NotConstant(ValueError):
    """The expression cannot be evaluated as a constant; the message names the cause."""


def fold(node: ast.expr) -> Any:
    """Evaluate a constant expression. Raises only NotConstant."""
    try:
        return _value(node)
    except RecursionError:
        raise NotConstant("an expression nested too deeply") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise error if isinstance(error, NotConstant) else NotConstant(str(error)) from None


def weight(value: Any, limit: int = MAX_WEIGHT) -> int:
    """Written size of a value in items and characters, counted up to just over `limit`.

    Shared parts count each time that they occur, as they do in the written value.
    """
    total, stack = 0, [value]
    while stack and total <= limit:
        item = stack.pop()
        total += 1
        if isinstance(item, int):
            total += item.bit_length() // 3
        elif isinstance(item, _TEXTS):
            total += len(item)
        elif isinstance(item, _COLLECTIONS):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(chain(item, item.values()))
    return total


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, _DISPLAYS):
        return _check_weight(_KINDS[type(node)]([_value(item) for item in node.elts]))
    if isinstance(node, ast.Dict):
        return _check_weight(
            {_key(key): _value(item) for key, item in zip(node.keys, node.values, strict=True)}
        )
    if isinstance(node, ast.UnaryOp):
        return _unary(node)
    if isinstance(node, ast.BinOp):
        return _binary(node)
    if _is_empty_set(node):
        return set()
    raise NotConstant(describe(node))


def _key(node: ast.expr | None) -> Any:
    if node is None:
        raise NotConstant("`**` in a dict")
    return _value(node)


def _unary(node: ast.UnaryOp) -> Any:
    value = _value(node.operand)
    if isinstance(node.op, ast.UAdd | ast.USub) and _is_number(value):
        return -value if isinstance(node.op, ast.USub) else +value
    raise NotConstant(f"operator in `{_text(node)}`")


def _binary(node: ast.BinOp) -> Any:
    left, right = _value(node.left), _value(node.right)
    apply = _BINARY.get(type(node.op))
    if apply is None or not _may_apply(node.op, left, right):
        raise NotConstant(f"operator in `{_text(node)}`")
    return _check_weight(apply(left, right))


def _may_apply(op: ast.operator, left: Any, right: Any) -> bool:
    """Whether an operator can be applied cheaply to these values; checked before it is applied."""
    if _is_number(left) and _is_number(right):
        return not isinstance(op, ast.Pow) or _small_power(left, right)
    if isinstance(op, ast.Add):
        return type(left) is type(right) and isinstance(left, _SEQUENCES)
    if isinstance(op, ast.Mult):
        sequence, times = (right, left) if isinstance(right, _SEQUENCES) else (left, right)
        fits = type(times) is int and times <= MAX_WEIGHT
        return fits and isinstance(sequence, _SEQUENCES) and weight(sequence) * max(times, 1) <= MAX_WEIGHT
    return False


def _small_power(base: Any, exponent: Any) -> bool:
    if not (isinstance(base, int) and isinstance(exponent, int)):
        return True
    return base.bit_length() * abs(exponent) <= MAX_BITS


def _check_weight(value: Any) -> Any:
    if weight(value) > MAX_WEIGHT:
        raise NotConstant(f"a value of more than {MAX_WEIGHT:,} items")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def _is_empty_set(node: ast.expr) -> bool:
    """Whether a node is `set()`, the only notation of an empty set; `ast.literal_eval` accepts it too."""
    is_set_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "set"
    return is_set_call and isinstance(node, ast.Call) and not node.args and not node.keywords


def describe(node: ast.AST) -> str:
    """Short description of an expression for a message."""
    if isinstance(node, ast.Name):
        return f"name `{node.id}`"
    if isinstance(node, ast.Call):
        return f"call `{_text(node)}`"
    return f"{type(node).__name__} `{_text(node)}`"


def _text(node: ast.AST, limit: int = 60) -> str:
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):  # too deep, or an integer too long to print
        return "…"
    return text if len(text) <= limit else text[: limit - 1] + "…"


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
    remaining = most
    for loop in ast.walk(tree):
        if not isinstance(loop, ast.For):
            continue
        calls = [node for each in loop.body for node in ast.walk(each) if _is_call(node, names)]
        expected = [_compared_expression(loop, call) for call in calls]
        for item in (_items(loop.iter, lists) or [])[:remaining] if calls else []:
            remaining -= 1
            bound = dict(_bound(loop.target, item))
            for call, value in zip(calls, expected, strict=True):
                with suppress(NotConstant):
                    yield _arguments(call, bound)._replace(expected=_value_or_unknown(value, bound))


def _is_call(node: ast.AST, names: frozenset[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _compared_expression(loop: ast.For, call: ast.AST) -> ast.expr | None:
    """The expression that a call is compared with: `call == this`, or `assertion(call, this)`."""
    for node in (inner for each in loop.body for inner in ast.walk(each)):
        if isinstance(node, ast.Call) and len(node.args) > 1 and node.args[0] is call:
            return node.args[1]
        if isinstance(node, ast.Compare) and node.left is call and isinstance(node.ops[0], ast.Eq):
            return node.comparators[0]
    return None


def _value_or_unknown(node: ast.expr | None, bound: Mapping[str, Any]) -> Any:
    try:
        return UNKNOWN if node is None else _bound_value(node, bound)
    except NotConstant:
        return UNKNOWN


def _lists(tree: ast.Module) -> dict[str, ast.expr]:
    """Expressions by name, for names that are assigned once."""
    found: dict[str, ast.expr] = {}
    repeated: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            repeated |= {name} & found.keys()
            found[name] = node.value
    return {name: value for name, value in found.items() if name not in repeated}


def _items(node: ast.expr, lists: Mapping[str, ast.expr]) -> list[Any] | None:
    """Items that a loop iterates over; None if unknown. An item that is not a constant is `UNKNOWN`."""
    if isinstance(node, ast.Name):
        return _items(lists[node.id], {}) if node.id in lists else None
    if isinstance(node, ast.List | ast.Tuple):
        return [_fold_or_unknown(each) for each in node.elts]
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return None
    parts = [_items(each, lists) for each in node.args]
    if node.func.id == "enumerate":
        return None if parts[0] is None else [*enumerate(parts[0])]
    return _zip_items(parts) if node.func.id == "zip" else None


def _zip_items(parts: Sequence[list[Any] | None]) -> list[Any] | None:
    known = [each for each in parts if each is not None]
    if not known:
        return None
    count = min(map(len, known))
    return [*zip(*([UNKNOWN] * count if each is None else each[:count] for each in parts), strict=True)]


def _fold_or_unknown(node: ast.expr) -> Any:
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
