"""Comparisons that an object cannot pass by claiming to be equal to everything.

Where an object's class may answer by code under test, it is asked about other values too (`suite_probes`),
before the comparison of the test and in random order. Who says yes to one of them, or does not say twice
what it said once, is no value at all. Classes that compare honestly with numbers or texts say no to the
others, and nothing changes for them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from .suite_leaves import EXACT, elements, leaves
from .suite_probes import asked, is_doubtful, says_yes, trust, untold

__all__ = ["Forged", "compared", "explained", "forged", "trust", "watch_unittest"]

_SHOWN = 120
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
_NEGATED = ("!=", "not in")  # what these say no to is what the others say yes to
_CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_METHODS = {"<": ("__lt__", "__gt__"), ">": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__")}
_METHODS[">="] = _METHODS["<="]

_forged: list[str] = []
_last: list[tuple[str, Any, Any]] = []


class Forged(AssertionError):
    """A comparison was passed by an object that equals what it cannot equal."""


def forged() -> str:
    """What was noticed since the last time."""
    found = "; ".join(_forged)
    _forged.clear()
    _last.clear()
    return found


def explained() -> str:
    """The last comparison that was false, for people."""
    if not _last:
        return "false"
    sign, left, right = _last.pop()
    return f"{_short(left)} {sign} {_short(right)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def compared(sign: str, left: Any, right: Any) -> Any:
    """The value of a comparison in a test."""
    plain = type(left) in EXACT and type(right) in EXACT
    doubt = "" if plain else _doubt(sign, left, right)
    result = _OPS[sign](left, right)
    if result is False:
        _last[:] = [(sign, left, right)]
    if not plain and result is not (sign in _NEGATED):
        _refuse(doubt or _late_doubt(sign, left, right))
    return result


def _doubt(sign: str, left: Any, right: Any, *, certain: bool = True) -> str:
    """What speaks against believing a yes, asked before there is one. `certain`: a yes says that the two are
    equal, element by element."""
    if sign in ("==", "!="):
        return _forged_equal(sign, left, right, certain=certain)
    if sign in ("in", "not in"):
        return _forged_member(left, right)
    if _is_ordered(sign, left, right):
        contrary = _CONTRARY[sign]
        both = says_yes(_OPS[contrary], left, right) and says_yes(_OPS[sign], left, right)
        return f"an object is both {sign} and {contrary}" if both else ""
    return ""


def _late_doubt(sign: str, left: Any, right: Any) -> str:
    """Of orders: the contrary once more, for one that says yes to whatever comes at a certain time. Of a
    container that is asked element by element: only now, for it may be read but once."""
    if _is_ordered(sign, left, right) and (
        not says_yes(_OPS[sign], left, right) or says_yes(_OPS[_CONTRARY[sign]], left, right)
    ):
        return f"an object is {sign} another and is not"
    if sign in ("in", "not in") and is_doubtful(right, "__iter__") and untold(right, left):
        return f"a container of class {type(right).__name__} contains everything"
    return ""


def _is_ordered(sign: str, left: Any, right: Any) -> bool:
    """Whether code under test may say which of the two is less."""
    return any(is_doubtful(each, name) for each in (left, right) for name in _METHODS.get(sign, ()))


def _refuse(doubt: str) -> None:
    if doubt:
        _forged.append(doubt)
        raise Forged(doubt)


def _forged_equal(sign: str, left: Any, right: Any, *, certain: bool) -> str:
    for leaf in leaves(left, right, certain=certain):
        negated = sign == "!=" and leaf.one is left and leaf.other is right  # of what is inside `==` decides
        names = ("__eq__", "__ne__") if negated else ("__eq__",)
        for swapped, item in enumerate(leaf[:2]):
            doubtful = type(item) not in EXACT and any(map(partial(is_doubtful, item), names))
            if doubtful and (doubt := asked(leaf, negated=negated, swapped=bool(swapped))):
                return doubt
    return ""


def _forged_member(item: Any, container: Any) -> str:
    if is_doubtful(container, "__contains__") and untold(container, item):
        return f"a container of class {type(container).__name__} contains everything"
    for one, other in ((item, None), *((element, item) for element in elements(container))):
        if doubt := _forged_equal("==", one, other, certain=False):
            return doubt
    return ""


def watch_unittest(case: type) -> None:
    """Have the assert methods of unittest look twice, as the asserts of a rewritten module do."""
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
    def asked_twice(self: Any, first: Any, second: Any, *rest: Any, **options: Any) -> None:
        plain = type(first) in EXACT and type(second) in EXACT
        doubt = "" if plain else _doubt(sign, first, second, certain=certain)
        method(self, first, second, *rest, **options)
        if not plain:
            _refuse(doubt or _late_doubt(sign, first, second))

    setattr(case, name, asked_twice)
