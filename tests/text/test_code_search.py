"""The search for lines that parse, and operations on lines."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.code_search import (
    inside_strings,
    longest_window,
    prefix,
    reads_as_prose,
    with_indentation,
    without_lines,
)
from benchwright.text.syntax import parse

FUNCTION = "def f(x):\n    return x"

SETTLED = {
    "as it stands": (FUNCTION, 0, FUNCTION, False, False),
    "blank end": (FUNCTION + "\n\n", 0, FUNCTION + "\n\n", False, False),
    "prose below": (FUNCTION + "\nIt is so.", 0, FUNCTION, False, True),
    "prose above": ("It is so:\n" + FUNCTION, 1, "\n" + FUNCTION, True, False),
    "bullets above": ("It is:\n  - so\n  - isn't it\n" + FUNCTION, 3, "\n\n\n" + FUNCTION, True, False),
    "prose between": (f"import a\nIt is so.\n{FUNCTION}", 2, f"import a\n\n{FUNCTION}", True, False),
    "prose around": (f"It is:\n{FUNCTION}\nDon't (you see", 1, f"\n{FUNCTION}", True, True),
    "notebook command": ("!pip install a\n" + FUNCTION, 1, "\n" + FUNCTION, True, False),
    "broken function below": (f"{FUNCTION}\ndef g(:\n    pass", 0, FUNCTION, False, True),
    "code, then broken code": (f"{FUNCTION}\ny = 1\nz = (", 0, f"{FUNCTION}\ny = 1", False, True),
    "text after the return": (FUNCTION + "\n    so be it", 0, FUNCTION, False, True),
    "return at column 0": (FUNCTION + "\nreturn f(1)", 0, FUNCTION, False, True),
}


@pytest.mark.parametrize(("text", "anchor", "kept", "prose", "cut"), SETTLED.values(), ids=SETTLED)
def test_settle(text: str, anchor: int, kept: str, prose: bool, cut: bool) -> None:
    """Prose above is blanked, so that lines keep their numbers; text below that does not parse is removed."""
    window = longest_window(text.split("\n"), anchor=anchor)

    assert window is not None
    assert ("\n".join(window.lines), window.prose, window.cut) == (kept, prose, cut)


UNSETTLED = {
    "broken head": ("def f(:\n    return x", 0),
    "broken line": ("def f(x):\n    y = = 1\n    return y", 0),
    "cut off": ("def f(x):\n    y = (x +", 0),
    "return torn off": ("def f(x):\n    y = x\nreturn y", 0),
    "half of a body at column 0": ("def f(x):\n    y = x\n) z = 1\n    return y", 0),
    "broken function above": ("def g(:\n    pass\ndef f(x):\n    return x", 2),
    "broken line of a function above": ("def g(x):\n    y = = 1\ndef f(x):\n    return x", 2),
    "broken line of a loop above": ("for x in xs:\n    y = = 1\ndef f(x):\n    return x", 2),
    "broken statement above": ("x = = 1\ndef f(x):\n    return x", 1),
    "too deep": (FUNCTION + "\nx = " + "-" * 50_000 + "1", 0),
}


@pytest.mark.parametrize(("text", "anchor"), UNSETTLED.values(), ids=UNSETTLED)
def test_broken_code_is_not_repaired(text: str, anchor: int) -> None:
    """Code is never removed to make the rest parse, neither above the function nor inside it."""
    assert longest_window(text.split("\n"), anchor=anchor) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x = 1\n)\ny = 2", "x = 1"),
        ("x = 1\n```\nIt's so", "x = 1"),
        ("x = 1\ny = 2", "x = 1\ny = 2"),
        ("", ""),
    ],
)
def test_prefix(text: str, kept: str) -> None:
    """The lines before the first one that does not parse, even if the parser reports a later one."""
    window = prefix(text.split("\n"), parse)

    assert window is not None
    assert "\n".join(window.lines) == kept


@pytest.mark.parametrize("text", [")", ")\nx = 1", "'\0'"])
def test_prefix_of_nothing(text: str) -> None:
    """There is no prefix if the first line does not parse."""
    assert prefix(text.split("\n"), parse) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", True),
        ("Here is the code (in Python):", True),
        ("Вот решение", True),
        ("- first = 1", True),
        ("1. First", True),
        ("<answer>", True),
        ("it returns the sum", True),
        ("that's it.", False),
        ("retrun x", False),
        ("result  []", False),
        ("for x in xs", True),
        ("x = the sum of all", False),
        ("fro i, x in enumerate(y):", False),
    ],
)
def test_reads_as_prose(line: str, expected: bool) -> None:
    """It begins unlike code, or has three words and no operator: a guess, for lines that do not parse."""
    assert reads_as_prose(line) is expected


def test_without() -> None:
    """Whole lines of the statements are removed, with decorators; a line shared by two statements stays."""
    lines = ["a = 1", "@d", "def f():", "    pass", "b = 1; c = 2", "e = 3"]
    tree = ast.parse("\n".join(lines))

    assert without_lines(lines, [tree.body[1], tree.body[2], tree.body[4]]) == ["a = 1", "b = 1; c = 2"]
    assert without_lines(["", *lines], [tree.body[0]], shift=1) == ["", *lines[1:]]
    assert without_lines(lines, []) == lines


def test_shifted() -> None:
    """The old indentation is replaced; blank and fixed lines stay."""
    lines = ["  a", "    b", "c", "   ", "  d"]

    assert with_indentation(lines, old="  ", new="\t", fixed={4}) == ["\ta", "\t  b", "c", "   ", "  d"]


@settings(deadline=None)
@given(lines=st.lists(st.text(alphabet="ab ", min_size=1, max_size=6)))
def test_shifted_there_and_back(lines: list[str]) -> None:
    """Indenting and removing the indentation again changes nothing."""
    there = with_indentation(lines, old="", new="\t")

    assert with_indentation(there, old="\t", new="") == lines


def test_inside_strings() -> None:
    """Indexes of the lines that begin in a string, shifted by the header of the tree."""
    lines = ['  a = """', "b", '"""', "  c = 'd'"]
    tree = ast.parse("def f():\n" + "\n".join(lines))

    assert inside_strings(lines, tree, shift=-1) == {1, 2}
    assert inside_strings(["a = 1"], ast.parse("a = 1"), shift=0) == set()
