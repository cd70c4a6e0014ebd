"""Asserts as a check: allowed content, and refusals with a hint."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.tracks.own.rows import BadAsserts, check_source
from kit.examples import examples


@pytest.mark.parametrize(
    "asserts",
    [
        "assert add(1, 2) == 3",
        "import math\nassert math.isclose(add(.1, .2), .3)",
        "for x in range(3):\n    assert add(x, 0) == x",
        "def half(x):\n    return x / 2\n\nassert half(add(2, 2)) == 2",
        "try:\n    add('a', 1)\nexcept TypeError:\n    pass\nelse:\n    assert False",
        "assert candidate(1, 2) == add(1, 2)",
    ],
)
def test_statements_become_a_check(asserts: str) -> None:
    """It passes for a right function under its names."""
    namespace: dict[str, object] = {"add": lambda a, b: a + b}
    exec(check_source(asserts, "add"), namespace)

    namespace["check"](namespace["add"])  # type: ignore[operator]


def test_a_text_of_several_lines_keeps_its_indentation() -> None:
    asserts = 'assert add("""a\n  b""", "") == "a\\n  b"'
    namespace: dict[str, object] = {"add": lambda a, b: a + b}
    exec(check_source(asserts, "add"), namespace)

    namespace["check"](None)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("asserts", "message", "line"),
    [
        ("assert add(1, 2) = 3", "invalid Python", 1),
        ("assert add(1) == 1\nreturn", "invalid Python", 2),
        ("add(1, 2)", "no assert calls `add`", 0),
        ("assert 1 == 1", "no assert calls `add`", 0),
        ("def add(a, b): return 3\nassert add(1, 2) == 3", "binds `add`", 0),
        ("add = 1\nassert add", "binds `add`", 0),
        ("assert sum_of(add(1, 2)) == 3", "uses `sum_of`, which is not defined", 0),
        ("from math import *\nassert add(1, 2) == 3", "star import", 0),
        ("assert add(1, 2) == 3\nawait add", "cannot be a test", 0),
        ("assert add(1, 2) == 3\nbreak", "cannot be a test", 0),
        ("", "no assert calls", 0),
    ],
)
def test_asserts_that_cannot_judge_are_refused(asserts: str, message: str, line: int) -> None:
    with pytest.raises(BadAsserts, match=message.replace("(", r"\(")) as caught:
        check_source(asserts, "add")

    assert caught.value.line == line
    assert caught.value.hint


@given(st.text(max_size=100))
@settings(max_examples=examples(100))
def test_any_text_is_a_check_or_refused(text: str) -> None:
    """No other exception is raised."""
    try:
        source = check_source(text, "add")
    except BadAsserts:
        return
    compile(source, "<x>", "exec")
