"""Hunks: replaced, patched and compared."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.hunks import (
    diff_hunks,
    hunk_of,
    is_equal_but_spaces,
    looks_like_diff,
    parses,
    patched,
    replace_lines,
)

LINES = st.lists(st.sampled_from(["a", "b", "", " a", "-x", "+y", "--- a", "@ z"]), min_size=1, max_size=8)


@given(LINES, st.data(), st.sampled_from(["", "\n"]), st.sampled_from(["\n", "\r\n"]))
def test_a_hunk_in_its_own_place_changes_nothing(
    lines: list[str], data: st.DataObject, last: str, end: str
) -> None:
    """With all line ends, and with or without one at the end of the file."""
    code = end.join(lines) + (end if last else "")
    number = len(lines) - (not lines[-1] and not last)
    if number == 0:
        return
    first = data.draw(st.integers(1, number))
    until = data.draw(st.integers(first, number))

    assert code == replace_lines(code, first, until, hunk_of(code, first, until) + "\n")


def test_new_lines_get_the_line_ends_around_them() -> None:
    """And an empty text deletes the lines."""
    assert replace_lines("a\r\nb\r\n", 1, 1, "x\ny\n") == "x\r\ny\r\nb\r\n"
    assert replace_lines("a\nb", 2, 2, "x\n") == "a\nx"
    assert replace_lines("a\nb\nc\n", 2, 2, "") == "a\nc\n"


@given(LINES, LINES, st.integers(0, 3))
def test_a_diff_gives_the_new_text(before: list[str], after: list[str], context: int) -> None:
    """Diffs of the standard library, applied; a deleted line may look like the header of a file."""
    lines = list(difflib.unified_diff(before, after, "a/x", "b/x", n=context, lineterm=""))
    made = patched("\n".join(before) + "\n", diff_hunks("\n".join(lines)))

    assert made == "\n".join(after) + "\n"


def test_a_diff_with_wrong_numbers_is_placed_by_its_lines() -> None:
    """If they occur once; else it is refused."""
    hunks = diff_hunks("@@ -9,2 +9,2 @@\n b\n-c\n+d")

    assert patched("a\nb\nc\n", hunks) == "a\nb\nd\n"
    with pytest.raises(ValueError, match="fits twice"):
        patched("b\nc\nb\nc\n", hunks)
    with pytest.raises(ValueError, match="lacks the old lines"):
        patched("b\n", hunks)
    with pytest.raises(ValueError, match="overlap"):
        patched("a\nb\nc\n", hunks * 2)


def test_a_diff_is_known_by_a_header() -> None:
    """A list with dashes is not a diff."""
    assert looks_like_diff("x\n@@ -1,2 +1 @@ f\n")
    assert not looks_like_diff("- one\n+ two\n@@ what")


@pytest.mark.parametrize(
    ("one", "other", "lang", "equal"),
    [
        ("x = 1\n", "x  =  1\n", "Python", True),
        ("f(a,\n  b)\n", "f(a, b)\n", "Python", True),
        ("if a:\n  b\nc\n", "if a:\n    b\nc\n", "Python", True),
        ("if a:\n  b\nc\n", "if a:\n  b\n  c\n", "Python", False),
        ("x = 'a b'\n", "x = 'a  b'\n", "Python", False),
        ("x = 1  # one  two\n", "x = 1  # one two\n", "Python", True),
        ("x = 1  # one\n", "x = 1  # two\n", "Python", False),
        ("    x = 1\n", "    x = 2\n", "Python", False),
        ("    return  x\n", "    return x\n", "Python", True),
        ("a  b\nc", "a b c", "", True),
        ("a b", "ab", "", False),
    ],
)
def test_white_space_without_a_meaning(one: str, other: str, lang: str, equal: bool) -> None:
    """Tokens, structure and words of comments count."""
    assert equal is is_equal_but_spaces(one, other, lang)


@pytest.mark.parametrize(
    ("code", "lang", "fine"),
    [
        ("x = 1\n", "Python", True),
        ("    x = 1\n    y = 2\n", "Python", True),
        ("x = (\n", "Python", False),
        ("def f(:\n    pass\n", "Python", False),
        ("if x:\nreturn\n", "Python", False),
        ("((", "", True),
    ],
)
def test_what_parses(code: str, lang: str, fine: bool) -> None:
    """An indented excerpt does; plain text always does."""
    assert fine is parses(code, lang)
