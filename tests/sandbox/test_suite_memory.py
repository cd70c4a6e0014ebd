"""The trip wire's glance at memory: what it notices, what it leaves to a closer look, and that it never hides one."""

from __future__ import annotations

import ctypes
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.inside import linux, suite_memory
from benchwright.sandbox.inside.suite_memory import Memory, is_known
from benchwright.sandbox.inside.suite_watch import FunctionWatch
from benchwright.sandbox.zygote_object import FOLDER, MACHINE, OBJECT
from kit.needs import need_that

STEPS = {
    "replace": "m.f = repr",
    "put back": "m.f = f",
    "delete and put back": "m.__dict__.pop('g', None); m.g = g",
    "state": "m.state += 1",
    "grow": "m.__dict__.update({f'new_{n}': n for n in range(40)})",
    "shrink": "[m.__dict__.pop(f'new_{n}', None) for n in range(40)]",
    "class grows": "[setattr(m.A, f'more_{n}', n) for n in range(20)]",
    "method": "m.A.h = lambda self: 3",
    "method back": "m.A.h = h",
    "code": "f.__code__ = other.__code__",
    "code back": "f.__code__ = code",
    "defaults": "g.__defaults__ = (2,)",
    "defaults back": "g.__defaults__ = defaults",
}


@pytest.fixture(autouse=True, scope="module", params=["in machine code", "in Python"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways of reading memory: a jail may lack the zygote's object."""
    compiled = request.param == "in machine code"
    need_that(not compiled or linux.MACHINE == MACHINE, f"the object is for {MACHINE}")
    kept, suite_memory._OBJECT = (
        suite_memory._OBJECT,
        ctypes.PyDLL(str(FOLDER / OBJECT)) if compiled else None,
    )
    yield
    suite_memory._OBJECT = kept


def made() -> tuple[types.ModuleType, dict[str, Any]]:
    """A module and what a step may need to change it and to put it back."""
    module = types.ModuleType("made")
    text = "def f(): return 1\ndef g(one=1): return one\nclass A:\n    def h(self): return 2\nstate = 3\n"
    exec(text, module.__dict__)
    known = {"m": module, "f": module.f, "g": module.g, "h": module.A.h, "other": lambda: 5}
    return module, known | {"code": module.f.__code__, "defaults": module.g.__defaults__}


def binding(space: Any, *names: str) -> tuple[Any, list[str], list[Any]]:
    return space, list(names), [space[name] for name in names]


def truth(module: types.ModuleType, known: dict[str, Any]) -> bool:
    """Whether all that is watched is as it was, asked of Python itself."""
    bound = module.__dict__.get("f") is known["f"] and module.__dict__.get("g") is known["g"]
    code = known["f"].__code__ is known["code"] and known["g"].__defaults__ is known["defaults"]
    return bound and code and module.A.__dict__["h"] is known["h"]


def test_this_interpreter_is_known() -> None:
    """CPython is what the platform runs on; elsewhere the slow way is taken."""
    assert is_known()


@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=8))
def test_the_glance_agrees_with_python(steps: list[str]) -> None:
    """After any steps the wire says what a look by Python says, again and again."""
    module, known = made()
    watch, said, true = FunctionWatch(modules=[module]), [], []
    for step in steps:
        exec(STEPS[step], dict(known))
        said.append(watch.changed() == "")
        true.append(truth(module, known))

    assert said == true


@pytest.mark.parametrize(
    ("step", "same"),
    [("state", True), ("replace", False), ("grow", False), ("code", False), ("defaults", False)],
)
def test_a_glance(step: str, same: bool) -> None:
    """What is not watched may change; a table that moved is for a closer look."""
    module, known = made()
    memory = Memory([binding(module.__dict__, "f", "g")], [module.f, module.g])
    exec(STEPS[step], dict(known))

    assert (memory.is_same(), memory.left) == (same, [])


def test_a_class_is_read_through_its_view() -> None:
    """A class shows only a view of its dictionary, and that is where methods are replaced."""
    module, known = made()
    memory = Memory([binding(module.A.__dict__, "h")], [])
    before = memory.is_same()
    exec(STEPS["method"], dict(known))

    assert (before, memory.is_same(), memory.left) == (True, False, [])


def test_a_shared_table_is_left() -> None:
    """An object's own dictionary may have no table of its own: its names are for the other way."""
    space = types.SimpleNamespace(a=print).__dict__
    shared = type("Shared", (), {"__init__": lambda self: setattr(self, "a", print)})().__dict__
    bindings = [binding(shared, "a"), binding(space, "a")]

    assert binding(shared, "a") in Memory(bindings, []).left


def test_late_bindings_are_watched_one_by_one() -> None:
    """What is added after the first glance may lie in a table that comes and goes."""
    module, _ = made()
    watch, owner = FunctionWatch(modules=[module]), types.SimpleNamespace(send=print)
    watch.also(owner.__dict__, "send")
    before = watch.changed()
    owner.send = repr

    assert (before, watch.changed()) == ("", "send")


def test_elsewhere_it_works_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an interpreter with another layout all is compared one by one."""
    monkeypatch.setattr(sys, "implementation", types.SimpleNamespace(name="other"))
    module, known = made()
    watch = FunctionWatch(modules=[module])
    before = watch.changed()
    exec(STEPS["method"], dict(known))

    assert (is_known(), before, watch.changed()) == (False, "", "h")
