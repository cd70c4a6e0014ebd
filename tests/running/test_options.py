"""A part of a data set is selected by names, patterns, places, shares or a file, and shares partition the
whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError, UsageError
from benchwright.records import Task, TaskId
from benchwright.running.options import named_tasks, part_of


def data(*ids: TaskId) -> dict[TaskId, Task]:
    """Return tasks with these ids."""
    return {
        each: Task(task_id=each, instruction="", inputs={}, outputs="", meta={}, revision="r") for each in ids
    }


TEN = data(*(f"Small/{number}" for number in range(10)))


def chosen(*names: str, of: dict[TaskId, Task] = TEN, excluded: tuple[str, ...] = ()) -> list[TaskId]:
    """Return the selected ids."""
    return list(named_tasks(of, names, excluded))


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        ((), range(10)),
        (("Small/7",), [7]),
        (("Small/[13]",), [1, 3]),
        (("2:4",), [2, 3]),
        (("8:",), [8, 9]),
        ((":2",), [0, 1]),
        (("2/4",), [1, 5, 9]),
        (("9:", "Small/0", "0:1"), [0, 9]),
    ],
    ids=["all", "id", "pattern", "places", "from", "to", "share", "several"],
)
def test_what_is_chosen_keeps_the_datas_order(names: tuple[str, ...], numbers: list[int]) -> None:
    """Each is selected once, however often it is named."""
    assert chosen(*names) == [f"Small/{number}" for number in numbers]


def test_a_file_names_one_a_line(tmp_path: Path) -> None:
    """Ids and any other selection; comments and empty lines are skipped."""
    listed = tmp_path / "ids.txt"
    listed.write_text("# slow ones\nSmall/3\n\n  0:2  \n")

    assert chosen(f"@{listed}") == ["Small/0", "Small/1", "Small/3"]


def test_an_id_is_an_id_whatever_it_looks_like() -> None:
    """Integers are named by their text, and an id that looks like a share or a pattern is itself."""
    odd = data(7, 8, "1/2", "0:1", "a*", "ab")

    assert [chosen(name, of=odd) for name in ("7", "1/2", "0:1", "a*", "2/4")] == [
        [7],
        ["1/2"],
        ["0:1"],
        ["a*"],
        [8, "ab"],
    ]


@given(st.integers(1, 40), st.data())
def test_shares_are_disjoint_and_make_up_the_whole(tasks: int, drawn: st.DataObject) -> None:
    """Their sizes differ by at most one."""
    whole = data(*range(tasks))
    shares = drawn.draw(st.integers(1, tasks))
    parts = [chosen(f"{number}/{shares}", of=whole) for number in range(1, shares + 1)]

    assert sorted(each for part in parts for each in part) == list(range(tasks))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_places_count_tasks_that_are_excluded() -> None:
    """Excluding a task moves no other into another part."""
    assert chosen("0:3", excluded=("Small/1",)) == ["Small/0", "Small/2"]


@pytest.mark.parametrize(
    ("names", "said", "hint"),
    [
        (("Smal/3",), "'Smal/3': the data set has no task that this means", "the nearest task is Small/3"),
        (("20:",), "'20:': the data set has no task", "the data set has 10 tasks: --tasks 0:10"),
        (("0/4",), "0/4: the share must be from 1 to 4", "--tasks 1/4"),
        (("5/4",), "5/4: the share must be from 1 to 4", "--tasks 1/4"),
        (("3/11",), "3/11: the data set has only 10 tasks", "--tasks 1/10"),
        (("@",), "the name of the file is empty", "--tasks @ids.txt"),
        (("@/no/such/file",), "/no/such/file", None),
    ],
)
def test_what_means_no_task_is_refused(names: tuple[str, ...], said: str, hint: str | None) -> None:
    """A typing error in a name must not run a part silently."""
    with pytest.raises(UsageError) as caught:
        chosen(*names)

    assert said in str(caught.value)
    assert hint in (None, caught.value.hint)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """The error has the line."""
    (tmp_path / "ids").write_bytes(b"Small/1\n\xff\xfe\n")
    with pytest.raises(DataError, match=r"ids:2: .*not UTF-8"):
        chosen(f"@{tmp_path / 'ids'}")
    (tmp_path / "ids").write_text("# none\n")
    with pytest.raises(DataError, match="the file names no task"):
        chosen(f"@{tmp_path / 'ids'}")


def test_nothing_left_is_refused() -> None:
    """The selection and the exclusion are equal."""
    with pytest.raises(UsageError, match="all chosen tasks are excluded"):
        chosen("Small/1", excluded=("Small/1",))


def test_a_part_is_known_by_its_tasks() -> None:
    """Its identity does not depend on how they were selected; the whole has no part to name."""
    by_place, by_name = chosen("0:2"), chosen("Small/1", "Small/0")

    assert part_of(by_place, TEN, ()) == part_of(by_name, TEN, ())
    assert part_of(by_place, TEN, ()) != part_of(chosen("0:3"), TEN, ())
    assert part_of(chosen(), TEN, ()) == part_of(chosen(excluded=("Small/1",)), TEN, ("Small/1",)) == {}
