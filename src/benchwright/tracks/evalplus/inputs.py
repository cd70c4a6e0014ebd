"""Inputs of MBPP+ as Python values: its functions take tuples, sets and complex numbers, which JSON lacks.

The types are those of MBPP+ v0.2.0 (https://github.com/evalplus/evalplus, evalplus/data/mbpp.py). Each
group below converts the arguments of a call; arguments of other tasks are unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Arguments = list[Any]


def _each(args: Arguments) -> Arguments:
    """Every argument is a tuple."""
    return [tuple(each) for each in args]


def _inside(args: Arguments) -> Arguments:
    """Every argument is a list of tuples."""
    return [[tuple(item) for item in each] for each in args]


def _first_inside(args: Arguments) -> Arguments:
    """The first argument is a list of tuples."""
    return [[tuple(item) for item in args[0]], *args[1:]]


def _first(args: Arguments) -> Arguments:
    """The first argument is a tuple."""
    return [tuple(args[0]), *args[1:]]


def _second(args: Arguments) -> Arguments:
    """The second argument is a tuple."""
    return [args[0], tuple(args[1])]


def _each_inside(args: Arguments) -> Arguments:
    """Every argument is a tuple of tuples."""
    return [tuple(tuple(item) for item in each) for each in args]


def _items(args: Arguments) -> Arguments:
    """The only argument is a tuple, and so are its items that are lists."""
    return [tuple(tuple(item) if isinstance(item, list) else item for item in args[0])]


def _deep(args: Arguments) -> Arguments:
    """Every list, at any depth, is a tuple."""
    return [_tuples(each) for each in args]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _sets(args: Arguments) -> Arguments:
    """The only argument is a list of sets; an empty list, or another value, in it is an empty dict."""
    return [[set(item) if isinstance(item, list) and item else {} for item in args[0]]]


def _float_complex(args: Arguments) -> Arguments:
    return [float(args[0]), complex(args[1])]


def _complex(args: Arguments) -> Arguments:
    return [complex(args[0])]


def _dict_of_tuples(args: Arguments) -> Arguments:
    """The first argument is a dict of tuples."""
    return [{key: tuple(value) for key, value in args[0].items()}, *args[1:]]


_GROUPS: list[tuple[Callable[[Arguments], Arguments], str]] = [
    (_each, "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809"),
    (_inside, "63 64 70 94 120 237 272 299 400 409 417 438 473 614 780"),
    (_first_inside, "75 413 444 753"),
    (_first, "250 307 405 446 617 720 763 808"),
    (_second, "106 750"),
    (_each_inside, "259 401 445"),
    (_items, "278"),
    (_deep, "580 615 791"),
    (_sets, "115"),
    (_float_complex, "124"),
    (_complex, "252"),
    (_dict_of_tuples, "722"),
]
_BY_TASK = {f"Mbpp/{number}": made for made, numbers in _GROUPS for number in numbers.split()}


def typed(task_id: object, args: Arguments) -> tuple[Any, ...]:
    """Typed arguments of a call. Raises ValueError, TypeError or LookupError for invalid arguments."""
    made = _BY_TASK.get(str(task_id))
    return tuple(args if made is None else made(args))
