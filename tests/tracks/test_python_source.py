"""Signatures are read from the head of a function without executing it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.tracks.python_source import Signature, read_signature

DOC = '    """What it does."""\n'


def read(source: str) -> Signature:
    """Return the signature of `f`."""
    signature = read_signature(source, "f")
    assert signature is not None
    return signature


def test_each_kind_of_parameter_is_told_apart() -> None:
    """The kind decides whether a parameter may be passed by name."""
    actual = read("def f(a, /, b, c=1, *rest, d, **more) -> int:\n" + DOC)

    assert Signature(("b", "c"), ("a",), ("d",), True, "int") == actual


@pytest.mark.parametrize(
    "head",
    [
        "def f(x):",
        "def f(x):\n",
        "def f(x):\n" + DOC,
        "import math\n\ndef g():\n    return f\n\ndef f(x):\n" + DOC,
    ],
)
def test_a_head_may_lack_its_body(head: str) -> None:
    """Benchmarks cut a function after its docstring, or after the colon."""
    assert read(head).names == ("x",)


def test_the_last_definition_counts() -> None:
    """As in Python, a later definition replaces an earlier one."""
    assert read("def f(x):\n    pass\ndef f(y):\n    pass\n").names == ("y",)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [("-> str", "str"), ("-> 'List[int]'", "List[int]"), ("-> Optional[ int ]", "Optional[int]"), ("", "")],
)
def test_the_return_annotation_is_text(annotation: str, expected: str) -> None:
    """A quoted annotation means the same as a plain one."""
    assert expected == read(f"def f() {annotation}:\n{DOC}").returns


@pytest.mark.parametrize(
    "source",
    ["", "x = 1", "def g(x):\n    pass", "def f(", "class f: pass", "\0", "(" * 5000, "x" * (2 << 20)],
)
def test_a_head_without_the_function_has_no_signature(source: str) -> None:
    """Other text gives None."""
    assert read_signature(source, "f") is None


@given(st.text(max_size=200))
def test_any_text_has_a_signature_or_none(text: str) -> None:
    """No text of a prompt raises an exception."""
    actual = read_signature(text, "f")

    assert actual is None or isinstance(actual, Signature)


def test_calls_are_put_by_name() -> None:
    """Positional arguments get names, defaults are left out, and keyword arguments may follow."""
    signature = read("def f(a, b, c=3, *, d=4):\n" + DOC)

    assert signature.by_name((1,), {"b": 2, "d": 5}) == {"a": 1, "b": 2, "d": 5}


@pytest.mark.parametrize(
    ("source", "args", "kwargs"),
    [
        ("def f(a):", (1, 2), {}),
        ("def f(a):", (1,), {"a": 2}),
        ("def f(a):", (), {"b": 2}),
        ("def f(*a):", (1,), {}),
        ("def f(**a):", (), {"x": 1}),
        ("def f(a, /):", (1,), {}),
    ],
)
def test_a_call_that_has_no_names_is_refused(
    source: str, args: tuple[int, ...], kwargs: dict[str, int]
) -> None:
    """A call is never changed to fit."""
    with pytest.raises(ValueError) as caught:
        read(source).by_name(args, kwargs)

    assert str(caught.value)
