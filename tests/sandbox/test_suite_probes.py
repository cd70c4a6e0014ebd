"""What is asked of an object before its yes is believed, and where such objects hide."""

from __future__ import annotations

import types
import weakref
from collections import Counter, OrderedDict, UserList, defaultdict, deque, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.inside.suite_checks import Forged, compared, forged
from benchwright.sandbox.inside.suite_leaves import elements, leaves
from benchwright.sandbox.inside.suite_probes import _far, _near, is_doubtful, tolerate

TIMES = 20  # questions are drawn: once more than enough for a slip of one in two to show


class Yes:
    """Equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Adopting:
    """Equals the first value that it meets, and no other."""

    def __eq__(self, other: object) -> bool:
        return bool(self.__dict__.setdefault("value", other) == other)

    __hash__ = None  # type: ignore[assignment]


class Counting:
    """Says yes at one time only."""

    def __init__(self, when: int) -> None:
        self.left = when

    def __eq__(self, other: object) -> bool:
        self.left -= 1
        return self.left == 0

    __hash__ = None  # type: ignore[assignment]


class Small(int):
    """Equals each small number."""

    def __eq__(self, other: object) -> bool:
        return type(other) is int and 0 <= other < 100

    __hash__ = int.__hash__


class NeverUnequal(int):
    """An honest number for `==`, and for `!=` the same as everything."""

    def __ne__(self, other: object) -> bool:
        return False


class Case(str):
    """Text that does not care for case."""

    def __eq__(self, other: object) -> bool:
        return str(self).lower() == str(other).lower()

    __hash__ = str.__hash__


@dataclass
class Point:
    x: Any


class Slotted:
    """An object without a dictionary."""

    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slotted) and bool(self.x == other.x)

    __hash__ = None  # type: ignore[assignment]


class Color(Enum):
    RED = 1


class Level(IntEnum):
    LOW = 1


class Flag(IntFlag):
    A = 1


Pair = namedtuple("Pair", "a b")
KEPT = Yes()


def gain(sign: str, left: Any, right: Any) -> bool:
    """Whether an object gets what it wants: a comparison that holds and is not refused."""
    try:
        result = compared(sign, left, right)
    except Forged:
        forged()
        return False
    forged()
    return bool(result) is (sign not in ("!=", "not in"))


@pytest.mark.parametrize(
    "make", [Yes, Adopting, lambda: Counting(1), lambda: Small(-1), lambda: weakref.proxy(KEPT)]
)
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: [x], lambda x: {"a": (x, 1)}, lambda x: deque([x])])
def test_liars_gain_nothing(make: Any, wrap: Any) -> None:
    """An object that says yes once, to the first, to small ones or to all does not pass, wherever it hides."""
    for number in range(TIMES):
        assert not gain("==", wrap(make()), wrap(number % 5))
        assert not gain("==", wrap(number % 5), wrap(make()))


@pytest.mark.parametrize("count", range(2, 30, 4))
def test_counting_is_seldom_lucky(count: int) -> None:
    """Who says yes at one time only would have to know which question is the test's."""
    won = sum(gain("==", Counting(count), 3) for _ in range(TIMES))

    assert won == 0  # the value itself is among the questions, so one yes is never enough


@pytest.mark.parametrize("sign", ["!=", "not in"])
def test_what_negations_hide(sign: str) -> None:
    """A test that fails where two things differ is not passed by an object that differs from nothing."""
    right: Any = 3 if sign == "!=" else [3]

    assert not any(gain(sign, Yes(), right) for _ in range(TIMES))
    assert sign == "not in" or not gain(sign, NeverUnequal(4), 3)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Point(Yes()), Point(3)),
        (Slotted(Yes()), Slotted(3)),
        (types.SimpleNamespace(a=Yes()), types.SimpleNamespace(a=3)),
        (OrderedDict(a=Yes()), {"a": 3}),
        (defaultdict(int, a=Yes()), {"a": 3}),
        (UserList([Yes()]), [3]),
        (Pair(Yes(), 1), (3, 1)),
        (types.MappingProxyType({"a": Yes()}), {"a": 3}),
        (Point([Slotted({"k": Yes()})]), Point([Slotted({"k": 3})])),
    ],
)
def test_liars_in_objects(left: Any, right: Any) -> None:
    """What an honest equality hands on to is asked as well."""
    assert not gain("==", left, right)
    assert not gain("==", right, left)


HONEST = [
    (Decimal("1.5"), 1.5),
    (Fraction(3), 3),
    (date(2020, 1, 2), date(2020, 1, 2)),
    (datetime(2020, 1, 2, tzinfo=UTC), datetime(2020, 1, 2, tzinfo=UTC)),
    (timedelta(1), timedelta(hours=24)),
    (OrderedDict(a=1), {"a": 1}),
    (defaultdict(list, {"a": [1]}), {"a": [1]}),
    (Counter("aab"), {"a": 2, "b": 1}),
    (deque([1, 2]), deque([1, 2])),
    (Pair(1, "x"), (1, "x")),
    (Color.RED, Color.RED),
    (Level.LOW, 1),
    (Flag.A, 1),
    (PurePosixPath("a/b"), PurePosixPath("a/b")),
    (UUID(int=3), UUID(int=3)),
    (UserList([1, 2]), [1, 2]),
    (types.MappingProxyType({"a": 1}), {"a": 1}),
    ({"a": 1}.keys(), {"a"}),
    (range(3), range(3)),
    (Case("Ab"), "aB"),
    (Point(Case("a")), Point("A")),
    (Slotted([1]), Slotted([1])),
    ({Case("a"), Case("b")}, {Case("b"), Case("a")}),
    ({PurePosixPath("a"): 1}, {PurePosixPath("a"): 1}),
    (bytearray(b"a"), b"a"),
    (memoryview(b"a"), b"a"),
    (True, Level.LOW),
]


@pytest.mark.parametrize(("left", "right"), HONEST, ids=lambda value: type(value).__name__)
def test_honest_values(left: Any, right: Any) -> None:
    """Values of the library, and classes that compare honestly with others, are believed."""
    for _ in range(5):
        assert (compared("==", left, right), compared("==", right, left), forged()) == (True, True, "")
        assert (compared("!=", left, right), forged()) == (left != right, "")
        assert (compared("in", left, [right]), compared("not in", left, [right]), forged()) == (
            True,
            False,
            "",
        )


def test_tolerance_where_the_test_names_it() -> None:
    """`approx` of the code under test does not pass by equalling what is near; where the test names it, it may
    equal that, and still not everything."""
    near = pytest.approx(100, abs=5)
    before = gain("==", near, 101)
    tolerate({type(near)})
    after = [gain("==", near, 101), gain("==", pytest.approx(0, abs=1e12), 101)]

    assert (before, after) == (False, [True, False])


@given(
    st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.lists(st.integers())
    | st.booleans()
)
def test_probes_differ(value: Any) -> None:
    """No probe is the value: an honest object would give itself away."""
    assert all(type(probe) is not type(value) or probe != value for probe in (*_far(value), *_near(value)))


@pytest.mark.parametrize(
    ("item", "doubtful"),
    [
        (3, False),
        (Color.RED, False),
        (Yes(), True),
        (weakref.proxy(KEPT), True),
        (types.MappingProxyType({}), True),
    ],
)
def test_who_is_doubtful(item: Any, doubtful: bool) -> None:
    """Slots that compare by themselves are not; methods in Python, and slots that hand on, are."""
    assert is_doubtful(item, "__eq__") is doubtful


def test_long_containers() -> None:
    """A class with an honest `__contains__` may hold thousands of neighbours."""

    class Long:
        def __contains__(self, item: object) -> bool:
            return isinstance(item, int) and 0 <= item < 10_000

    assert all(compared("in", number, Long()) for number in range(0, 10_000, 50))
    assert forged() == ""


def test_leaves_end() -> None:
    """Things that hold themselves, and very wide or deep ones, are read up to a number."""
    ring: list[Any] = [Yes()]
    ring.append(ring)
    deep: Any = Yes()
    for _ in range(500):
        deep = [deep]

    found = [
        len(list(leaves(*pair)))
        for pair in ((ring, [3, ring]), (deep, [deep]), ([Yes()] * 20_000, [3] * 20_000))
    ]

    assert (found[0] >= 1, max(found) <= 10_000) == (True, True)
    assert (elements(iter([1])), len(elements([0] * 5000))) == ([], 1000)
