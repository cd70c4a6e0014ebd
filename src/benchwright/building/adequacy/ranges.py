"""Value ranges: the values of a parameter in the tests, and whether another value is similar."""

from __future__ import annotations

from math import isnan
from typing import Any

_SEQUENCES = (list, tuple, set, frozenset)


class Range:
    """The types of some values, and for each type the least and the greatest value or length.

    >>> shown = Range()
    >>> shown.learn([3, 5])
    >>> shown.holds([4, 4]), shown.holds([4, -4]), shown.holds(["4", "4"])
    (True, False, False)
    """

    def __init__(self) -> None:
        self._bounds: dict[type, tuple[Any, Any]] = {}
        self._classes: set[str] = set()  # of the characters of texts
        self._inner: dict[type, Range] = {}  # of the items of sequences, of the keys of dicts
        self._values: Range | None = None  # of the values of dicts

    def learn(self, value: Any) -> None:
        """Extend the range by a value."""
        kind, size = _kind(value), _size(value)
        low, high = self._bounds.get(kind, (size, size))
        self._bounds[kind] = (min(low, size), max(high, size))
        if isinstance(value, str):
            self._classes.update(map(_class, value))
        for item in value if isinstance(value, (*_SEQUENCES, dict)) else ():
            self._inner.setdefault(kind, Range()).learn(item)
        if isinstance(value, dict):
            self._values = self._values or Range()
            for item in value.values():
                self._values.learn(item)

    def holds(self, value: Any) -> bool:
        """Whether a value has a known type, and all its parts are within the range."""
        kind, size = _kind(value), _size(value)
        if kind not in self._bounds:
            return False
        low, high = self._bounds[kind]
        if not low <= size <= high:
            return False
        if isinstance(value, str):
            return self._classes.issuperset(map(_class, value))
        items = value if isinstance(value, (*_SEQUENCES, dict)) else ()
        inside = self._inner.get(kind)
        if not all(inside is not None and inside.holds(item) for item in items):
            return False
        values = value.values() if isinstance(value, dict) else ()
        return all(self._values is not None and self._values.holds(item) for item in values)


def _kind(value: Any) -> type:
    return type(value)


def _size(value: Any) -> Any:
    """The bounded quantity: a number itself, or a length; None for NaN, booleans and None."""
    if isinstance(value, bool) or value is None:
        return 0
    if isinstance(value, int | float):
        return 0 if isinstance(value, float) and isnan(value) else value
    return len(value) if hasattr(value, "__len__") else 0


def _class(character: str) -> str:
    """The class of a character: digits and letters by kind, all others as they are."""
    if character.isdigit():
        return "0"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return character
