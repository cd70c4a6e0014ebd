"""Notices when a test is no longer the one that the test file wrote, or when something listens in on it.

A test's function may be replaced, or its code, or what pytest calls in its place. So what the file was
compiled to is kept, a test is looked up in it once all are collected, and functions are compared with
what they were before and after each test. Profile and trace functions, callbacks of the collector and tools
of `sys.monitoring` run between the lines of a test and could put back in time what they changed; there are
none before the first fork, and one that is there later is taken for what it can do.
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
    """What listens to all that is executed, in words; empty where nothing does."""
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
    """The functions of a test module, as they were compiled. `code`: the module's own; `source`: its text."""

    def __init__(self, items: Iterable[pytest.Item], code: CodeType | None, source: bytes) -> None:
        self._source, self._lines = source, source.splitlines()
        self._written: dict[str, list[CodeType]] = {}
        if code is not None:
            _collect(code, self._written)
        self._items = {id(item): (item, _called(item)) for item in items}
        self._functions = list(self._found())
        self._codes = [each.__code__ for each in self._functions]
        self._memory = Memory([], self._functions) if is_known() else None

    def _found(self) -> Iterator[FunctionType]:
        """What pytest calls, and all else that the file has written."""
        written = {id(code) for codes in self._written.values() for code in codes}
        called = [each for _, each in self._items.values() if isinstance(each, FunctionType)]
        spaces = {id(space): space for item, _ in self._items.values() for space in _spaces(item)}
        others = [
            each for space in spaces.values() for each in _functions(space) if id(each.__code__) in written
        ]
        yield from {id(each): each for each in (*called, *others)}.values()

    def foreign(self) -> str:
        """The name of a test that is another function than the file has under this name."""
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
        """The name of a function that is not what it was when all were collected, or of the test to come."""
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
        """Whether only pytest's marks decorate a function and its classes, and nothing is assigned to its
        name: all else may well give another function."""
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
    """As the compiler names the function of a test: that of the class in which it is found."""
    name = getattr(item, "originalname", None) or item.name.partition("[")[0]
    kind = getattr(item, "cls", None)
    if kind is None:
        return str(name)
    mro = type.__dict__["__mro__"].__get__(kind)
    owner = next((each for each in mro if name in type.__dict__["__dict__"].__get__(each)), kind)
    return f"{owner.__qualname__}.{name}"


def _called(item: pytest.Item) -> Any:
    """The function that a test calls: what pytest keeps of it, else what its class or module has."""
    kept = item.__dict__.get("_obj")
    if kept is None:
        name = getattr(item, "originalname", None) or item.name
        kept = getattr(getattr(item, "cls", None) or getattr(item, "module", None), name, None)
    return getattr(kept, "__func__", kept)


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
