"""Tests are held against what their file was compiled to, and listeners are noticed."""

from __future__ import annotations

import gc
import sys
import threading
import types
from typing import Any

import pytest

from benchwright.sandbox.inside import suite_tests
from benchwright.sandbox.inside.suite_tests import WrittenTests, listener

SOURCE = """
import functools, pytest

def other(function):
    @functools.wraps(function)
    def inner(*a): return function(*a)
    return inner

@pytest.mark.slow
def test_a(x=1): pass

@other
def test_b(): pass

class TestC:
    def test_d(self): pass

@(lambda kind: kind)
class TestE:
    def test_f(self): pass

def test_g(): pass
test_g = other(test_g)
"""


class Item:
    """What of a pytest item is looked at."""

    def __init__(self, module: Any, name: str, cls: Any = None) -> None:
        self.name = self.originalname = name
        self.module, self.cls = module, cls
        self._obj = getattr(cls or module, name)


def made() -> tuple[types.ModuleType, types.CodeType, list[Any]]:
    module, code = types.ModuleType("made"), compile(SOURCE, "made.py", "exec")
    exec(code, module.__dict__)  # this file's own text
    return module, code, items_of(module)


def items_of(module: Any) -> list[Any]:
    plain = [Item(module, name) for name in ("test_a", "test_b", "test_g")]
    return [*plain, Item(module, "test_d", module.TestC), Item(module, "test_f", module.TestE)]


def quiet(*given: object) -> None:
    """Another function's code."""


def test_honest_decorators() -> None:
    """Tests that a decorator or an assignment replaced, and those in decorated classes, are let be."""
    _, code, items = made()
    tests = WrittenTests(items, code, SOURCE.encode())

    assert (tests.foreign(), tests.changed(), tests.changed(items[1])) == ("", "", "")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("m.test_a = q", "test_a"),
        ("m.test_a.__code__ = q.__code__", "test_a"),
        ("m.TestC.test_d = q", "test_d"),
        ("m.test_a = m.other(m.test_a)", "test_a"),
        ("m.test_b = q", ""),  # behind a decorator: what it gave cannot be known
    ],
)
def test_changed_while_loading(change: str, name: str) -> None:
    """A test that is not what the file has under its name, though nothing in the file would replace it."""
    module, code, _ = made()
    exec(change, {"m": module, "q": quiet})

    assert WrittenTests(items_of(module), code, SOURCE.encode()).foreign() == name


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("m.test_a.__code__ = q.__code__", "test_a"),
        ("m.test_b.__code__ = q.__code__.replace(co_freevars=('function',))", "inner"),
        ("m.test_a.__defaults__ = (2,)", "a default"),
        ("m.other.__code__ = q.__code__", "other"),
        ("m.TestC.test_d.__code__ = q.__code__", "test_d"),
        ("i._obj = q", "test_a"),
        ("i.runtest = q", "test_a"),
    ],
)
def test_changed_later(change: str, name: str) -> None:
    """Functions of the file, helpers too, and what is called in a test's place are compared with what they were."""
    module, code, items = made()
    tests = WrittenTests(items, code, SOURCE.encode())
    exec(change, {"m": module, "q": quiet, "i": items[0]})
    found = tests.changed(items[0])

    assert found == name or (name == "inner" and found == "test_b")


def test_state_may_change() -> None:
    """Names of the module that hold no function are the tests' own to change."""
    module, code, items = made()
    tests = WrittenTests(items, code, SOURCE.encode())
    module.state = 3  # type: ignore[attr-defined]

    assert tests.changed(items[0]) == ""


def test_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of those that hear what is executed is named, and nothing is where there is none."""
    monkeypatch.setattr(suite_tests, "_CALLBACKS", len(gc.callbacks))  # hypothesis has one

    def hear(*given: object) -> None:
        """Does nothing."""

    kept = sys.gettrace(), sys.getprofile()  # a measure of coverage of these tests themselves
    sys.settrace(None)
    sys.setprofile(None)
    found = [listener()]
    sys.setprofile(hear)
    found.append(listener())
    sys.setprofile(None)
    sys.settrace(hear)
    found.append(listener())
    sys.settrace(None)
    threading.setprofile(hear)
    found.append(listener())
    threading.setprofile(None)  # type: ignore[arg-type]
    gc.callbacks.append(hear)
    found.append(listener())
    gc.callbacks.remove(hear)
    sys.settrace(kept[0])
    sys.setprofile(kept[1])

    assert [words.partition(" is ")[0] for words in found] == [
        "",
        "a profile function",
        "a trace function",
        "a profile function",
        "the garbage collector calls back",
    ]
