"""Mutations of Python that ask how much tests notice: their first set."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.protocol import Mutant
from benchwright.lang.python.mutations import KINDS, python_edits
from benchwright.lang.python.tree import parse
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.text_edits import mutants_of
from kit.examples import examples
from kit.lang_samples import CACHE_PY


def mutants(code: str) -> Iterator[Mutant]:
    module = parse(code)
    return (
        iter(()) if isinstance(module, SyntaxFault) else mutants_of(code.encode(), python_edits(module, code))
    )


def changed(code: str) -> dict[str, str]:
    return {mutant.name: mutant.code for mutant in mutants(code)}


def of_kind(kind: str, code: str) -> list[str]:
    return [mutant.code for mutant in mutants(code) if mutant.kind == kind]


PYTHON = {
    "compare": ("a < b", ["a >= b"]),
    "compare a chain": ("a < b == c", ["a >= b == c", "a < b != c"]),
    "compare words": ("a not  in b, a is c", ["a in b, a is c", "a not  in b, a is not c"]),
    "compare over lines": ("(a is \\\n not b)", ["(a is b)"]),
    "compare past comments": ("(a  # a < b\n== b)", ["(a  # a < b\n!= b)"]),
    "compare in brackets": ("(a)==(b)", ["(a)!=(b)"]),
    "boundary": ("a < b, a >= b, a == b", ["a <= b, a >= b, a == b", "a < b, a > b, a == b"]),
    "logic": ("a and b and c or d", ["a or b or c or d", "a and b and c and d"]),
    "negate": ("if a or b: pass\nwhile(c): pass", ["if not (a or b): pass\nwhile(c): pass", "if a or b: pass\nwhile(not (c)): pass"]),
    "negate without a space": ("if[a]: pass", ["if not ([a]): pass"]),
    "negate inside": ("x = a if b else c", ["x = a if not (b) else c"]),
    "boolean": ("x = True, False", ["x = False, False", "x = True, True"]),
    "constant": ("x = 0x10, 1_000, 2.5, 'a', -1", ["x = 17, 1_000, 2.5, 'a', -1", "x = 0x10, 1001, 2.5, 'a', -1", "x = 0x10, 1_000, 2.5, 'a', -2"]),
    "arithmetic": ("a + b * c // d", ["a - b * c // d", "a + b / c // d", "a + b * c * d"]),
    "arithmetic in place": ("a += 1; b **= 2", ["a -= 1; b **= 2", "a += 1; b *= 2"]),
    "return": ("def f():\n    if a: return None\n    return a\n", ["def f():\n    if a: return None\n    return None\n"]),
    "return without a space": ("def f(): return[a]", ["def f(): return None"]),
    "arguments": ("f(a, *b), f(a, b), f(a, a), f((yield), b), f(a, x=1)", ["f(a, *b), f(b, a), f(a, a), f((yield), b), f(a, x=1)"]),
    "arguments in brackets": ("f((a), lambda: b, c)", ["f((lambda: b), a, c)"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "code", "expected"), [(name, *pair) for name, pair in PYTHON.items()], ids=PYTHON
)
def test_python(name: str, code: str, expected: list[str]) -> None:
    """Each kind changes its places and no other text."""
    assert of_kind(name.partition(" ")[0], code) == expected


@pytest.mark.parametrize(
    "code", ["x: int[3] = y", "def f(a: 1) -> 2: pass", 'f"{a < 1}"', "pass", "", "def f(:"]
)
def test_python_without(code: str) -> None:
    """Annotations, f-strings and files that do not parse have no mutants."""
    assert changed(code) == {}


def test_python_beyond_ascii() -> None:
    """Places are right after any letters, line ends and a byte order mark."""
    code = "\ufeffx = 'жж', 1\r\ny = 'ж' + 2\r\n"

    assert of_kind("constant", code) == [code.replace("1", "2"), code.replace("+ 2", "+ 3")]


def test_long_numbers() -> None:
    """A number too long to be written out is left alone."""
    assert changed(f"x = 0x{'f' * 5000}") == {}


def test_samples() -> None:
    """Names are unique, kinds known, lines right, the order the text's, and the same each time."""
    found = list(mutants(CACHE_PY))
    lines = CACHE_PY.splitlines()

    assert len({mutant.name for mutant in found}) == len(found) > 0
    assert {mutant.kind for mutant in found} <= set(KINDS)
    assert [mutant.line for mutant in found] == sorted(mutant.line for mutant in found)
    assert found == list(mutants(CACHE_PY))
    for mutant in found:
        numbered = enumerate(mutant.code.splitlines(), 1)
        assert next(number for number, line in numbered if line != lines[number - 1]) == mutant.line


def test_one_place_only() -> None:
    """A mutant differs from the file in one line."""
    for mutant in mutants(CACHE_PY):
        lines = difflib.ndiff(CACHE_PY.splitlines(), mutant.code.splitlines())

        assert [line[0] for line in lines if line[0] in "+-"] == ["-", "+"]


def test_lazy() -> None:
    """Mutants are created on demand, so the first one of a long file needs little memory."""
    code = "x = 1\n" * 20_000
    first = next(mutants(code))

    assert first == Mutant(name="constant-1-5", kind="constant", code="x = 2\n" + code[6:], line=1)


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "1", "True", "'ж'", "(yield)", "[]", "(a, 2)", "not a", "lambda: 3", "-4", "await_"]),
    lambda inner: st.builds(
        lambda left, operator, right: operator.format(left, right),
        inner,
        st.sampled_from(["{} < {}", "({})and({})", "{} not in {}", "f({}, {})", "{} if {} else 5", "({})+\\\n({})", "[{}for x in({})]", "({} is # is\n not {})"]),
        inner,
    ),
    max_leaves=6,
)  # fmt: skip
STATEMENTS = st.builds(
    lambda form, expression: form.format(expression),
    st.sampled_from(
        [
            "x = {}\n",
            "if({}): pass\n",
            "def f():\n    return {}\n",
            "while {}:\n\tx -= 1\n",
            "assert {}, '''\n'''\n",
        ]
    ),
    EXPRESSIONS,
)


@given(st.lists(STATEMENTS, max_size=4).map("".join))
@settings(max_examples=examples(40), deadline=None)
def test_python_mutants_parse(code: str) -> None:
    """Every mutant of a file that parses is another file that parses."""
    try:
        before = ast.dump(ast.parse(code))
    except SyntaxError:
        return
    for mutant in mutants(code):
        assert ast.dump(ast.parse(mutant.code)) != before
