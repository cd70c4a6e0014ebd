"""Lines followed through differences, against edits whose line map is known."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.alignment.links.spans import (
    NEAR,
    LineSpan,
    follow,
    moved_to,
    new_range,
    written_here,
)
from benchwright.sources.diff_records import LineHunk

Edit = tuple[int, int, int]  # unchanged lines before, lines removed, lines added
edits = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 4), st.integers(0, 4)).filter(
        lambda edit: edit[1] + edit[2] > 0
    ),
    max_size=6,
)


def made(given_edits: list[Edit], rest: int) -> tuple[list[LineHunk], dict[int, int], int]:
    """The hunks of edits, the new number of each kept line, and the number of old lines."""
    old = new = 0
    kept: dict[int, int] = {}
    hunks = []
    for before, removed, added in given_edits:
        kept |= {old + at: new + at for at in range(1, before + 1)}
        old, new = old + before, new + before
        hunks.append(LineHunk(old + (removed > 0), removed, new + (added > 0), added))
        old, new = old + removed, new + added
    kept |= {old + at: new + at for at in range(1, rest + 1)}
    return hunks, kept, old + rest


@given(edits, st.integers(1, 6), st.data())
def test_kept_lines_follow_the_line_map(given_edits: list[Edit], rest: int, data: st.DataObject) -> None:
    hunks, kept, count = made(given_edits, rest)
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    found = follow(LineSpan(first, last), hunks)
    new = [kept.get(line) for line in range(first, last + 1)]
    unchanged = None not in new and all(b == a + 1 for a, b in pairwise(new) if a and b)
    assert (found.state != "changed") == unchanged
    if unchanged:
        assert found.span == LineSpan(kept[first], kept[last])
        around = range(max(1, first - NEAR), min(count, last + NEAR) + 1)
        near = [kept.get(line, 0) - line for line in around]
        assert found.state == ("next_to" if len(set(near)) > 1 or not all(map(kept.get, around)) else "same")
    else:
        ends = [line for line in (kept.get(first), kept.get(last)) if line]
        assert all(found.span.first <= line <= found.span.last for line in ends)


@given(edits, st.integers(1, 6))
def test_added_lines_are_written_here_and_kept_lines_are_not(given_edits: list[Edit], rest: int) -> None:
    hunks, kept, _ = made(given_edits, rest)
    written = {line for hunk in hunks for line in range(new_range(hunk)[0], new_range(hunk)[1] + 1)}
    for line in range(1, max([*written, *kept.values()]) + 1):
        assert written_here(LineSpan(line, line), hunks) == (line in written)


def test_lines_in_the_place_of_removed_ones_change_an_empty_span() -> None:
    gap = follow(LineSpan(5, 6), [LineHunk(5, 2, 4, 0)])
    assert gap == ("changed", LineSpan(5, 4))
    assert follow(gap.span, [LineHunk(4, 0, 5, 1)]) == ("changed", LineSpan(5, 5))
    assert follow(gap.span, [LineHunk(1, 0, 2, 2)]) == ("same", LineSpan(7, 6))
    assert follow(gap.span, [LineHunk(4, 1, 4, 1)]).state == "next_to"


def test_a_moved_block_is_found_and_a_bracket_is_not() -> None:
    new = ["start", "moved_block(one)", "moved_block(two)", "end"]
    hunks = [LineHunk(1, 0, 2, 2)]
    assert moved_to(["  moved_block(one)", "moved_block(two)"], new, hunks, spaces=False) == LineSpan(2, 3)
    assert moved_to(["  moved_block(one)", "moved_block(two)"], new, hunks, spaces=True) is None
    assert moved_to(["}"], ["}", "}"], [LineHunk(0, 0, 1, 2)], spaces=False) is None
