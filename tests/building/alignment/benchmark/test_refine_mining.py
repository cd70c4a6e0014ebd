"""Rows of review remarks from remarks, links and the files of a clone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.alignment.benchmark.material import MinedRow
from benchwright.building.alignment.benchmark.refine_rows import (
    MAX_HUNK,
    HunkPair,
    changed_hunk,
    refine_rows,
    strongest_links,
)
from benchwright.building.alignment.records import LineRange
from benchwright.records import Drop
from benchwright.tracks.refine.rows import read_task, spec_of
from benchwright.tracks.rows import Fields
from kit.made_mining import FILES, HEAD, OLD, REPO, MadeRecords, answered, lines_of, remark


def _rows(records: MadeRecords, *, rungs: Collection[int] = (1, 2, 3), **files: Any) -> list[MinedRow | Drop]:
    return list(refine_rows(records, lines_of(**files), repos={REPO}, rungs=rungs))


def _reason(found: MinedRow | Drop) -> str:
    return found.reason if isinstance(found, Drop) else ""


def test_a_remark_and_its_answer_make_a_row() -> None:
    """Of the two changes of the answer, the row has the one at the remark."""
    records = MadeRecords(feedback=[remark(1, 7, "Compare with `is`.")], links=[answered(1, 7)])
    (mined,) = _rows(records)

    assert isinstance(mined, MinedRow)
    row = mined.row
    assert (row["code"], row["first"], row["last"], row["reference"]) == (OLD, 7, 7, "    if mass is None:")
    assert (row["lang"], row["licence"], row["remark"]) == ("Python", "MIT", "Compare with `is`.")
    assert row["meta"]["rung"] == 3 and spec_of(read_task(Fields(row, "row", 1))).remarked == (7, 7)


def test_deleted_lines_get_a_neighbour() -> None:
    """So that the reference has text, and the deletion is visible."""
    (mined,) = _rows(MadeRecords(feedback=[remark(1, 2, "Unused.")], links=[answered(1, 2)]))

    assert isinstance(mined, MinedRow)
    assert (mined.row["first"], mined.row["last"], mined.row["reference"]) == (1, 2, "import os")
    assert (mined.row["remark_first"], mined.row["remark_last"]) == (2, 2)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"bot": True}, "bot"),
        ({"self_made": True}, "own_change"),
        ({"category": "praise"}, "praise"),
        ({"category": "noise"}, "noise"),
        ({"text": " "}, "no_text"),
        ({"first": 0, "last": 0}, "no_lines"),
        ({"side": "old"}, "old_side"),
        ({"id": "other"}, "not_answered"),
    ],
)
def test_each_remark_that_makes_no_row_has_a_reason(parts: dict[str, Any], reason: str) -> None:
    """Nothing is lost."""
    found = _rows(MadeRecords(feedback=[remark(1, 7, **{"text": "Why?", **parts})], links=[answered(1, 7)]))

    assert [_reason(each) for each in found] == [reason]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"rung": 4}, "not_answered"),
        ({"weak": True}, "not_answered"),
        ({"state": "unchanged", "rung": 0}, "not_answered"),
        ({"before": LineRange(commit=HEAD, path="gone.py", first=1, last=1)}, "no_file"),
        ({"target": "pull:1", "after": None}, "no_file"),
        ({"before": LineRange(commit=HEAD, path="scales.py", first=90, last=91)}, "no_lines"),
        ({"before": LineRange(commit=HEAD, path="scales.py", first=13, last=13)}, "change_elsewhere"),
    ],
)
def test_each_link_that_makes_no_row_has_a_reason(parts: dict[str, Any], reason: str) -> None:
    """Weak and lower rungs make no row by default."""
    found = _rows(MadeRecords(feedback=[remark(1, 7, "Why?")], links=[answered(1, 7, **parts)]))

    assert [_reason(each) for each in found] == [reason]


def test_a_place_between_two_lines_is_the_line_below_it() -> None:
    """A link may end before it begins, where the remarked lines are gone."""
    place = LineRange(commit=HEAD, path="scales.py", first=7, last=6)
    (mined,) = _rows(MadeRecords(feedback=[remark(1, 7, "Why?")], links=[answered(1, 7, before=place)]))

    assert isinstance(mined, MinedRow) and (mined.row["first"], mined.row["last"]) == (7, 7)


def test_other_rungs_on_request() -> None:
    """And only remarks of the given repositories and kinds."""
    links = [answered(1, 7, 4), answered(2, 7, 4, repo="other/one")]
    feedback = [
        remark(1, 7, "Why?"),
        remark(2, 7, "Why?", repo="other/one"),
        remark(3, 7, "No", kind="check"),
    ]
    found = _rows(MadeRecords(feedback=feedback, links=links), rungs=(4,))

    assert [_reason(each) for each in found] == [""]


def test_the_strongest_link_counts() -> None:
    """Of equal rungs, one that names the new lines."""
    links = [answered(1, 7, 3), answered(1, 7, 2, after=None, id="b"), answered(1, 7, 2, id="c")]

    assert strongest_links(links, (1, 2, 3))[links[0].source].id == "c"


def test_a_large_file_is_cut_to_the_lines_around_the_hunk() -> None:
    """The numbers of the lines follow."""
    filler = "".join(f"x{number} = {number}\n" for number in range(500))
    files = {key: filler + text + filler for key, text in FILES.items()}
    (mined,) = _rows(MadeRecords(feedback=[remark(1, 507, "Why?")], links=[answered(1, 507)]), files=files)

    assert isinstance(mined, MinedRow)
    row = mined.row
    assert (
        row["code"].count("\n") == 121 and row["code"].split("\n")[row["first"] - 1] == "    if mass == None:"
    )


def test_a_large_hunk_is_left_out() -> None:
    """Its answer would be another task."""
    old = [f"a{number}" for number in range(100)]
    new = [f"b{number}" for number in range(100)]

    assert changed_hunk(old, new, 50, 50) == "large_hunk"
    assert isinstance(changed_hunk(old[:MAX_HUNK], new[:MAX_HUNK], 5, 5), HunkPair)


LINES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=12)


@given(LINES, LINES, st.data())
def test_a_hunk_holds_the_remark_and_leaves_the_rest(
    old: list[str], new: list[str], data: st.DataObject
) -> None:
    """The lines before and after it are those of the old file, and it is changed."""
    first = data.draw(st.integers(1, len(old)))
    last = data.draw(st.integers(first, len(old)))
    found = changed_hunk(old, new, first, last)
    if isinstance(found, str):
        return

    assert found.first <= first <= last <= found.last and "".join(found.new)
    assert found.new != old[found.first - 1 : found.last]
    assert any(new[at : at + len(found.new)] == found.new for at in range(len(new)))
