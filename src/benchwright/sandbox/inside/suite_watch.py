"""Detects code under test that has replaced a part of the test runner.

The functions of the runner are recorded before the first fork and compared after the import of the tests and
after each test: first by their memory, then one by one if that differs. The check shares a process with the
code under test, so it makes tampering evident but cannot prevent it.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from operator import attrgetter, is_
from types import FunctionType, ModuleType
from typing import Any

from .suite_memory import BoundSnapshot, Memory, is_known

# Honest tests replace these too and do not restore them.
_FREE = {"input", "print", "open", "breakpoint", "help", "exit", "quit", "_", "__import__"}
_OF_OS = {"write", "_exit", "getpid", "read", "dumps", "loads"}
_CALLS = ("os", "posix", "marshal")
_CODE, _DEFAULTS = attrgetter("__code__"), attrgetter("__defaults__")
_WRAPPED = (staticmethod, classmethod, property)


class FunctionWatch:
    """Records functions: their bindings and their code.

    Everything is compared by identity: a replacement could define `==`.
    """

    def __init__(self, *, modules: Iterable[ModuleType]) -> None:
        self._bound: list[BoundSnapshot] = []
        self._late: list[BoundSnapshot] = []
        self._functions: list[FunctionType] = []
        for module in modules:
            self._add(module.__dict__, {*_OF_OS} & {*module.__dict__} if module.__name__ in _CALLS else None)
            for value in list(module.__dict__.values()):
                if isinstance(value, type) and value.__module__ == module.__name__:
                    self._add(value.__dict__, None)
        self._add(builtins.__dict__, {*builtins.__dict__} - _FREE)
        self._codes = list(map(_CODE, self._functions))
        self._defaults = list(map(_DEFAULTS, self._functions))
        self._memory = Memory(self._bound, self._functions) if is_known() else None

    def _add(self, space: Any, chosen: set[str] | None) -> None:
        names = [name for name, value in space.items() if _is_behaviour(value)] if chosen is None else chosen
        if names:
            self._bound.append(_bound_snapshot(space, names))
        self._functions += (part for name in names for part in _functions(space[name]))

    def also(self, space: Any, *names: str) -> None:
        """Record further bindings of one suite."""
        self._late.append(_bound_snapshot(space, names))

    def changed(self) -> str:
        """Return the name of a changed function; empty if none."""
        if self._memory is not None and self._memory.is_same():
            return _rebound([*self._memory.left, *self._late])
        name = _rebound([*self._bound, *self._late]) or self._rewritten()
        if self._memory is not None and not name:  # a table has grown, or a binding was restored
            self._memory = Memory(self._bound, self._functions)
        return name

    def _rewritten(self) -> str:
        for read, known in ((_CODE, self._codes), (_DEFAULTS, self._defaults)):
            if not all(map(is_, map(read, self._functions), known)):
                return next(
                    each.__name__
                    for each, old in zip(self._functions, known, strict=True)
                    if read(each) is not old
                )
        return ""


def _bound_snapshot(space: Any, names: Iterable[str]) -> BoundSnapshot:
    return space, list(names), [space[name] for name in names]


def _rebound(bound: Iterable[BoundSnapshot]) -> str:
    for space, names, values in bound:
        if not all(map(is_, map(space.get, names), values)):
            return next(
                name for name, value in zip(names, values, strict=True) if space.get(name) is not value
            )
    return ""


def _is_behaviour(value: Any) -> bool:
    """Return whether a value is a function or class: the runner may change other state."""
    return callable(value) or isinstance(value, _WRAPPED)


def _functions(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, property):
        parts = [value.fget, value.fset]
    elif isinstance(value, staticmethod | classmethod):
        parts = [value.__func__]
    else:
        parts = [value]
    return (part for part in parts if isinstance(part, FunctionType))
