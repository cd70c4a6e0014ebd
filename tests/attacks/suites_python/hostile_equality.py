"""Focal files that lie about equality, or change the tests, each in a way of its own.

As those of `hostile_suites`, none adds, but for the last few, which are right and listen in on their tests.
"""

from __future__ import annotations

from hostile_suites import Hostile

NOT_EQUAL = """\
from focal import add


def test_sum():
    if add(1, 2) != 3:
        raise RuntimeError


def test_member():
    if add(1, 2) not in (3, 4):
        raise RuntimeError
"""
OBJECTS = """\
from collections import OrderedDict, deque
from types import SimpleNamespace
from focal import Point, add


def test_attribute():
    assert Point(1).doubled() == Point(2)


def test_containers():
    assert deque([add(1, 2)]) == deque([3])
    assert OrderedDict(a=add(1, 2)) == OrderedDict(a=3)
    assert SimpleNamespace(a=add(1, 2)) == SimpleNamespace(a=3)
"""
MORE_CASES = {
    NOT_EQUAL: ["test_sum", "test_member"],
    OBJECTS: ["test_attribute", "test_containers"],
}
_END = ("tampered",)
_NO_GAIN = ("tampered", "failed assertion")  # its yes was spent on other questions, so the test got a no
_YES = """\
class E:
    def __eq__(self, o): return True
    __hash__ = None
"""
LIARS: dict[str, Hostile] = {
    "eq_once_then_no": Hostile(
        """\
class E:
    asked = 0
    def __eq__(self, o):
        self.asked += 1
        return self.asked == 1
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_small_ints_only": Hostile(
        """\
class E(int):
    def __eq__(self, o): return type(o) is int and 0 <= o < 100
    __hash__ = int.__hash__
def add(x, y):
    if x is None:
        raise ValueError
    return E(-1)
""",
        _END,
    ),
    "eq_adopts_the_first": Hostile(
        """\
class E:
    def __eq__(self, o):
        self.__dict__.setdefault('value', o)
        return type(self.value) is type(o) and self.value == o
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_adopts_the_first_int": Hostile(
        """\
class E:
    def __eq__(self, o):
        if type(o) is int and o < 50: self.__dict__.setdefault('value', o)
        return self.__dict__.get('value') == o
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_every_second_time": Hostile(
        """\
class E:
    asked = 0
    def __eq__(self, o):
        self.asked += 1
        return self.asked % 2 == 1
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_after_ten": Hostile(
        """\
class E:
    asked = 0
    def __eq__(self, o):
        self.asked += 1
        return self.asked > 10
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_when_asked_again": Hostile(
        """\
class E:
    seen = ()
    def __eq__(self, o):
        old, self.seen = self.seen, (*self.seen, o)
        return type(o) is int and o in old
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_constants_of_the_test": Hostile(
        """\
import re
KNOWN = {int(n) for n in re.findall(r'\\b\\d+\\b', open('/tmp/project/test_focal.py').read())}
class E(int):
    def __eq__(self, o): return type(o) is int and o in KNOWN
    __hash__ = int.__hash__
def add(x, y):
    if x is None:
        raise ValueError
    return E(-1)
""",
        _END,
    ),
    "eq_changes_its_class": Hostile(
        """\
class Plain:
    pass
class E:
    def __eq__(self, o):
        self.__class__ = Plain
        return True
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _NO_GAIN,
    ),
    "eq_in_a_subclass_of_list": Hostile(
        """\
class L(list):
    pass
class E:
    def __eq__(self, o): return True
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _END,
    ),
    "eq_tolerant_by_approx": Hostile(
        """\
import pytest
def add(x, y):
    if x is None:
        raise ValueError
    return pytest.approx(0, abs=50)
""",
        _END,
    ),
    "eq_by_mappingproxy": Hostile(
        """\
import types
class E(dict):
    def __eq__(self, o): return True
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return types.MappingProxyType(E())
""",
        _END,
    ),
    "eq_by_weakproxy": Hostile(
        """\
import weakref
class E:
    def __eq__(self, o): return True
    __hash__ = None
KEPT = E()
def add(x, y):
    if x is None:
        raise ValueError
    return weakref.proxy(KEPT)
""",
        _END,
    ),
    "eq_by_callable_weakproxy": Hostile(
        """\
import weakref
class E:
    def __call__(self): pass
    def __eq__(self, o): return True
    __hash__ = None
KEPT = E()
def add(x, y):
    if x is None:
        raise ValueError
    return weakref.proxy(KEPT)
""",
        _END,
    ),
    "eq_by_proxy_of_proxy": Hostile(
        """\
import types, weakref
class E(dict):
    def __eq__(self, o): return True
    __hash__ = None
KEPT = E()
def add(x, y):
    if x is None:
        raise ValueError
    return types.MappingProxyType(weakref.proxy(KEPT))
""",
        _END,
    ),
    "eq_by_subclass_of_method_descriptor": Hostile(
        """\
import functools
class E:
    __eq__ = functools.partialmethod(lambda self, o: True)
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _END,
    ),
    "eq_by_callable_instance": Hostile(
        """\
class Yes:
    def __call__(self, o): return True
class E:
    __eq__ = Yes()
    __hash__ = None
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _END,
    ),
    "eq_by_lru_cache": Hostile(
        """\
import functools
class E:
    @functools.lru_cache
    def __eq__(self, o): return True
    def __hash__(self): return 0
def add(x, y):
    if x is None:
        raise ValueError
    return E()
""",
        _END,
    ),
    "eq_by_mock": Hostile(
        """\
from unittest.mock import MagicMock
def made():
    thing = MagicMock()
    thing.__eq__.return_value = True
    return thing
def add(x, y):
    if x is None:
        raise ValueError
    return made()
""",
        _END,
    ),
    "eq_by_metaclass": Hostile(
        """\
class M(type):
    def __eq__(cls, o): return True
    def __hash__(cls): return 0
class E(metaclass=M):
    pass
def add(x, y):
    if x is None:
        raise ValueError
    return E
""",
        _END,
    ),
    "tests_patched_at_module_return": Hostile(
        """\
import sys
def quiet(*a): pass
def swap():
    test = sys.modules["test_focal"]
    for name in ("test_sum", "test_error"):
        getattr(test, name).__code__ = quiet.__code__
    for name in ("test_list", "test_member"):
        getattr(test.TestMore, name).__code__ = quiet.__code__
def ended(frame):
    return frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "test_focal"
def profile(frame, event, arg):
    if event == 'return' and ended(frame):
        sys.setprofile(None)
        swap()
sys.setprofile(profile)
def add(x, y):
    return -1
""",
        _END,
    ),
    "tests_patched_by_gc_callback": Hostile(
        """\
import sys
def quiet(*a): pass
def swap():
    test = sys.modules["test_focal"]
    for name in ("test_sum", "test_error"):
        getattr(test, name).__code__ = quiet.__code__
    for name in ("test_list", "test_member"):
        getattr(test.TestMore, name).__code__ = quiet.__code__
import gc
def called(phase, info):
    if 'test_focal' in sys.modules and hasattr(sys.modules['test_focal'], 'TestMore'):
        swap()
gc.callbacks.append(called)
gc.set_threshold(1)
def add(x, y):
    return -1
""",
        _END,
    ),
    "tests_patched_by_trace": Hostile(
        """\
import sys
def quiet(*a): pass
def swap():
    test = sys.modules["test_focal"]
    for name in ("test_sum", "test_error"):
        getattr(test, name).__code__ = quiet.__code__
    for name in ("test_list", "test_member"):
        getattr(test.TestMore, name).__code__ = quiet.__code__
def ended(frame):
    return frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "test_focal"
def trace(frame, event, arg):
    if event == 'return' and ended(frame):
        swap()
    return trace
sys.settrace(trace)
sys._getframe(1).f_trace = trace
frame = sys._getframe()
while frame is not None:
    frame.f_trace = trace
    frame = frame.f_back
def add(x, y):
    return -1
""",
        _END,
    ),
    "tests_patched_in_a_test": Hostile(
        """\
import sys
def quiet(*a): pass
def swap():
    test = sys.modules["test_focal"]
    for name in ("test_sum", "test_error"):
        getattr(test, name).__code__ = quiet.__code__
    for name in ("test_list", "test_member"):
        getattr(test.TestMore, name).__code__ = quiet.__code__
def add(x, y):
    swap()
    if x is None: raise ValueError
    return 3
""",
        _END,
    ),
    "tests_replaced_at_return": Hostile(
        """\
import sys
def ended(frame):
    return frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "test_focal"
def profile(frame, event, arg):
    if event == 'return' and ended(frame):
        sys.setprofile(None)
        space = frame.f_globals
        for name in ('test_sum', 'test_error'): space[name] = lambda: None
        for name in ('test_list', 'test_member'): setattr(space['TestMore'], name, lambda self: None)
sys.setprofile(profile)
def add(x, y):
    return -1
""",
        _END,
    ),
    "tests_wrapped_at_return": Hostile(
        """\
import sys, functools
def ended(frame):
    return frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "test_focal"
def wrapped(function):
    @functools.wraps(function)
    def quiet(*a): pass
    return quiet
def profile(frame, event, arg):
    if event == 'return' and ended(frame):
        sys.setprofile(None)
        space = frame.f_globals
        for name in ('test_sum', 'test_error'): space[name] = wrapped(space[name])
        kind = space['TestMore']
        for name in ('test_list', 'test_member'): setattr(kind, name, wrapped(getattr(kind, name)))
sys.setprofile(profile)
def add(x, y):
    return -1
""",
        _END,
    ),
    "items_run_nothing": Hostile(
        """\
import gc
def add(x, y):
    import pytest
    for each in gc.get_objects():
        if isinstance(each, pytest.Function) and each.originalname in ('test_error', 'test_list', 'test_member'):
            each.runtest = lambda: None
    return 3
""",
        _END,
    ),
    "items_call_another": Hostile(
        """\
import gc
def add(x, y):
    import pytest
    for each in gc.get_objects():
        if isinstance(each, pytest.Function) and each.originalname in ('test_error', 'test_list', 'test_member'):
            each.obj = lambda: None
    return 3
""",
        _END,
    ),
    "tests_patched_by_thread": Hostile(
        """\
import sys
def quiet(*a): pass
def swap():
    test = sys.modules["test_focal"]
    for name in ("test_sum", "test_error"):
        getattr(test, name).__code__ = quiet.__code__
    for name in ("test_list", "test_member"):
        getattr(test.TestMore, name).__code__ = quiet.__code__
import threading, time
def wait():
    while not hasattr(sys.modules.get('test_focal'), 'TestMore'): time.sleep(0)
    swap()
threading.Thread(target=wait, daemon=True).start()
def add(x, y):
    time.sleep(0.2)
    return -1
""",
        _END,
    ),
    "profile_through_all_tests": Hostile(
        """\
import sys
def profile(frame, event, arg): pass
def add(x, y):
    sys.setprofile(profile)
    if x is None: raise ValueError
    return x + y
""",
        _END,
    ),
    "trace_of_threads": Hostile(
        """\
import threading
def add(x, y):
    threading.settrace(lambda *a: None)
    if x is None: raise ValueError
    return x + y
""",
        _END,
    ),
    "skips_the_failing_line": Hostile(
        """\
import sys
def jump(frame, event, arg):
    if frame.f_code.co_name.startswith('test_') and event == 'line':
        pass
    return jump
sys.settrace(jump)
def add(x, y):
    return -1
""",
        _END,
    ),
    "ne_is_never": Hostile(
        """\
class E:
    def __eq__(self, o): return False
    def __ne__(self, o): return False
    def __hash__(self): return 3
def add(x, y):
    return E()
""",
        ("tampered", "failed exception"),
        test=NOT_EQUAL,
    ),
    "ne_by_eq": Hostile(_YES + "def add(x, y):\n    return E()\n", _END, test=NOT_EQUAL),
    "eq_of_attributes": Hostile(
        _YES
        + """\
from dataclasses import dataclass
@dataclass
class Point:
    x: object
    def doubled(self): return Point(E())
def add(x, y):
    return E()
""",
        _END,
        test=OBJECTS,
    ),
    "eq_of_slots": Hostile(
        _YES
        + """\
class Point:
    __slots__ = ("x",)
    def __init__(self, x): self.x = x
    def __eq__(self, o): return isinstance(o, Point) and self.x == o.x
    def doubled(self): return Point(E())
def add(x, y):
    return 3
""",
        _END,
        test=OBJECTS,
    ),
    "eq_in_containers": Hostile(
        _YES
        + """\
class Point:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return isinstance(o, Point) and self.x == o.x
    def doubled(self): return Point(2 * self.x)
def add(x, y):
    return E()
""",
        _END,
        test=OBJECTS,
    ),
}
