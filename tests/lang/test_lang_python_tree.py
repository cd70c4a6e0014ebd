"""Questions to a Python tree: scopes, blocks, names that statements bind, and modules under test."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.python.cutting import names_read
from benchwright.lang.python.focal_file import FocalCandidate, best, candidates, defined_names
from benchwright.lang.python.test_cases import is_fixture, is_parametrised, parametrised_fixtures
from benchwright.lang.python.tree import (
    blocks,
    bound_names,
    decorator_name,
    dotted,
    first_line,
    last_line,
    nodes_of,
    parse,
    scope,
)
from benchwright.lang.source import cases
from benchwright.lang.source_errors import SyntaxFault
from kit.examples import examples
from kit.lang_samples import CACHE_TEST_PY


def module(code: str) -> ast.Module:
    """A tree of a text that parses."""
    parsed = parse(code)
    assert not isinstance(parsed, SyntaxFault)
    return parsed


def statement(code: str) -> ast.stmt:
    """The first statement of a text."""
    return module(code).body[0]


BOUND = {
    "def f(x): y = 1": ["f"],
    "async def f(): pass": ["f"],
    "class A(B): c = 1": ["A"],
    "import a.b, c as d": ["a", "d"],
    "from m import x, y as z": ["x", "z"],
    "from m import *": ["*"],
    "x = y = 1": ["x", "y"],
    "(a, [b, *c]), d.e = f": ["a", "b", "c"],
    "x: int": [],
    "x: int = 1": ["x"],
    "x += 1": ["x"],
    "for i, j in k: n = 1": ["i", "j"],
    "with a as b, c() as (d, e): f = 1": ["b", "d", "e"],
    "if (n := 1): m = 2": ["n"],
    "print([q for q in r])": [],
    "x[0] = y.z = 1": [],
    "pass": [],
}


@pytest.mark.parametrize(("code", "expected"), BOUND.items(), ids=BOUND)
def test_bound_names(code: str, expected: list[str]) -> None:
    """Names of the statement itself, not of blocks or comprehensions in it."""
    assert sorted(bound_names(statement(code))) == sorted(expected)


SCOPES = {
    "if a:\n    x = 1\nelif b:\n    y = 2\nelse:\n    z = 3\n": 5,
    "try:\n    a()\nexcept E:\n    b()\nelse:\n    c()\nfinally:\n    d()\n": 5,
    "for i in x:\n    a()\nelse:\n    b()\n": 3,
    "while x:\n    a()\n": 2,
    "with x:\n    a()\n": 2,
    "match x:\n    case 1:\n        a()\n    case _:\n        b()\n": 3,
    "def f():\n    a()\n    b()\n": 1,
    "class A:\n    x = 1\n": 1,
}


@pytest.mark.parametrize(("code", "count"), SCOPES.items(), ids=list(map(str, range(len(SCOPES)))))
def test_one_scope(code: str, count: int) -> None:
    """Statements under conditions and handlers belong to it, those of functions and classes do not."""
    found = list(scope(module(code).body))

    assert len(found) == count
    assert [each.lineno for each in found] == sorted(each.lineno for each in found)


def test_blocks_of_a_statement() -> None:
    """The body, the handlers' and the ends, each once."""
    code = (
        "try:\n    a = 1\nexcept E:\n    b = 1\nexcept F:\n    c = 1\nelse:\n    d = 1\nfinally:\n    e = 1\n"
    )
    names = [name for block in blocks(statement(code)) for name in bound_names(block[0])]

    assert sorted(names) == list("abcde")


@pytest.mark.parametrize(
    ("code", "expected"), [("a.b.c", "a.b.c"), ("a", "a"), ("a().b", ""), ("a[0].b", ""), ("'x'.y", "")]
)
def test_dotted(code: str, expected: str) -> None:
    """A chain of attributes on a name, and nothing else."""
    assert dotted(ast.parse(code, mode="eval").body) == expected


@pytest.mark.parametrize(
    ("code", "expected"), [("@a", "a"), ("@a.b(1)", "a.b"), ("@a.b(1)(2)", "a.b"), ("@(lambda f: f)", "")]
)
def test_decorators(code: str, expected: str) -> None:
    """Their names without what they are given."""
    made = statement(f"{code}\ndef f(): pass\n")
    assert isinstance(made, ast.FunctionDef)

    assert decorator_name(made.decorator_list[0]) == expected


def test_lines_of_a_statement() -> None:
    """From its first decorator to its last line."""
    made = statement("@a\n@b(\n    1,\n)\ndef f():\n    return (\n        1\n    )\n")

    assert (first_line(made), last_line(made)) == (1, 8)


BROKEN = {
    "def f(:": (1, "syntax"),
    "x = '\0'": (1, "syntax"),
    "y = 1\nx = '\ud800'": (2, "syntax"),
    "x = " + "(" * 500 + "1" + ")" * 500: (1, "syntax"),
    "\n" * (1 << 20) + "x": (0, "too_large"),
}


@pytest.mark.parametrize(("code", "expected"), BROKEN.items(), ids=list(map(str, range(len(BROKEN)))))
def test_faults_are_values(code: str, expected: tuple[int, str]) -> None:
    """With a line where there is one, and never an exception."""
    found = parse(code)

    assert isinstance(found, SyntaxFault)
    assert (found.line, found.reason) == expected


@given(st.text(st.sampled_from("def f(x):\n\t =1'\"\\@[]{}#é\0\ufeff"), max_size=60))
@settings(max_examples=examples(40), deadline=None)
def test_any_text_parses_or_has_a_fault(code: str) -> None:
    """The line of a fault is a line of the text, or None."""
    found = parse(code)
    lines = code.count("\n") + code.count("\r") + code.count("\f") + 2

    assert isinstance(found, ast.Module) or 0 <= found.line <= lines


def test_what_a_module_defines() -> None:
    """Its own names, those that it takes from elsewhere, and whether there may be more."""
    found = defined_names(
        "import os\nfrom a import b as c\n\nX = 1\nif X:\n    def f(): pass\nclass G: y = 2\n"
    )

    assert (found.own, found.imported, found.is_open) == ({"X", "f", "G"}, {"os", "c"}, False)


@pytest.mark.parametrize("code", ["from a import *\n", "def __getattr__(name): return 1\n"])
def test_a_module_that_may_define_anything(code: str) -> None:
    """A name that is not seen may be there."""
    assert defined_names(code).is_open


def test_what_a_broken_module_looks_like_it_defines() -> None:
    """By its unindented lines: that it is broken is for the execution to find."""
    found = defined_names("def f(x):\n    y = 1\nclass G(\nasync def h():\nN: int = 3\nz == 4\n")

    assert found.own == {"f", "G", "h", "N"}


FOCAL = "class Cache:\n    pass\n\n\ndef lazy(f):\n    return f\n"
EVIDENCE = {
    "from import": ("from pack.cache import Cache, lazy\n", "pack.cache"),
    "attribute": ("import pack.cache\npack.cache.lazy(1)\n", "pack.cache"),
    "alias": ("import pack.cache as tested\ntested.Cache()\n", "pack.cache"),
    "from package": ("from pack import cache\ncache.Cache()\n", "pack.cache"),
    "relative": ("from ..cache import Cache\n", "..cache"),
    "patched": (
        "import pack.cache\nfrom unittest.mock import patch\npatch('pack.cache.lazy')\n",
        "pack.cache",
    ),
    "star": ("from pack.cache import *\nlazy(Cache)\n", "pack.cache"),
    "beside a helper": ("from pack.helpers import make\nfrom pack.cache import Cache\n", "pack.cache"),
    "by importlib": (
        "import importlib\nm = importlib.import_module('pack.cache')\nm.lazy(1)\n",
        "pack.cache",
    ),
}


@pytest.mark.parametrize(("test", "expected"), EVIDENCE.values(), ids=EVIDENCE)
def test_the_module_under_test(test: str, expected: str) -> None:
    """The one that the names of the focal file are taken from."""
    found = best(candidates(module(test), defined_names(FOCAL)))

    assert [each.module for each in found] == [expected]


def test_standard_modules_are_never_under_test() -> None:
    """A focal file in place of `os` or `pytest` would break the runner."""
    found = candidates(module("import os, pytest\nos.lazy\npytest.Cache\n"), defined_names(FOCAL))

    assert found == []


def test_a_tie_is_a_tie() -> None:
    """Fewer misses win; equal ones stay together."""
    one, two = FocalCandidate("a", 2, 1), FocalCandidate("b", 2, 1)

    assert (best([one, FocalCandidate("c", 2, 3), two]), best([])) == ([one, two], [])


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("pytest.fixture", True),
        ("fixture(scope='module')", True),
        ("pytest.yield_fixture", True),
        ("pytest.mark.slow", False),
        ("x[0]", False),
    ],
)
def test_fixtures(mark: str, expected: bool) -> None:
    """Known by their decorator, with or without arguments."""
    made = statement(f"@{mark}\ndef test_like(): pass\n")
    assert isinstance(made, ast.FunctionDef)

    assert is_fixture(made) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("pytestmark = pytest.mark.parametrize('a', [1])", True),
        ("pytestmark = [pytest.mark.slow]", False),
        ("other = pytest.mark.parametrize('a', [1])", False),
        ("pass", False),
    ],
)
def test_marks_of_a_module(code: str, expected: bool) -> None:
    """Only `pytestmark` counts, not other lists."""
    assert is_parametrised([statement(code)]) is expected


def test_fixtures_that_run_tests_several_times() -> None:
    """One with `params`, and what uses it, however far away."""
    code = (
        "@pytest.fixture(params=[1, 2])\ndef a(): pass\n\n@pytest.fixture\ndef b(a): pass\n\n"
        "@pytest.fixture\ndef c(b): pass\n\n@pytest.fixture\ndef d(): pass\n\ndef e(a): pass\n"
    )

    assert parametrised_fixtures(module(code)) == {"a", "b", "c"}


def test_a_byte_order_mark_is_no_fault() -> None:
    """It is left out, as where Python reads a file."""
    assert isinstance(parse("\ufeffx = 1\n"), ast.Module)


def test_a_text_is_parsed_once() -> None:
    """Ten questions to a file are one parse."""
    code = "once = 1\n"

    assert parse(code) is parse(code)


@pytest.mark.parametrize("escape", ["'\\d'", "1if 1else 2", "(1) is 1"])
def test_warnings_are_the_authors_affair(escape: str) -> None:
    """A text that the compiler warns about is a text that parses; warnings are errors in these tests."""
    assert isinstance(parse(f"warned = {escape}  # {escape}\n"), ast.Module)


def test_handlers_come_before_what_follows_them() -> None:
    """Cases under `try` are in the order of the file."""
    code = (
        "try:\n    def test_a(): pass\nexcept E:\n    def test_b(): pass\n"
        "else:\n    def test_c(): pass\nfinally:\n    def test_d(): pass\n"
    )

    assert [case.name for case in cases(code, "Python")] == ["test_a", "test_b", "test_c", "test_d"]


def read_by_what_stays(tree: ast.Module, gone: set[int]) -> set[str]:
    """A walk that looks at every node: what is remembered of a tree has to say the same."""
    stack: list[ast.AST] = [tree]
    found = set()
    while stack:
        node = stack.pop()
        if id(node) in gone:
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(f".{node.attr}")
        stack.extend(ast.iter_child_nodes(node))
    return found


@settings(max_examples=examples(100))
@given(st.data())
def test_names_read_by_what_stays(data: st.DataObject) -> None:
    """For all removed statements, also nested ones together with their parents."""
    tree = module(CACHE_TEST_PY)
    statements = nodes_of(tree, ast.stmt)
    gone = {id(each) for each in data.draw(st.lists(st.sampled_from(statements)))}

    assert names_read(tree, gone) == read_by_what_stays(tree, gone)


def test_nodes_of_some_kinds() -> None:
    """In the order of all nodes, and the same again when asked again."""
    tree = module("import a\nif a:\n    from b import c\n    def f(): import d\n")
    kinds = (ast.Import, ast.ImportFrom)
    expected = tuple(node for node in ast.walk(tree) if isinstance(node, kinds))

    assert len(expected) == 3
    assert nodes_of(tree, *kinds) == expected
    assert nodes_of(tree, *kinds) is nodes_of(tree, *kinds)
