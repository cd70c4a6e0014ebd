"""Detects a test that was replaced after the import of the test file, and code that traces tests.

Code under test may replace a test's function, its code, or the object that pytest calls. So the compiled code
of the file is kept; tests are looked up in it after collection, and functions are compared before and after
each test. Profile and trace functions, callbacks of the garbage collector and tools of `sys.monitoring` run
between the lines of a test and could undo their changes in time. None exist before the first fork, so any
that exist later count as tampering.
"""

from __future__ import annotations

import gc
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import pytest

from .suite_memory import Memory, is_known

_CALLED = ("runtest", "setup", "teardown", "ihook", "runtestprotocol")
_MARKS = (b"@pytest.mark.", b"@mark.")
_FIXTURE: Any = type(pytest.fixture(lambda: None))
_CALLBACKS = len(gc.callbacks)


def listener() -> str:
    """Describe a hook that observes executed code; empty if there is none."""
    if sys.getprofile() is not None or threading.getprofile() is not None:
        return "a profile function is set"
    if sys.gettrace() is not None or threading.gettrace() is not None:
        return "a trace function is set"
    if len(gc.callbacks) != _CALLBACKS:
        return "the garbage collector calls back"
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    if monitoring is not None and any(monitoring.get_tool(number) for number in range(6)):
        return "a tool of sys.monitoring is set"
    return ""


class WrittenTests:
    """The compiled functions of a test module. `code`: code of the module; `source`: its text."""

    def __init__(self, items: Iterable[pytest.Item], code: CodeType | None, source: bytes) -> None:
        self._source, self._lines = source, source.splitlines()
        self._written: dict[str, list[CodeType]] = {}
        if code is not None:
            _collect(code, self._written)
        self._items = {id(item): (item, _called(item)) for item in items}
        self._functions = list(self._test_functions())
        self._codes = [each.__code__ for each in self._functions]
        self._memory = Memory([], self._functions) if is_known() else None

    def _test_functions(self) -> Iterator[FunctionType]:
        """Yield the functions that pytest calls, and all others of the file."""
        written = {id(code) for codes in self._written.values() for code in codes}
        called = [each for _, each in self._items.values() if isinstance(each, FunctionType)]
        spaces = {id(space): space for item, _ in self._items.values() for space in _spaces(item)}
        others = [
            each for space in spaces.values() for each in _functions(space) if id(each.__code__) in written
        ]
        yield from {id(each): each for each in (*called, *others)}.values()

    def foreign(self) -> str:
        """Return the name of a test whose function is not the one in the file; empty if none."""
        for item, function in self._items.values():
            name = _qualified(item)
            codes = self._written.get(name, [])
            if (
                codes
                and id(getattr(function, "__code__", None)) not in map(id, codes)
                and self._is_plain(name)
            ):
                return item.name
        return ""

    def changed(self, item: pytest.Item | None = None) -> str:
        """Return the name of a function or of the next test if it changed since collection, else empty."""
        if item is not None and not self._is_same(item):
            return item.name
        if self._memory is not None and self._memory.is_same():
            return ""
        pairs = zip(self._functions, self._codes, strict=True)
        name = next((each.__name__ for each, code in pairs if each.__code__ is not code), "")
        return name or ("" if self._memory is None else "a default")

    def _is_same(self, item: pytest.Item) -> bool:
        _, function = self._items.get(id(item), (None, None))
        return _called(item) is function and not any(name in item.__dict__ for name in _CALLED)

    def _is_plain(self, qualified: str) -> bool:
        """Return whether only marks of pytest decorate a function and its classes and its name is not
        assigned: otherwise another function may be legitimate."""
        outer, _, name = qualified.rpartition(".")
        while outer:
            if not all(map(self._is_bare, self._written.get(outer, []))):
                return False
            outer = outer.rpartition(".")[0]
        rebound = re.search(rb"(?m)^[ \t]*%s[ \t]*(?::[^=]*)?=[^=]" % name.encode(), self._source)
        return rebound is None and all(map(self._is_bare, self._written[qualified]))

    def _is_bare(self, code: CodeType) -> bool:
        for line in self._lines[code.co_firstlineno - 1 :]:
            text = line.lstrip()
            if text.startswith((b"def ", b"async ", b"class ")):
                return True
            if text.startswith(b"@") and not text.startswith(_MARKS):
                return False
        return False


def _collect(code: CodeType, found: dict[str, list[CodeType]]) -> None:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found.setdefault(each.co_qualname, []).append(each)
            _collect(each, found)


def _qualified(item: pytest.Item) -> str:
    """Return the qualified name of a test's function: that of the class that defines it."""
    name = getattr(item, "originalname", None) or item.name.partition("[")[0]
    kind = getattr(item, "cls", None)
    if kind is None:
        return str(name)
    mro = type.__dict__["__mro__"].__get__(kind)
    owner = next((each for each in mro if name in type.__dict__["__dict__"].__get__(each)), kind)
    return f"{owner.__qualname__}.{name}"


def _called(item: pytest.Item) -> Any:
    """Return the function that a test calls: the one pytest stores, else that of its class or module."""
    function = item.__dict__.get("_obj")
    if function is None:
        name = getattr(item, "originalname", None) or item.name
        function = getattr(getattr(item, "cls", None) or getattr(item, "module", None), name, None)
    return getattr(function, "__func__", function)


def _spaces(item: pytest.Item) -> Iterator[Mapping[str, Any]]:
    module = getattr(item, "module", None)
    if module is not None:
        yield module.__dict__
    if (kind := getattr(item, "cls", None)) is not None:
        yield kind.__dict__


def _functions(space: Mapping[str, Any]) -> Iterator[FunctionType]:
    for value in list(space.values()):
        if type(value) is _FIXTURE:
            function = value._get_wrapped_function()
        else:
            function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if isinstance(function, FunctionType):
            yield function
