"""Bounded reading of Python literals."""

from __future__ import annotations

import ast
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.literal import parse_literal
from kit.examples import examples

GOOD = [
    "1", "-1", "+1.5", "1e3", "0x1F", "1_000", "2j", "1+2j", "-1.5-2j", "'a'", "b'a'", "'a' 'b'", "r'\\d'",
    "'\\d'", "'\\ud800'", '"""a\nb"""', "None", "True", "...", "()", "(1,)", "[]", "[1, [2]]", "{}",
    "{'a': [1, (2, 3)]}", "{1, 2}", "set()", "set( )", "  1", "\t[1]", "[1,\n 2]", "(1) # one", "'я'",
    "1e999",
    "[{'n': 1, 's': 'x'}, {'n': None, 's': ''}]",
]  # fmt: skip

BAD = {
    "nothing": ("", "invalid syntax at line 1, column 1"),
    "a name": ("[1, foo]", "name `foo` at line 1, column 5"),
    "a name in a later line": ("[1,\n  foo]", "name `foo` at line 2, column 3"),
    "a name after Cyrillic": ("['да', foo]", "name `foo` at line 1, column 8"),
    "a name after spaces": ("   foo", "name `foo` at line 1, column 4"),
    "a call": ("[open('x')]", "call of `open` at line 1, column 2"),
    "a call of a method": ("'a'.upper()", "call at line 1, column 1"),
    "set with items": ("set([1])", "call of `set` at line 1, column 1"),
    "an f-string": ("f'{1}'", "f-string at line 1, column 1"),
    "a shift": ("1 << 9999999", "operator in BinOp at line 1, column 1"),
    "a power": ("9 ** 9", "operator in BinOp at line 1, column 1"),
    "a sum": ("1 + 2", "arithmetic at line 1, column 1"),
    "a sum of strings": ("'a' + 'b'", "arithmetic on str at line 1, column 1"),
    "a huge sum": ("1" + "0" * 400 + " + 1j", "int too large to convert to float at line 1, column 1"),
    "minus a string": ("-'a'", "arithmetic on str at line 1, column 2"),
    "minus True": ("-True", "arithmetic on bool at line 1, column 2"),
    "not": ("not 1", "operator in UnaryOp at line 1, column 1"),
    "a double minus": ("--1", "operator in UnaryOp at line 1, column 2"),
    "a comprehension": ("[x for x in y]", "ListComp at line 1, column 1"),
    "a lambda": ("lambda: 1", "Lambda at line 1, column 1"),
    "a star": ("[*a]", "Starred at line 1, column 2"),
    "two stars": ("{**{}}", "`**` in a dict at line 1, column 4"),
    "a subscript": ("[1][0]", "Subscript at line 1, column 1"),
    "a list as a key": ("{[]: 1}", "unhashable type: 'list' at line 1, column 1"),
    "a list in a set": ("[1, {[]}]", "unhashable type: 'list' at line 1, column 5"),
    "a statement": ("x = 1", "invalid syntax at line 1, column 3"),
    "two lines": ("1\n2", "invalid syntax at line 2, column 1"),
    "an open bracket": ("[1,\n", "'[' was never closed at line 1, column 1"),
    "an open bracket after spaces": ("  [1", "'[' was never closed at line 1, column 3"),
    "a null character": ("[1,\n'\0']", "null character at line 2, column 2"),
    "a lone surrogate": ("[1,\n'\ud800']", "lone surrogate at line 2, column 2"),
    "a lone surrogate after spaces": ("  '\ud800'", "lone surrogate at line 1, column 4"),
}


@pytest.mark.parametrize("source", GOOD)
def test_literals(source: str) -> None:
    """Every literal has the value and the type of ast.literal_eval."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ast.literal_eval(source)

    assert repr(parse_literal(source)) == repr(expected)
    assert type(parse_literal(source)) is type(expected)


@pytest.mark.parametrize(("source", "message"), BAD.values(), ids=BAD)
def test_anything_else_is_named_and_placed(source: str, message: str) -> None:
    """The message has the fault and its place, without a chain of parser errors."""
    with pytest.raises(ValueError, match=r"^not a literal: ") as caught:
        parse_literal(source)

    assert str(caught.value) == f"not a literal: {message}"
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_size_limit_counts_bytes() -> None:
    """A text at the limit is read, one with a byte more is not, and a Cyrillic letter has two bytes."""
    assert parse_literal("'яя'", max_bytes=6) == "яя"
    with pytest.raises(ValueError, match=r"^literal of 6 bytes is over the limit of 5$"):
        parse_literal("'яя'", max_bytes=5)


@pytest.mark.parametrize("source", ["[[[1]]]", "{1: {2: (3,)}}", "({(1,)},)"])
def test_depth_limit(source: str) -> None:
    """Containers and the value inside count one level each; a deeper one is refused."""
    assert parse_literal(source, max_depth=4) == ast.literal_eval(source)
    with pytest.raises(ValueError, match=r"nesting deeper than 3 at line 1, column \d+$"):
        parse_literal(source, max_depth=3)


@pytest.mark.parametrize(
    "source",
    [
        "[" * 5000,
        "[" * 190 + "]" * 190,
        "-" * 50_000 + "1",
        "1" + "+1" * 50_000,
        "a" + ".a" * 50_000,
        "9" * 5000,
    ],
    ids=["open", "lists", "minus", "sum", "attributes", "digits"],
)
def test_what_breaks_the_parser_is_a_value_error(source: str) -> None:
    """Recursion, memory and digit limits of the interpreter are refusals too."""
    with pytest.raises(ValueError, match="literal"):
        parse_literal(source)


def test_depth_limit_beyond_the_interpreter() -> None:
    """A caller that allows any depth still gets a value or a ValueError."""
    nested = "set()"
    for _ in range(90):
        nested = f"[{nested}]"

    assert repr(parse_literal(nested, max_depth=10_000)) == nested


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner)
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(value=VALUES)
def test_round_trip(value: object) -> None:
    """The repr of any plain value gives the value back, with its types."""
    assert repr(parse_literal(repr(value))) == repr(value)


PIECES = st.sampled_from(
    [
        *"[](){},:'\"-+12.je# \n\t\0\ud800\\",
        "None",
        "set()",
        "b'",
        "f'",
        "**",
        "<<",
        "a",
        "lambda:",
        "1,",
        "x(",
    ]
)


@settings(deadline=None, max_examples=examples(60))
@given(source=st.text() | st.lists(PIECES, max_size=10).map("".join))
def test_agrees_with_literal_eval_and_raises_nothing_else(source: str) -> None:
    """Values and refusals are equal for any text; only ValueError is raised."""
    assert outcome(parse_literal, source) == outcome(ast.literal_eval, source)


def outcome(reader: object, source: str) -> str:
    allowed = ValueError if reader is parse_literal else Exception
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(reader(source))  # type: ignore[operator]
        except allowed:
            return "refused"


@pytest.mark.parametrize("brackets", ["[]", "()", "{}"])
def test_depth_is_no_depth_of_calls(brackets: str) -> None:
    """The depth is limited by the parser only, whatever the limit of the caller."""
    opening, closing = brackets
    first = "1: " if opening == "{" else ""
    text = (opening + first) * 150 + "1" + ("," if opening == "(" else "") + closing
    value = parse_literal(text + ("," + closing if opening == "(" else closing) * 149, max_depth=10_000)

    assert value == ast.literal_eval(text + ("," + closing if opening == "(" else closing) * 149)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{[], x}", "unhashable type: 'list' at line 1, column 1"),
        ("{x, []}", "name `x` at line 1, column 2"),
        ("{[]: x}", "name `x` at line 1, column 6"),
        ("{1: 2, **{}, x: 3}", "`**` in a dict at line 1, column 10"),
        ("[{1: [2, {[]}]}, x]", "unhashable type: 'list' at line 1, column 10"),
    ],
)
def test_the_first_fault_is_said(source: str, message: str) -> None:
    """The order is that of Python's evaluation."""
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_literal(source)
