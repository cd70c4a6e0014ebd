"""Reads where the interpreter keeps functions and names, without touching what they refer to.

To compare three thousand references by Python takes 0.3 ms, and counts a reference to each object on the
way, which in a fork copies the page that the object lies on. Their places in memory, read as one text,
take a tenth. A place that looks otherwise than CPython has laid it out from 3.11 to 3.13 is not read.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from types import FunctionType, MappingProxyType
from typing import Any

_WORD = ctypes.sizeof(ctypes.c_void_p)
_KEYS = 4  # the word of a dict after its count, type, length and version: where its table is
BoundSnapshot = tuple[Any, list[str], list[Any]]  # a namespace, names in it, what they are bound to
_APART = 3  # words between the values of neighbours in a table, at most: a key, a hash


class Memory:
    """Some words of memory, and what they were. `left`: names whose places could not be found."""

    def __init__(self, bound: Iterable[BoundSnapshot], functions: Iterable[FunctionType]) -> None:
        self.left: list[BoundSnapshot] = []
        tables, places = list[int](), list[tuple[int, int]]()
        for each in bound:
            found = _values(*each)
            if found:
                tables.append(id(_dict_of(each[0])) + _KEYS * _WORD)
                places += found
            else:
                self.left.append(each)
        self._tables = [_view(place, 1) for place in tables]
        self._places = [_view(*place) for place in (*places, *_of_functions(functions))]
        self._known = self._read()

    def _read(self) -> tuple[bytes, bytes]:
        """Where the tables are, and what is at the places."""
        return b"".join(self._tables), b"".join(self._places)

    def is_same(self) -> bool:
        """Whether nothing has changed. Of a table that has grown, so lies elsewhere now, no place is read."""
        tables, places = self._known
        return b"".join(self._tables) == tables and b"".join(self._places) == places


def is_known() -> bool:
    """Whether this interpreter keeps functions and dictionaries as is told here."""
    usual = sys.implementation.name == "cpython" and "t" not in sys.abiflags and sys.version_info < (3, 14)
    return usual and bool(_function_words()) and bool(_values({"a": _UniqueValue}, ["a"], [_UniqueValue]))


class _UniqueValue:
    """A value that is nothing else's."""


def _view(address: int, words: int) -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * (words * _WORD)).from_address(address)


def _words(address: int, count: int) -> list[int]:
    return list((ctypes.c_size_t * count).from_address(address))


def _dict_of(space: Any) -> Any:
    """The dictionary itself, where a class shows only a view of it."""
    return gc.get_referents(space)[0] if isinstance(space, MappingProxyType) else space


def _values(space: Any, names: list[str], values: list[Any]) -> list[tuple[int, int]]:
    """Runs of words (address, length) that hold the values of these names; none where they are not found."""
    table = _dict_of(space)
    count = (table.__sizeof__() - dict.__basicsize__) // _WORD  # none of a table that is shared
    if type(table) is not dict or count <= 0:
        return []
    start = _words(id(table), _KEYS + 1)[_KEYS]
    words, wanted = _words(start, count), dict(zip(names, map(id, values), strict=True))
    keys = {id(key): wanted[key] for key in table if key in wanted}
    found = [at + 1 for at, word in enumerate(words[:-1]) if keys.get(word) == words[at + 1]]
    return list(_runs(start, found)) if len(found) == len(wanted) else []


def _runs(start: int, found: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbours are read as one: between them are keys and hashes, which stay as long as the values."""
    first = last = found[0]
    for at in [*found[1:], sys.maxsize]:
        if at - last > _APART:
            yield start + first * _WORD, last - first + 1
            first = at
        last = at


def _of_functions(functions: Iterable[FunctionType]) -> Iterator[tuple[int, int]]:
    first, last = _function_words()
    return ((id(each) + first * _WORD, last - first + 1) for each in functions)


@cache
def _function_words() -> tuple[int, ...]:
    """The words of a function that hold its code and its defaults; none where they are not neighbours."""

    def odd(one: object = _UniqueValue) -> None:
        """Has defaults that are nothing else's."""

    words = _words(id(odd), FunctionType.__basicsize__ // _WORD)
    try:
        at = sorted((words.index(id(odd.__code__)), words.index(id(odd.__defaults__))))
    except ValueError:
        return ()
    return tuple(at) if at[1] - at[0] < _APART else ()
