"""The parts of the suites' inside that need no jail: rewritten modules, comparisons, the trip wire, exceptions."""

from __future__ import annotations

import ast
import sys
import types
from fractions import Fraction
from typing import Any
from unittest import TestCase, mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.sandbox.inside import suite_checks
from benchwright.sandbox.inside.suite_checks import Forged, compared, forged
from benchwright.sandbox.inside.suite_import import Importer
from benchwright.sandbox.inside.suite_rewrite import Canary, _watch, canary_source, governs_all, rewritten
from benchwright.sandbox.inside.suite_watch import FunctionWatch

CANARY = Canary("test_p", "test_f")


class Always:
    """Equals everything, holds everything, is less and more than everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return True

    __gt__ = __le__ = __ge__ = __contains__ = __lt__
    __hash__ = None  # type: ignore[assignment]


class Wrapped:
    """Equals what it holds."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return bool(self.value == getattr(other, "value", other))

    __hash__ = None  # type: ignore[assignment]


class Number(int):
    """Equals every number, which no number does."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int)

    __hash__ = int.__hash__


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def run(source: str, canary: Canary | None = None) -> dict[str, Any]:
    """The namespace of a rewritten module. The source is this file's own."""
    space: dict[str, Any] = {"__name__": "made"}
    exec(rewritten(source, "made.py", canary), space)
    return space


@given(PLAIN, PLAIN)
def test_plain_values_compare_as_ever(left: Any, right: Any) -> None:
    """Of plain values a comparison says what it always says."""
    assert (compared("==", left, right), compared("in", left, [right])) == (left == right, left in [right])


@given(PLAIN)
@example(1e300)
@example(float("inf"))
@example(-0.0)
def test_honest_equality_is_believed(value: Any) -> None:
    """A class that equals what it holds passes, at any depth."""
    found = [
        compared("==", Wrapped(value), value),
        compared("==", [(value, Wrapped(value))], [(value, value)]),
    ]
    found += [compared("in", Wrapped(value), [value]), compared("==", Wrapped(value), Wrapped(value))]

    assert (found, forged()) == ([True] * 4, "")


@given(PLAIN)
def test_equal_to_everything_is_not(value: Any) -> None:
    """An object that equals everything passes nowhere, and that it tried is kept."""
    pairs: list[tuple[str, Any, Any]] = [
        ("==", Always(), value),
        ("==", value, Always()),
        ("==", [1, {"a": (Always(),)}], [1, {"a": (value,)}]),
        ("in", Always(), [value]),
        ("in", value, [Always()]),
        ("in", value, Always()),
        ("<", Always(), value),
        (">=", Always(), value),
    ]
    refused = []
    for sign, left, right in pairs:
        with pytest.raises(Forged):
            compared(sign, left, right)
        refused.append(bool(forged()))

    assert refused == [True] * len(pairs)


@pytest.mark.parametrize(
    ("left", "right"), [(Number(1), 3), (mock.ANY, 3), ([mock.ANY], [3]), (Number(1), True)]
)
def test_other_liars(left: Any, right: Any) -> None:
    """A number that equals each number, and a library's wildcard that came from the code under test."""
    with pytest.raises(Forged):
        compared("==", left, right)

    assert forged() != ""


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Fraction(1, 2), 0.5),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=1)),
        (mock.call(1), (((1,), {}))),
    ],
)
def test_library_classes(left: Any, right: Any) -> None:
    """Classes of the library that define equality in Python are asked and believed."""
    assert (compared("==", left, right), forged()) == (True, "")


def test_probes_may_raise() -> None:
    """A comparison that cannot take strange objects is no lie."""

    class Strict:
        def __eq__(self, other: Any) -> bool:
            return bool(other.upper() == "A")

        __hash__ = None  # type: ignore[assignment]

    assert (compared("==", Strict(), "a"), forged()) == (True, "")


def test_rewritten_module() -> None:
    """Each comparison is watched; chains, values and doc strings are what they were."""
    space = run(
        '"""Doc."""\nfrom __future__ import annotations\n'
        "a = [x for x in range(9) if x < 3]\nb = 1 < 2 < 3\nc = not 1 == 2\nd = (y := 4) == 4\n"
        "def f(x, y):\n    assert x == y\n"
    )

    assert (
        space["__doc__"],
        space["a"],
        space["b"],
        space["c"] and space["d"],
        space["y"],
    ) == ("Doc.", [0, 1, 2], True, True, 4)


def test_liars_in_a_rewritten_module() -> None:
    """An assert, a loop's condition and a value that is kept are all watched."""
    space = run("def f(x):\n    assert x == 1\ndef g(x):\n    ok = x in (1, 2)\n    return ok\n")
    for name in "fg":
        with pytest.raises(Forged):
            space[name](Always())

    assert forged() != ""


def test_what_an_assert_tells() -> None:
    """An assert without text tells its comparison, one with text keeps it."""
    space = run("def f(x):\n    assert x == [2]\ndef g(x):\n    assert x, 'mine'\n")
    told = []
    for name, value in (("f", [1]), ("g", 0)):
        with pytest.raises(AssertionError) as caught:
            space[name](value)
        told.append(str(caught.value))

    assert told == ["[1] == [2]", "mine"]


EVERYWHERE = """
from os import path as place
class A:
    x: bool = 1 == 1
async def f(a=1 == 1, *b, c=1 == 1, **d) -> bool:
    global g
    g = yield 1 == 1
    async with a as b, c: await (lambda: 1 == 1)
    try: raise A from None
    except* A: del a[1 == 1]
    match a:
        case {"k": None | True, **rest} if 1 == 1: pass
        case A(x=-1) | [*_]: pass
    d = {**d, "k": [w := 1 == 1 for e in b if 1 == 1]}
def h():
    x = f"{1 == 1!r:>{1 == 1}}" if (1 == 1) < (1 == 1) < 3 else not 1 == 1
    while ... and 1 == 1j: assert 1 == 1, b""
"""


def test_every_comparison_is_found() -> None:
    """Wherever an expression may stand, a comparison in it is watched; a chain is not."""
    tree, code = ast.parse(EVERYWHERE), rewritten(EVERYWHERE, "every.py", None)
    _watch(tree, "watched", "told")
    left = [len(each.ops) for each in ast.walk(tree) if isinstance(each, ast.Compare)]
    watched = [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and each.value == "watched"]

    assert (left, len(watched), isinstance(code, types.CodeType)) == ([2], EVERYWHERE.count("1 =="), True)


def test_canaries_in_a_module() -> None:
    """Of the two functions that are added one passes and one fails, after all of the module's own lines."""
    space = run("def test_a():\n    pass\n", CANARY)
    space["test_p"]()
    with pytest.raises(AssertionError):
        space["test_f"]()

    assert space["test_p"].__code__.co_firstlineno > 2


def test_nothing_is_named() -> None:
    """No name of the module refers to what watches it."""
    space = run("def f(x):\n    assert x == 1\n")
    named = set(space["f"].__code__.co_names)

    assert (set(space) - {"f", "__builtins__", "__name__"}, named) == (set(), set())


@pytest.mark.parametrize(
    ("source", "governs"),
    [
        ("import pytest\npytestmark = pytest.mark.slow\n", True),
        ("def setup_module():\n    pass\n", True),
        ("import pytest\n@pytest.fixture(autouse=True)\ndef f(): pass\n", True),
        ("pytestmark: list = []\n", True),
        ("class T:\n    def setup_method(self): pass\n    pytestmark = 1\n", False),
        ("", False),
    ],
)
def test_what_governs_all(source: str, governs: bool) -> None:
    """Marks, set-up and fixtures that reach every test of a module send the canaries to a file of their own."""
    assert governs_all(source, "made.py") is governs


def test_canary_source_differs() -> None:
    """The numbers of canaries are drawn, so their text cannot be known."""
    texts = {canary_source(CANARY) for _ in range(5)}

    assert (len(texts) > 1, all(len(ast.parse(text).body) == 2 for text in texts)) == (True, True)


def made_module() -> types.ModuleType:
    module = types.ModuleType("made")
    exec(
        "class A:\n    def f(self): return 1\n    @classmethod\n    def c(cls): pass\n"
        "    @property\n    def p(self): return 1\ndef g(): return 2\nstate = 3\n",
        module.__dict__,
    )
    return module


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("m.state = 4", ""),
        ("m.new = 4", ""),
        ("m.g = None", "g"),
        ("del m.g", "g"),
        ("m.A.f = lambda self: 2", "f"),
        ("m.A.c = classmethod(lambda cls: 2)", "c"),
        ("m.A.f.__code__ = (lambda self: 2).__code__", "f"),
        ("m.g.__defaults__ = (1,)", "g"),
        ("m.A.p.fget.__code__ = (lambda self: 2).__code__", "p"),
    ],
)
def test_watch(change: str, name: str) -> None:
    """A function that was replaced is named, by its place or by its code; state may change."""
    module = made_module()
    watch = FunctionWatch(modules=[module])
    before = watch.changed()
    exec(change, {"m": module})

    assert (before, watch.changed()) == ("", name)


def test_watch_of_one_more() -> None:
    """A single binding can be added later."""
    watch, space = FunctionWatch(modules=[]), {"send": print}
    watch.also(space, "send")
    before = watch.changed()
    space["send"] = repr

    assert (before, watch.changed()) == ("", "send")


def test_unittest_is_watched() -> None:
    """The assert methods of unittest look twice, and pass on what they are given."""
    case = type("Case", (TestCase,), {"runTest": lambda self: None})
    suite_checks.watch_unittest(case)
    test = case()
    test.assertEqual([1], [1], msg="equal")  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="mine"):
        test.assertEqual(1, 2, "mine")  # type: ignore[attr-defined]
    for name, values in (("Equal", (Always(), 1)), ("In", (Always(), [1])), ("Less", (Always(), 1))):
        with pytest.raises(Forged):
            getattr(test, f"assert{name}")(*values)

    assert forged().count(";") == 2


class Hidden(Exception):
    """Cannot be shown."""

    def __str__(self) -> str:
        raise SystemExit


@pytest.mark.parametrize(
    ("error", "kind", "detail"),
    [
        (AssertionError("1 == 2"), "assertion", "AssertionError: 1 == 2"),
        (SyntaxError("bad"), "compile", "SyntaxError: bad"),
        (ModuleNotFoundError("no x", name="x.y"), "environment", "ModuleNotFoundError: no x"),
        (ModuleNotFoundError("no pkg", name="pkg.core"), "import", "ModuleNotFoundError: no pkg"),
        (ModuleNotFoundError("no os", name="os.y"), "import", "ModuleNotFoundError: no os"),
        (ImportError("name"), "import", "ImportError: name"),
        (MemoryError(), "memory", "MemoryError"),
        (SystemExit(0), "exception", "SystemExit: 0"),
        (Forged("lied"), "tampered", "Forged: lied"),
        (Hidden(), "exception", "Hidden"),
    ],
)
def test_what_an_exception_means(error: BaseException, kind: str, detail: str) -> None:
    """Its kind, and a text that even a hostile exception has."""
    importer = Importer("pkg/test_a.py", {"pkg/test_a.py": b""}, CANARY, added="x")

    assert importer.verdict(error) == (kind, detail)


@pytest.mark.parametrize(
    ("test", "others", "places"),
    [
        ("test_a.py", [], [""]),
        ("tests/test_a.py", [], ["/tests", ""]),
        ("pkg/test_a.py", ["pkg/__init__.py"], [""]),
        ("src/pkg/t/test_a.py", ["src/pkg/__init__.py", "src/pkg/t/__init__.py"], ["/src", ""]),
    ],
)
def test_search_path(test: str, others: list[str], places: list[str]) -> None:
    """The folder above the test's packages comes first, then the project."""
    importer = Importer(test, dict.fromkeys([test, *others], b""), CANARY, added="x")

    assert importer.search_path() == [f"/tmp/project{place}" for place in places]


def test_only_the_test_file_is_loaded_here() -> None:
    """All other modules are left to the interpreter."""
    importer = Importer("tests/test_a.py", {"tests/test_a.py": b""}, CANARY, added="x")
    spec = importer.find_spec("test_a", None)

    assert (importer.find_spec("tests.test_a", None), importer.find_spec("sys", sys.path)) == (None, None)
    assert spec is not None and spec.origin == "/tmp/project/tests/test_a.py"
