"""What is asked of an object before its yes is believed.

An equality that only seems to be one must not see which question counts. So the others come first and in
random order, near and far ones, with the value itself among them; then comes the test's own question. One
that says yes at a certain time, to the first value that it meets, to each small number or to what stands in
the test file gives itself away.
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
# Whose slots compare by themselves, or hand on only to what `suite_leaves` finds. Others, such as those of a
# proxy, may hand on to whatever they stand for.
_HONEST = frozenset(
    {
        *(object, type, int, float, complex, str, bytes, bytearray, range, memoryview, type(None)),
        *(list, tuple, dict, set, frozenset, Decimal, date, datetime, time, timedelta, timezone),
    }
)
_CONSTANTS = 200

_own: set[int] = set()
_numbers: set[int] = set()  # that stand in the test file
_tolerant: set[type] = set()


def trust(code: CodeType) -> None:
    """Code of the test module itself may define what equals what, such as a matcher for any text."""
    _own.add(id(code))
    for each in code.co_consts:
        if isinstance(each, CodeType):
            trust(each)
        elif type(each) is int and len(_numbers) < _CONSTANTS:
            _numbers.add(each)


def tolerate(kinds: set[type]) -> None:
    """Objects of these classes may equal what is near: a test says so."""
    _tolerant.update(kinds)


def is_doubtful(item: Any, name: str) -> bool:
    """Whether a method of an object's class may be code under test, or lead to some. What the test file
    defines is neither."""
    for kind in type.__dict__["__mro__"].__get__(type(item)):
        method = type.__dict__["__dict__"].__get__(kind).get(name)
        if method is not None:
            if type(method) is _SLOT:
                return kind not in _HONEST
            return id(getattr(method, "__code__", None)) not in _own
    return False


def asked(leaf: Leaf, *, negated: bool, swapped: bool) -> str:
    """What speaks against one of two values that are compared, the first or, `swapped`, the second."""
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
    if any(said for is_value, said in answers if not is_value):
        return f"an object of class {type(item).__name__} equals everything"
    if any(said is False for is_value, said in answers if is_value):
        return f"an object of class {type(item).__name__} equals a value at one time and not at another"
    return ""


def untold(container: Any, item: Any) -> bool:
    """Whether a container says that it contains what nothing does, or all of what is far from an item: a long
    one may well hold some of that, and what is near."""
    if any(says_yes(operator.contains, container, probe) for probe in _nowhere()):
        return True
    far = [probe for _ in range(3) for probe in _far(item)]
    return bool(far) and all(says_yes(operator.contains, container, probe) for probe in far)


def says_yes(ask: Callable[[Any, Any], Any], item: Any, probe: Any) -> bool:
    """Whether the answer is yes; a comparison that fails does not say so."""
    return _answer(ask, item, probe, negated=False) is True


def _answer(ask: Callable[[Any, Any], Any], one: Any, other: Any, negated: bool) -> bool | None:
    try:
        return bool(ask(one, other)) is not negated
    except Exception:  # noqa: BLE001 (no answer is neither yes nor no)
        return None


def _nowhere() -> list[Any]:
    """Values that nothing of a test equals."""
    return [object(), _RANDOM.getrandbits(80), f"{_RANDOM.getrandbits(80):x}"]


def _probes(value: Any, *, near: bool) -> list[Any]:
    """Values that nothing takes for the given one, in random order and number."""
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
    """What is next to a value: a class that equals only small numbers equals these too."""
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
    """The same container with one of its plain elements changed, which shows what hides in another."""
    keys = list(value) if type(value) is dict else range(len(value))
    places = [key for key in keys if (others := _far(value[key])) and type(others[0]) is type(value[key])]
    if not places:
        return []
    place = _RANDOM.choice(places)
    copied = dict(value) if type(value) is dict else list(value)
    copied[place] = _far(value[place])[0]
    return [tuple(copied) if type(value) is tuple else copied]
