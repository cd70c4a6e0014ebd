"""One field of all records: a list that answers to what examples ask of an array.

An array of texts is of fixed width, four bytes for each character of the longest one: 20,000 records of
2 KB and one of 200 KB take 15.8 GB so. This is a list, and becomes an array where an example asks for what
only an array can do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

_SCALARS = {str, float, int, bool}
_TYPES: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": bool}


class Column(list[Any]):
    """A list with the methods of a one-dimensional array that examples use; `==` compares item by item."""

    __hash__ = None

    @property
    def shape(self) -> tuple[int]:
        """How many items there are, as an array says it."""
        return (len(self),)

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self)

    @property
    def ndim(self) -> int:
        """One dimension."""
        return 1

    def tolist(self) -> list[Any]:
        """A plain list of the items."""
        return list(self)

    def astype(self, kind: Any) -> Column:
        """The items as another type: a name such as "int", or what makes one of a value."""
        make: Callable[[Any], Any] = _TYPES[kind] if isinstance(kind, str) else kind
        return Column(make(item) for item in self)

    def sum(self, *args: Any, **options: Any) -> Any:
        """The sum of the items. What numpy may ask besides is answered by an array, here and below."""
        return sum(self) if _plainly(args, options) else _array(self).sum(*args, **options)

    def mean(self, *args: Any, **options: Any) -> Any:
        """The mean of the items."""
        return sum(self) / len(self) if _plainly(args, options) else _array(self).mean(*args, **options)

    def all(self, *args: Any, **options: Any) -> Any:
        """Whether every item is true."""
        return all(self) if _plainly(args, options) else _array(self).all(*args, **options)

    def any(self, *args: Any, **options: Any) -> Any:
        """Whether some item is true."""
        return any(self) if _plainly(args, options) else _array(self).any(*args, **options)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Column(super().__getitem__(at))
        if hasattr(at, "__len__"):  # numbers, or true and false for each item
            return Column(super(Column, self).__getitem__(number) for number in _numbers(at))
        return super().__getitem__(at)

    def __setitem__(self, at: Any, value: Any) -> None:
        """Put a value; an array of texts keeps the width that it was made with, and cuts what is longer."""
        if isinstance(at, int) and isinstance(value, str) and self:
            width = self.__dict__.setdefault("width", max(map(_width, self)))
            value = value if width == math.inf else value[: int(width) or 1]
        super().__setitem__(at, value)

    def __eq__(self, other: object) -> Any:
        return _paired(self, other, lambda mine, theirs: bool(mine == theirs))

    def __ne__(self, other: object) -> Any:
        return _paired(self, other, lambda mine, theirs: bool(mine != theirs))

    def __getattr__(self, name: str) -> Any:
        """What only an array has: the same of an array with these items. AttributeError without numpy."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_array(self), name)


def column_of(values: Iterable[Any]) -> Column:
    """Values of one field, of one type as in an array: where one is a text all are, and so for fractions.

    An array that holds anything but texts and numbers keeps each value as it is.
    """
    made = Column(values)
    kinds = set(map(type, made))
    if len(kinds) > 1 and kinds <= _SCALARS:
        for kind in (str, float, int):
            if kind in kinds:
                return Column(map(kind, made))
    return made


def _width(item: Any) -> float:
    """How many characters a text has; an array with anything else in it keeps objects of any size."""
    return len(item) if isinstance(item, str) else math.inf


def _plainly(args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether a method is called without anything that changes what it does."""
    return all(each is None for each in (*args, *options.values()))


def _numbers(chosen: Any) -> list[int]:
    picks = list(chosen)
    if picks and all(type(pick).__name__ in ("bool", "bool_") for pick in picks):
        return [number for number, pick in enumerate(picks) if pick]
    return [int(pick) for pick in picks]


def _paired(column: Column, other: object, same: Callable[[Any, Any], bool]) -> Any:
    if isinstance(other, str) or not hasattr(other, "__len__"):
        return Column(same(item, other) for item in column)
    theirs = list(other)  # type: ignore[call-overload]
    if len(theirs) != len(column):
        return NotImplemented
    return Column(same(mine, other) for mine, other in zip(column, theirs, strict=True))


def _array(column: Column) -> Any:
    try:
        import numpy  # noqa: PLC0415 (only an example that has it can ask)
    except ImportError:
        raise AttributeError("the data is a list; converting it to an array requires numpy") from None
    return numpy.array(list(column))


def _arithmetic(name: str) -> Callable[[Column, Any], Any]:
    def method(self: Column, other: Any) -> Any:
        return getattr(_array(self), name)(_array(other) if isinstance(other, Column) else other)

    return method


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "lt", "le", "gt", "ge"):
    setattr(Column, f"__{_name}__", _arithmetic(f"__{_name}__"))  # a list would join, repeat or order itself
