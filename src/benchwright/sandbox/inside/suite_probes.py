"""Tests the `__eq__` and `__contains__` of an object before its result is accepted.

A forged equality must not be able to recognise the comparison that counts. So it is first asked about other
values, near and far, in random order with the true value among them; then the test's own comparison follows.
An object that accepts every value, the first value, small numbers, or constants of the test file is detected.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from types import CodeType
from typing import Any

from .suite_leaves import Leaf

_RANDOM = random.SystemRandom()
_SLOT = type(int.__eq__)  # a method written in C for a type's slot
# Classes whose slots compare by themselves or delegate only to values that `suite_leaves` finds. Others, such
# as a proxy, may delegate to any object.
_HONEST = frozenset(
    {
        *(object, type, int, float, complex, str, bytes, bytearray, range, memoryview, type(None)),
        *(list, tuple, dict, set, frozenset, Decimal, date, datetime, time, timedelta, timezone),
    }
)
_CONSTANTS = 200

_own: set[int] = set()
_numbers: set[int] = set()  # constants of the test file
_tolerant: set[type] = set()


def trust(code: CodeType) -> None:
    """Trust code of the test module: it may define equality, such as a matcher for any text."""
    _own.add(id(code))
    for each in code.co_consts:
        if isinstance(each, CodeType):
            trust(each)
        elif type(each) is int and len(_numbers) < _CONSTANTS:
            _numbers.add(each)


def tolerate(kinds: set[type]) -> None:
    """Allow objects of these classes to equal nearby values, as the test requests."""
    _tolerant.update(kinds)


def is_doubtful(item: Any, name: str) -> bool:
    """Return whether a method of an object's class may be, or call, code under test. Methods that the test
    file defines are not."""
    for kind in type.__dict__["__mro__"].__get__(type(item)):
        method = type.__dict__["__dict__"].__get__(kind).get(name)
        if method is not None:
            if type(method) is _SLOT:
                return kind not in _HONEST
            return id(getattr(method, "__code__", None)) not in _own
    return False


def find_forgery(leaf: Leaf, *, negated: bool, swapped: bool) -> str:
    """Return why the equality of one of two compared values (the second if `swapped`) is forged."""
    item, value = (leaf.other, leaf.one) if swapped else leaf[:2]
    question = operator.ne if negated else operator.eq

    def ask(probe: Any) -> bool | None:
        return _answer(question, *((probe, item) if swapped else (item, probe)), negated)

    probes = _probes(value, near=type(item) not in _tolerant)
    repeated = [value] * (_RANDOM.randint(1, 3) if leaf.certain else 0)
    order = _RANDOM.sample(range(1, len(probes) + len(repeated)), len(repeated))
    questions = list(probes)
    for place in sorted(order):
        questions.insert(place, value)
    answers = [(probe is value, ask(probe)) for probe in questions]
    if any(answer for is_value, answer in answers if not is_value):
        return f"an object of class {type(item).__name__} equals everything"
    if any(answer is False for is_value, answer in answers if is_value):
        return f"an object of class {type(item).__name__} equals a value at one time and not at another"
    return ""


def contains_everything(container: Any, item: Any) -> bool:
    """Return whether a container claims to contain unique values, or all values far from an item. A long one
    may contain some of these and nearby values."""
    if any(is_true(operator.contains, container, probe) for probe in _nowhere()):
        return True
    far = [probe for _ in range(3) for probe in _far(item)]
    return bool(far) and all(is_true(operator.contains, container, probe) for probe in far)


def is_true(ask: Callable[[Any, Any], Any], item: Any, probe: Any) -> bool:
    """Return whether a comparison returns true; a comparison that raises does not."""
    return _answer(ask, item, probe, negated=False) is True


def _answer(ask: Callable[[Any, Any], Any], one: Any, other: Any, negated: bool) -> bool | None:
    try:
        return bool(ask(one, other)) is not negated
    except Exception:  # noqa: BLE001 (an exception is neither true nor false)
        return None


def _nowhere() -> list[Any]:
    """Return values that equal no value of a test."""
    return [object(), _RANDOM.getrandbits(80), f"{_RANDOM.getrandbits(80):x}"]


def _probes(value: Any, *, near: bool) -> list[Any]:
    """Return values different from the given one, in random order and number."""
    probes = [*_nowhere()[: _RANDOM.randint(1, 3)], *_far(value)]
    if near:
        probes += _near(value)
    _RANDOM.shuffle(probes)
    return probes


def _far(value: Any) -> list[Any]:
    kind, number = type(value), _RANDOM.randrange(10**3, 10**6)
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


def _near(value: Any) -> list[Any]:
    """Return values near a value: a class that equals all small numbers equals these too."""
    kind = type(value)
    if kind is bool:
        return [not value]
    if kind in (int, float, complex):
        known = _RANDOM.sample(sorted(_numbers), min(3, len(_numbers))) if kind is int else []
        return [each for each in (value + 1, value - 1, value + 2, kind(0), -value, *known) if each != value]
    if kind in (str, bytes, set, frozenset):
        return [kind()] if value else []
    if kind in (list, tuple, dict) and value:
        return [kind(), *_changed(value)]
    return []


def _changed(value: Any) -> list[Any]:
    """Return the container with one plain element changed, to detect a forged equality in another element."""
    keys = list(value) if type(value) is dict else range(len(value))
    places = [key for key in keys if (others := _far(value[key])) and type(others[0]) is type(value[key])]
    if not places:
        return []
    place = _RANDOM.choice(places)
    copied = dict(value) if type(value) is dict else list(value)
    copied[place] = _far(value[place])[0]
    return [tuple(copied) if type(value) is tuple else copied]
