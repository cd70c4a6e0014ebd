"""Hunks of stored patches: both sides with their places, whatever the text."""

from __future__ import annotations

import difflib

from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.building.alignment.exports.patch_hunks import (
    PatchHunk,
    new_side,
    patch_hunks,
    without_header,
)
from kit.examples import USUAL, examples

LINES = st.lists(st.sampled_from(["a", "b", "", "-- x", "++ y", "@@ -1 +1 @@", "\\ No"]), max_size=12)


@given(LINES, LINES)
@settings(max_examples=examples(USUAL * 2), deadline=None)
def test_hunks_of_any_patch_turn_the_old_text_into_the_new_one(old: list[str], new: list[str]) -> None:
    """Lines that look like headers are lines."""
    patch = "\n".join(difflib.unified_diff(old, new, lineterm="", n=1))
    made = list(old)
    for hunk in reversed(patch_hunks(patch)):
        start = hunk.old_first - 1 if hunk.old else hunk.old_first
        assert made[start : start + len(hunk.old)] == hunk.old
        made[start : start + len(hunk.old)] = hunk.new

    assert made == new


@given(st.text(max_size=60) | st.lists(st.sampled_from("@@ -1,2 +1,9 @@\n +-x\\"), max_size=40).map("".join))
@settings(max_examples=examples(USUAL), deadline=None)
def test_any_text_is_read(text: str) -> None:
    for hunk in patch_hunks(text):
        assert hunk.old or hunk.new or "0" in text


def test_a_cut_hunk_is_left_out() -> None:
    """Its other lines are unknown, so neither side is the code."""
    whole = "@@ -1 +1 @@\n-a\n+b"

    assert len(patch_hunks(whole)) == 1
    assert len(patch_hunks(f"{whole}\n@@ -9,3 +9,3 @@\n x\n-y")) == 1


def test_a_missing_line_end_is_not_a_line() -> None:
    [hunk] = patch_hunks("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file")

    assert (hunk.old, hunk.new) == (["a"], ["b"])


def test_lines_that_a_hunk_touches() -> None:
    """Deleted lines are a place between two lines."""
    hunk = PatchHunk(10, ["a", "b"], 20, ["a"])

    assert [hunk.touches(first, last) for first, last in ((19, 19), (18, 20), (20, 19), (21, 21))] == [
        False,
        True,
        True,
        False,
    ]


def test_sides_of_a_hunk_as_a_platform_shows_it() -> None:
    """Its counts are those of the whole hunk, of which a remark shows the beginning."""
    shown = "@@ -1,40 +1,52 @@ def f():\n a\n-b\n+c"

    assert new_side(shown) == ["a", "c"]
    assert without_header(shown) == " a\n-b\n+c"
