"""Evaluate constant expressions in test code within limits, without executing the code.

Test authors write `3 * 5 * 7`, `[0] * 5` or `"ab" + "cd"` instead of literals. Operators are applied to
plain values only, and the size of every result is limited: `10 ** 10 ** 10` and `[[[0] * 9999] * 9999] *
9999` are short but huge.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from itertools import chain
from typing import Any

MAX_WEIGHT = 100_000
MAX_BITS = 4096
_NUMBERS = (int, float, complex)
_SEQUENCES = (str, bytes, list, tuple)
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
        if isinstance(item, str | bytes):
            total += len(item)
        elif isinstance(item, int):
            total += item.bit_length() // 3
        elif isinstance(item, dict):
            stack.extend(chain(item, item.values()))
        elif isinstance(item, list | tuple | set | frozenset):
            stack.extend(item)
    return total


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
        return _bounded(kind(_value(item) for item in node.elts))
    if isinstance(node, ast.Dict):
        return _bounded({_key(key): _value(item) for key, item in zip(node.keys, node.values, strict=True)})
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
    return _bounded(apply(left, right))


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


def _bounded(value: Any) -> Any:
    if weight(value) > MAX_WEIGHT:
        raise NotConstant(f"a value of more than {MAX_WEIGHT:,} items")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)


def _is_empty_set(node: ast.expr) -> bool:
    """Whether a node is `set()`, the only notation of an empty set; `ast.literal_eval` accepts it too."""
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "set"
    return named and isinstance(node, ast.Call) and not node.args and not node.keywords


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
