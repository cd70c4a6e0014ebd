"""Comparisons that an object cannot pass by claiming to be equal to everything.

An object whose class defines `__eq__` in Python is asked about other values too, in random order: values
of the same type as the right one, and objects that nothing equals. Who says yes to one of them is no
value at all. Classes that compare honestly with numbers or texts say no, and nothing changes for them.
"""

from __future__ import annotations

import functools
import operator
import random
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

_RANDOM = random.SystemRandom()
_EXACT = frozenset({int, float, str, bytes, bool, type(None), complex})
_PAIRS = frozenset({list, tuple, dict, set, frozenset})
_BUDGET, _DEPTH, _SHOWN = 10_000, 50, 120
_SLOT = type(int.__eq__)  # a method written in C for a type's slot: it cannot lie on its own
_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "in": lambda item, container: item in container,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_METHODS = {"<": ("__lt__", "__gt__"), ">": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__")}
_METHODS[">="] = _METHODS["<="]

_forged: list[str] = []
_last: list[tuple[str, Any, Any]] = []
_own: set[int] = set()


class Forged(AssertionError):
    """A comparison was passed by an object that equals what it cannot equal."""


def trust(code: CodeType) -> None:
    """Code of the test module itself may define what equals what, such as a matcher for any text."""
    _own.add(id(code))
    for each in code.co_consts:
        if isinstance(each, CodeType):
            trust(each)


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
    result = _OPS[sign](left, right)
    if result is False:
        _last[:] = [(sign, left, right)]
    elif type(left) not in _EXACT or type(right) not in _EXACT:
        _refuse(_doubt(sign, left, right))
    return result


def _doubt(sign: str, left: Any, right: Any) -> str:
    if sign == "==":
        return _forged_equal(left, right)
    if sign == "in":
        return _forged_member(left, right)
    if any(_in_python(each, name) for each in (left, right) for name in _METHODS[sign]):
        both = _says_yes(_OPS[sign], left, right) and _says_yes(_OPS[_CONTRARY[sign]], left, right)
        return f"an object is both {sign} and {_CONTRARY[sign]}" if both else ""
    return ""


def _refuse(doubt: str) -> None:
    if doubt:
        _forged.append(doubt)
        raise Forged(doubt)


def _forged_equal(left: Any, right: Any) -> str:
    for one, other in _leaves(left, right):
        for item, value in ((one, other), (other, one)):
            if type(item) not in _EXACT and _in_python(item, "__eq__") and _equals_others(item, value):
                return f"an object of class {type(item).__name__} equals everything"
    return ""


def _leaves(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs inside two containers that are not made of plain values alone, up to a number."""
    waiting, left_over = [(left, right, 0)], _BUDGET
    while waiting and left_over:
        one, other, depth = waiting.pop()
        left_over -= 1
        if type(one) is type(other) and type(one) in _PAIRS and depth < _DEPTH:
            waiting += [(*pair, depth + 1) for pair in _paired(one, other)]
        elif type(one) not in _EXACT or type(other) not in _EXACT:
            yield one, other


def _paired(one: Any, other: Any) -> list[tuple[Any, Any]]:
    if _EXACT.issuperset(map(type, one)) and type(one) is not dict and _EXACT.issuperset(map(type, other)):
        return []
    if type(one) in (list, tuple):
        return list(zip(one, other, strict=False))
    strange = [(key, None) for each in (one, other) for key in each if type(key) not in _EXACT]
    if type(one) is dict:
        strange += [(value, other[key]) for key, value in one.items() if type(key) in _EXACT and key in other]
    return strange


def _forged_member(item: Any, container: Any) -> str:
    if _in_python(container, "__contains__"):
        probes = [object(), *_others(item)]
        if any(_says_yes(operator.contains, container, probe) for probe in probes):
            return f"a container of class {type(container).__name__} contains everything"
    elements = list(container)[:_BUDGET] if type(container) in _PAIRS else []
    for one, other in ((item, None), *((element, item) for element in elements)):
        if doubt := _forged_equal(one, other):
            return doubt
    return ""


def _in_python(item: Any, name: str) -> bool:
    """Whether a method of an object's class may be code under test; what the test file defines is not."""
    for kind in type.__dict__["__mro__"].__get__(type(item)):
        method = type.__dict__["__dict__"].__get__(kind).get(name)
        if method is not None:
            return type(method) is not _SLOT and id(getattr(method, "__code__", None)) not in _own
    return False


def _equals_others(item: Any, value: Any) -> bool:
    probes = [object(), _RANDOM.getrandbits(80), f"{_RANDOM.getrandbits(80):x}", *_others(value)]
    _RANDOM.shuffle(probes)
    return any(_says_yes(operator.eq, item, probe) for probe in probes)


def _says_yes(ask: Callable[[Any, Any], Any], item: Any, probe: Any) -> bool:
    try:
        return bool(ask(item, probe))
    except Exception:  # noqa: BLE001 (a comparison that fails does not say yes)
        return False


def _others(value: Any) -> list[Any]:
    """Values of the same type that nothing takes for the given one."""
    kind, number = type(value), _RANDOM.randrange(10**3, 10**6)
    if kind is bool:
        return [not value]
    if kind in (int, float, complex):
        # A large float swallows the number that is added to it.
        return [each for each in (value + number, value - number, kind(number)) if each != value]
    if kind in (str, bytes):
        other = f"{number:x}"
        return [value + (other if kind is str else other.encode())]
    if kind in (list, tuple):
        return [kind([*value, number])]
    if kind in (set, frozenset):
        return [kind({*value, f"{number:x}"})]
    return [{**value, f"{number:x}": number}] if kind is dict else []


def watch_unittest(case: type) -> None:
    """Have the assert methods of unittest look twice, as the asserts of a rewritten module do."""
    for name in ("Equal", "ListEqual", "TupleEqual", "DictEqual", "SetEqual", "SequenceEqual"):
        _double(case, f"assert{name}", "==")
    for name in ("MultiLineEqual", "AlmostEqual", "CountEqual"):
        _double(case, f"assert{name}", "==")
    for name, sign in (("Less", "<"), ("LessEqual", "<="), ("Greater", ">"), ("GreaterEqual", ">=")):
        _double(case, f"assert{name}", sign)
    _double(case, "assertIn", "in")


def _double(case: type, name: str, sign: str) -> None:
    method = getattr(case, name)

    @functools.wraps(method)
    def asked_twice(self: Any, first: Any, second: Any, *rest: Any, **options: Any) -> None:
        method(self, first, second, *rest, **options)
        if type(first) not in _EXACT or type(second) not in _EXACT:
            _refuse(_doubt(sign, first, second))

    setattr(case, name, asked_twice)
