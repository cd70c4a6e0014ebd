"""Comparisons that an object cannot pass by claiming to equal everything.

If the comparison of an object may run code under test, the object is first compared with other values
(`suite_probes`) in random order. An object that equals one of them, or whose result for the same value
changes, is rejected. Honest classes do not equal these values, so their results do not change.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from .suite_leaves import EXACT, elements, leaves
from .suite_probes import contains_everything, find_forgery, is_doubtful, is_true, trust

__all__ = ["Forged", "compared", "explained", "forged", "trust", "watch_unittest"]

_MAX_SHOWN = 120
_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "in": lambda item, container: item in container,
    "not in": lambda item, container: item not in container,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NEGATED = ("!=", "not in")  # negations of the other operators
_CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_METHODS = {"<": ("__lt__", "__gt__"), ">": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__")}
_METHODS[">="] = _METHODS["<="]

_forged: list[str] = []
_last: list[tuple[str, Any, Any]] = []


class Forged(AssertionError):
    """An object passed a comparison although its equality is forged."""


def forged() -> str:
    """Return the forgeries detected since the last call."""
    found = "; ".join(_forged)
    _forged.clear()
    _last.clear()
    return found


def explained() -> str:
    """Describe the last comparison that was false."""
    if not _last:
        return "false"
    sign, left, right = _last.pop()
    return f"{_short(left)} {sign} {_short(right)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def compared(sign: str, left: Any, right: Any) -> Any:
    """Return the value of a comparison in a test. Raises Forged."""
    plain = type(left) in EXACT and type(right) in EXACT
    doubt = "" if plain else _doubt(sign, left, right)
    result = _OPS[sign](left, right)
    if result is False:
        _last[:] = [(sign, left, right)]
    if not plain and result is not (sign in _NEGATED):
        _reject(doubt or _late_doubt(sign, left, right))
    return result


def _doubt(sign: str, left: Any, right: Any, *, certain: bool = True) -> str:
    """Return why a true result would be rejected; determined before the comparison. `certain`: a true result
    means equal elements."""
    if sign in ("==", "!="):
        return _forged_equal(sign, left, right, certain=certain)
    if sign in ("in", "not in"):
        return _forged_member(left, right)
    if _is_ordered(sign, left, right):
        contrary = _CONTRARY[sign]
        both = is_true(_OPS[contrary], left, right) and is_true(_OPS[sign], left, right)
        return f"an object is both {sign} and {contrary}" if both else ""
    return ""


def _late_doubt(sign: str, left: Any, right: Any) -> str:
    """Return why a true result is rejected after the comparison. Orders: compare again in both directions.
    Iterated containers: check only now, since some can be read only once."""
    if _is_ordered(sign, left, right) and (
        not is_true(_OPS[sign], left, right) or is_true(_OPS[_CONTRARY[sign]], left, right)
    ):
        return f"an object is {sign} another and is not"
    if sign in ("in", "not in") and is_doubtful(right, "__iter__") and contains_everything(right, left):
        return f"a container of class {type(right).__name__} contains everything"
    return ""


def _is_ordered(sign: str, left: Any, right: Any) -> bool:
    """Return whether code under test may decide the order of the two."""
    return any(is_doubtful(each, name) for each in (left, right) for name in _METHODS.get(sign, ()))


def _reject(doubt: str) -> None:
    if doubt:
        _forged.append(doubt)
        raise Forged(doubt)


def _forged_equal(sign: str, left: Any, right: Any, *, certain: bool) -> str:
    for leaf in leaves(left, right, certain=certain):
        negated = sign == "!=" and leaf.one is left and leaf.other is right  # inner values are compared by ==
        names = ("__eq__", "__ne__") if negated else ("__eq__",)
        for swapped, item in enumerate(leaf[:2]):
            doubtful = type(item) not in EXACT and any(map(partial(is_doubtful, item), names))
            if doubtful and (doubt := find_forgery(leaf, negated=negated, swapped=bool(swapped))):
                return doubt
    return ""


def _forged_member(item: Any, container: Any) -> str:
    if is_doubtful(container, "__contains__") and contains_everything(container, item):
        return f"a container of class {type(container).__name__} contains everything"
    for one, other in ((item, None), *((element, item) for element in elements(container))):
        if doubt := _forged_equal("==", one, other, certain=False):
            return doubt
    return ""


def watch_unittest(case: type) -> None:
    """Make the assert methods of unittest check for forgery, like the asserts of a rewritten module."""
    for name in ("Equal", "ListEqual", "TupleEqual", "DictEqual", "SetEqual", "MultiLineEqual"):
        _double(case, f"assert{name}", "==")
    for name in ("SequenceEqual", "AlmostEqual", "CountEqual"):
        _double(case, f"assert{name}", "==", certain=False)
    for name, sign in (("Less", "<"), ("LessEqual", "<="), ("Greater", ">"), ("GreaterEqual", ">=")):
        _double(case, f"assert{name}", sign)
    _double(case, "assertIn", "in")


def _double(case: type, name: str, sign: str, *, certain: bool = True) -> None:
    method = getattr(case, name)

    @wraps(method)
    def checked(self: Any, first: Any, second: Any, *rest: Any, **options: Any) -> None:
        plain = type(first) in EXACT and type(second) in EXACT
        doubt = "" if plain else _doubt(sign, first, second, certain=certain)
        method(self, first, second, *rest, **options)
        if not plain:
            _reject(doubt or _late_doubt(sign, first, second))

    setattr(case, name, checked)
