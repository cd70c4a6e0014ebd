"""Groups of tasks on the page, and their members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from benchwright.records import TaskId
from benchwright.report.layout import MOST, task_groups
from benchwright.report.programs import Programs


class Known:
    """Programs with these groups of tasks."""

    def __init__(self, groups: Mapping[TaskId, Mapping[str, Sequence[str]]]) -> None:
        self._groups = groups

    def groups(self, task_id: TaskId) -> Mapping[str, Sequence[str]]:
        """Return the given groups."""
        return self._groups.get(task_id, {})


def grouped(groups: Mapping[TaskId, Mapping[str, Sequence[str]]]) -> tuple[list[str], Mapping[TaskId, str]]:
    """Return names and members of the groups of one track."""
    names, (members,) = task_groups([list(groups)], [cast("Programs", Known(groups))])
    return names, members


def test_groups_are_named_by_kind_and_in_order() -> None:
    names, members = grouped(
        {1: {"tag": ["b", "a"]}, 2: {"tag": ["a"], "language": ["Go"]}, 3: {"tag": ["b"], "language": ["Go"]}}
    )

    assert names == ["language: Go", "tag: a", "tag: b"]
    assert members == {1: "2 1", 2: "1 0", 3: "2 0"}


def test_a_group_of_one_task_or_of_all_says_nothing() -> None:
    names, members = grouped({1: {"tag": ["all", "one"]}, 2: {"tag": ["all"]}})

    assert names == [] and members == {1: "", 2: ""}


def test_a_track_without_its_data_has_no_groups() -> None:
    assert task_groups([["a", "b"]], [None]) == ([], [{}])


def test_two_tracks_share_the_names() -> None:
    one = cast("Programs", Known({1: {"tag": ["x"]}}))
    other = cast("Programs", Known({"a": {"tag": ["x"]}, "b": {}}))

    assert task_groups([[1], ["a", "b"]], [one, other]) == (["tag: x"], [{1: "0"}, {"a": "0", "b": ""}])


def test_a_hostile_name_is_shown_by_its_escapes() -> None:
    names, _ = grouped({1: {"tag": ["\u202e<b>"]}, 2: {"tag": ["\u202e<b>"]}, 3: {}})

    assert names == ["tag: \\u202e<b>"]


@given(st.lists(st.lists(st.integers(0, 400), max_size=6), min_size=1, max_size=40))
def test_members_are_what_the_names_say(rows: list[list[int]]) -> None:
    groups = {number: {"tag": [str(each) for each in row]} for number, row in enumerate(rows)}
    names, members = grouped(groups)

    assert len(names) <= MOST and names == sorted(names)
    for number, row in enumerate(rows):
        said = [names[int(place)] for place in members[number].split()]
        assert said == [f"tag: {each}" for each in dict.fromkeys(row) if f"tag: {each}" in names]
