"""A compact set of rows answers as a plain set does."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.records import KeyedRow
from benchwright.store import keys
from benchwright.store.keys import KeySet, content_key

KEYS = st.one_of(st.binary(min_size=16, max_size=16).map(bytes.hex), st.text(max_size=9))
TASKS = st.one_of(st.sampled_from(["Task/1", "1"]), st.integers(-2, 2))
ROWS = st.lists(st.tuples(KEYS, TASKS), max_size=200)
ROOM = st.integers(0, 300)


@given(ROWS, ROWS, ROOM)
def test_it_answers_as_a_set_does(put: list[KeyedRow], asked: list[KeyedRow], room: int) -> None:
    """This holds for any keys, and any expected number; a row that is added twice is stored once."""
    known, plain = KeySet(put, room=room), set(put)

    assert [row in known for row in [*put, *asked]] == [row in plain for row in [*put, *asked]]
    assert len(known) == len(plain)


@given(st.lists(st.integers(1, 40)), st.lists(st.integers(1, 40)))
def test_rows_that_want_one_place_are_told_apart(put: list[int], asked: list[int]) -> None:
    """All of them start their search at one of three places, including the last of the table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "_mark", lambda _, task_id: 64 * task_id + 61 + task_id % 3)
        known = KeySet(("", number) for number in put)
        found = [("", number) in known for number in asked]

    assert found == [number in put for number in asked]
    assert len(known) == len(set(put))


@given(ROWS, ROWS)
def test_a_cleared_one_is_as_new(before: list[KeyedRow], put: list[KeyedRow]) -> None:
    """None of its former rows is found, and it can be filled again."""
    known = KeySet(before)
    known.clear()

    assert (len(known), [row for row in before if row in known]) == (0, [])
    for row in put:
        known.add(*row)
    assert (len(known), all(row in known for row in put)) == (len(set(put)), True)


def test_tasks_of_one_content_are_two() -> None:
    """Their keys are equal, since a key does not contain the task; and a number differs from its digits."""
    known = KeySet([(content_key("a"), "1")])

    assert [(content_key("a"), task) in known for task in ("1", 1, "2")] == [True, False, False]


def test_an_empty_one_is_false() -> None:
    """So callers can skip the computation of keys."""
    assert not KeySet()
    assert not KeySet(room=9)
    assert KeySet([("a", 1)])


def test_a_row_takes_eleven_bytes() -> None:
    """At most, if their number is known in advance, and also while they are added."""
    rows = 20_000
    tracemalloc.start()
    try:
        known = KeySet(((content_key(number), "Task/1") for number in range(rows)), room=rows)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(known) == rows
    assert most / rows < 11
