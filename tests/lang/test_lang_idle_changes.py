"""Idle changes of Python: they are named by what stands in the text, and never where a value could change."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.python.adequacy_mutations import distinct_mutants, further_edits
from benchwright.lang.python.equivalent_mutants import idle_changes
from benchwright.lang.python.mutations import python_edits
from kit.examples import examples


def idle(code: str) -> set[tuple[str, str]]:
    """Kind and text of each."""
    return {(kind, ast.unparse(node)) for kind, node in idle_changes(ast.parse(code))}


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("for i in range(n):\n    x = y - i", "i"),
        ("for i in range(1, n):\n    x = y - i", "i"),
        ("x = [y - i for i, c in enumerate(s)]", "i"),
        ("n = len(s)\nx = y < n", "n"),
        ("k = 0\nk += 1\nx = k - y", "k"),
        ("m = n + 1\nn = len(s)\nx = m - y", "m"),
        ("h = n % 7 if s else 2.5\nx = h - y", "h"),
        ("if (n := len(s)) > y:\n    pass", "n"),
    ],
)
def test_abs_of_what_is_never_negative(code: str, name: str) -> None:
    """Counters, lengths and what is made of them."""
    assert ("abs", name) in idle(code)
    assert not [each for each in distinct_mutants(code) if f"abs({name})" in each.code]


@pytest.mark.parametrize(
    "code",
    [
        "def f(i):\n    return i - 1",
        "for i in range(a, n):\n    x = y - i",
        "for i in range(9, -1, -1):\n    x = y - i",
        "for i in enumerate(s, -5):\n    x = y - i",
        "for i in numbers:\n    x = y - i",
        "for i, c in enumerate(s, a):\n    x = y - i",
        "i = 0\ni -= 1\nx = i - y",
        "i = len(s)\ni = a\nx = i - y",
        "i, j = 1, 2\nx = i - y",
        "i = 0\ndel i\nx = i - y",
        "i = 0\nwith a as i:\n    x = i - y",
        "i = True\nfrom a import i\nx = i - y",
        "i = 0\nmatch s:\n    case [i]:\n        x = i - y",
        "i = i + 1\nx = i - y",
        "i = -n\nn = 1\nx = i - y",
        "i = 0\ndef f():\n    global i\n    i = a\n    return i - y",
    ],
)
def test_what_may_be_negative_is_left(code: str) -> None:
    """One binding that is not known to be 0 or more is enough."""
    assert ("abs", "i") not in idle(code)
    assert [each for each in distinct_mutants(code) if "abs(i)" in each.code]


def test_abs_of_what_is_made_positive_at_once() -> None:
    """By `abs` itself or by an even power."""
    code = "x = abs(a - b) + (c - d) ** 2 + (e - f) ** 3"
    made = [each.code for each in distinct_mutants(code) if each.kind == "abs"]

    assert idle(code) == {("abs", "a - b"), ("abs", "c - d")}
    assert not [each for each in made if "abs(abs(a -" in each or "abs(c - d)" in each]
    assert [each for each in made if "abs(e - f)" in each]


@pytest.mark.parametrize(
    ("call", "known"),
    [
        ("min(a, b)", True),
        ("max(a, b, c)", True),
        ("math.gcd(a, b)", True),
        ("np.maximum(a, b)", True),
        ("torch.minimum(a, b)", True),
        ("max(a, b, key=len)", False),
        ("np.isclose(a, b)", False),
        ("pow(a, b)", False),
        ("rules.min(a, b)", False),
    ],
)
def test_order_that_says_nothing(call: str, known: bool) -> None:
    """Swapped arguments of such a function make no mutant; all other changes of it do."""
    code = f"x = {call}"
    swapped = [each for each in distinct_mutants(code) if each.kind == "arguments"]

    assert (("arguments", "a") in idle(code)) is known
    assert (not swapped) is known
    assert [each for each in distinct_mutants(code) if each.kind == "unwrapped"]


def test_a_function_of_the_programs_own() -> None:
    """It may be called min and be another."""
    code = "def min(a, b):\n    return a - b\nx = min(c, d)"

    assert idle(code) == set()


def test_edits_themselves_are_all_there() -> None:
    """Rows of data sets are made of the first kinds: what is idle is left out of mutants for tests alone."""
    code = "n = len(s)\nx = min(a, b), n < y"
    module = ast.parse(code)

    assert "arguments" in {edit.kind for edit in python_edits(module, code)}
    assert "abs" in {edit.kind for edit in further_edits(module, code)}
    assert {each.kind for each in distinct_mutants(code)}.isdisjoint({"arguments"})


_EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", "n", "i", "2", "0", "len(s)"]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "%"]), inner)
        | st.builds("{}({}, {})".format, st.sampled_from(["min", "max", "math.gcd"]), inner, inner)
        | st.builds("abs({})".format, inner)
    ),
    max_leaves=6,
)


@given(_EXPRESSIONS, st.integers(-4, 4), st.integers(-4, 4))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_left_out_gives_the_same(text: str, a: int, b: int) -> None:
    """Each mutant that is missing, executed on whole numbers, ends as the text does."""
    code = f"n = len(s)\nfor i in range(n):\n    x.append({text})\n"
    module = ast.parse(code)
    for kind, node in idle_changes(module):
        changed = code.splitlines()
        assert node.end_lineno == node.lineno and node.end_col_offset is not None
        line, part = changed[node.lineno - 1], ast.unparse(node)
        if kind == "abs" and isinstance(node.ctx if isinstance(node, ast.Name) else ast.Load(), ast.Load):
            changed[node.lineno - 1] = f"{line[: node.col_offset]}abs({part}){line[node.end_col_offset :]}"
            assert _run("\n".join(changed), a, b) == _run(code, a, b)


def _run(code: str, a: int, b: int) -> object:
    found: list[object] = []
    try:
        exec(code, {"x": found, "a": a, "b": b, "s": "ab", "math": math})
    except (ArithmeticError, TypeError, ValueError) as error:
        return found, type(error)
    return found
