"""Finds the pairs of inner values that an equality of two objects compares.

Containers are read like the interpreter's own equality reads them, through the methods of the built-in base
class and never through overrides; objects of one class through their attributes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice, starmap
from typing import Any, NamedTuple

EXACT = frozenset({int, float, str, bytes, bool, type(None), complex})
_SEQUENCES, _SETS = (list, tuple, deque), (set, frozenset)
_BASES = (*_SEQUENCES, dict, *_SETS)
_PLAIN = frozenset(_BASES)
_BUDGET, _DEPTH, _OBJECTS = 10_000, 50, 200
_MEMBERS = 1000


class Leaf(NamedTuple):
    """Two values, not both plain. `certain`: they must be equal if the outer objects are equal."""

    one: Any
    other: Any
    certain: bool = True


def leaves(left: Any, right: Any, *, certain: bool = True) -> Iterator[Leaf]:
    """Yield pairs of values that are not both plain: both objects and their inner values, up to a limit."""
    waiting, budget, objects = [(Leaf(left, right, certain), 0)], _BUDGET, _OBJECTS
    while waiting and budget:
        leaf, depth = waiting.pop()
        one, other = leaf.one, leaf.other
        budget -= 1
        if one is other or (type(one) in EXACT and type(other) in EXACT) or depth > _DEPTH:
            continue
        base = _base(one, other)
        is_plain = type(one) is type(other) and type(one) in _PLAIN
        if not is_plain:
            yield leaf
        if base is not None:
            certain = leaf.certain and is_plain
            waiting += [
                (each._replace(certain=each.certain and certain), depth + 1)
                for each in _paired(base, one, other)
            ]
        if not is_plain and type(one) is type(other) and objects:
            objects -= 1
            waiting += [(each, depth + 1) for each in _attributes(one, other)]


def elements(container: Any) -> list[Any]:
    """Return the elements of a plain container, up to a limit; others may be iterators and are not read."""
    return list(islice(container, _MEMBERS)) if type(container) in _PLAIN else []


def _base(one: Any, other: Any) -> type | None:
    return next((base for base in _BASES if _is(one, base) and _is(other, base)), None)


def _is(item: Any, base: type) -> bool:
    return base in type.__dict__["__mro__"].__get__(type(item))


def _paired(base: type, one: Any, other: Any) -> list[Leaf]:
    if base is dict:
        return _values(dict(dict.items(one)), dict(dict.items(other)))
    mine, others = list(base.__iter__(one)), list(base.__iter__(other))  # type: ignore[attr-defined]
    if EXACT.issuperset(map(type, mine)) and EXACT.issuperset(map(type, others)):
        return []
    if base in _SEQUENCES:
        return list(starmap(Leaf, zip(mine, others, strict=False)))
    return _strange(mine, others)


def _values(one: dict[Any, Any], other: dict[Any, Any]) -> list[Leaf]:
    same = [Leaf(value, other[key]) for key, value in one.items() if type(key) in EXACT and key in other]
    return [*_strange(one, other), *same]


def _strange(*groups: Iterable[Any]) -> list[Leaf]:
    """Pair keys and members that are not plain with None: their counterparts are unknown."""
    return [Leaf(each, None, False) for group in groups for each in group if type(each) not in EXACT]


def _attributes(one: Any, other: Any) -> list[Leaf]:
    if isinstance(one, type):
        return []
    mine, others = _state(one), _state(other)
    return [Leaf(value, others[name], False) for name, value in mine.items() if name in others]


def _state(item: Any) -> dict[str, Any]:
    """Return the attributes of an object without calling its class."""
    found: dict[str, Any] = {}
    for kind in type.__dict__["__mro__"].__get__(type(item)):
        names = type.__dict__["__dict__"].__get__(kind).get("__slots__", ())
        for name in names if type(names) in (list, tuple) else ():
            if (value := _read(item, name, found)) is not found:
                found[name] = value
    own = _read(item, "__dict__", None)
    return {**found, **own} if type(own) is dict and all(type(name) is str for name in own) else found


def _read(item: Any, name: Any, absent: Any) -> Any:
    try:
        return object.__getattribute__(item, name)
    except Exception:  # noqa: BLE001 (an empty slot, or an attribute that raises)
        return absent
