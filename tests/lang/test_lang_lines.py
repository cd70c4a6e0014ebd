"""Lines out of a text, and the gaps they leave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.lines import is_blank, lines_of, split, split_lf, without_lines

TEXTS = st.text(st.sampled_from("ab \n\r\f\u2028:{}"), max_size=40)


@given(TEXTS)
def test_split_keeps_all(text: str) -> None:
    """Lines put together again are the text, whichever way they are counted."""
    assert ("".join(split(text)), "".join(split_lf(text))) == (text, text)


@pytest.mark.parametrize(
    ("text", "count", "count_lf"),
    [("a\nb", 2, 2), ("a\r\nb\r\n", 2, 2), ("a\rb", 2, 1), ("a\fb\u2028c", 1, 1), ("", 0, 0), ("\n\n", 2, 2)],
)
def test_what_ends_a_line(text: str, count: int, count_lf: int) -> None:
    """Python's parser ends a line at a carriage return too; neither does at a form feed."""
    assert (len(split(text)), len(split_lf(text))) == (count, count_lf)


def test_lines_for_pages_have_no_ends() -> None:
    """There are as many as counted, and other separators stay inside a line."""
    assert lines_of("a\r\nb\rc\fd\u2028e\n\nf") == ["a", "b\rc\fd\u2028e", "", "f"]


GAPS = {
    "between two, the larger run stays": ("a\n\n\nX\n\nb\n", (4, 4), "a\n\n\nb\n"),
    "one line of gap stays one": ("a\n\nX\n\nb\n", (3, 3), "a\n\nb\n"),
    "no gap stays none": ("a\nX\nb\n", (2, 2), "a\nb\n"),
    "never more than two": ("a\n\n\n\n\nX\n\n\n\n\nb\n", (6, 6), "a\n\n\nb\n"),
    "nothing at the start": ("X\n\n\nb\n", (1, 1), "b\n"),
    "nothing at the end": ("a\n\n\nX\n\n", (4, 4), "a\n"),
    "what opened the block": ("class A:\n    X\n\n    b\n", (2, 2), "class A:\n    b\n"),
    "what closed the block": ("{\n    a\n\n    X\n}\n", (4, 4), "{\n    a\n}\n"),
    "several lines": ("a\n\nX\nX\n\nb\n", (3, 4), "a\n\nb\n"),
    "everything": ("X\nX\n", (1, 2), ""),
    "out of range": ("a\nb\n", (5, 9), "a\nb\n"),
    "white space is blank": ("a\n  \nX\n\t\nb\n", (3, 3), "a\n  \nb\n"),
}


@pytest.mark.parametrize(("text", "cut", "expected"), GAPS.values(), ids=GAPS)
def test_gaps(text: str, cut: tuple[int, int], expected: str) -> None:
    """What is cut leaves the gap that was there, and no larger one."""
    assert without_lines(split(text), [cut]) == expected


def test_a_run_inside_a_gap_counts() -> None:
    """Groups of imports stay apart when the line above the gap between them goes, and the one below."""
    assert without_lines(split("a\nX\n\nX\nb\n"), [(2, 2), (4, 4)]) == "a\n\nb\n"


def test_neighbours_leave_one_gap() -> None:
    """Ranges with nothing but blank lines between them are one region: this is the run of blank lines that tells."""
    text = "a\n\n\n" + "X\n\n\n" * 19 + "b\n"

    assert (
        without_lines(split(text), [(4 + 3 * number, 4 + 3 * number) for number in range(19)]) == "a\n\n\nb\n"
    )


@given(TEXTS)
def test_nothing_cut_changes_nothing(text: str) -> None:
    """Blank runs of the file's own are its author's."""
    assert without_lines(split(text), []) == text


@given(
    st.lists(st.sampled_from(["a\n", "\n", "X\n", "b:\n", "}\n"]), max_size=30),
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=3),
)
def test_what_is_not_cut_stays(lines: list[str], cut: list[tuple[int, int]]) -> None:
    """Every line that is neither cut nor blank is there afterwards, in the same order."""
    gone = {number for first, last in cut for number in range(first, last + 1)}
    expected = [line for number, line in enumerate(lines, 1) if number not in gone and not is_blank(line)]

    assert [line for line in split(without_lines(lines, cut)) if not is_blank(line)] == expected
