"""A set of rows in a few bytes each says of every row what a set would say."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from benchwright.store.key_set import KeyedRow, KeySet
from benchwright.store.keys import content_key

CONTENT = st.binary(min_size=16, max_size=16).map(bytes.hex)
# Few bytes and few of them, so that what is looked for often begins inside another key.
ALIKE = st.lists(st.sampled_from([0, 1]), min_size=16, max_size=16).map(lambda each: bytes(each).hex())
KEYS = st.one_of(CONTENT, ALIKE, st.text(max_size=40))
TASKS = st.one_of(st.sampled_from(["Task/1", "1"]), st.integers(-2, 2))
ROWS = st.lists(st.tuples(KEYS, TASKS), max_size=60)


@given(ROWS, ROWS)
def test_it_answers_as_a_set_does(put: list[KeyedRow], asked: list[KeyedRow]) -> None:
    """Whatever the keys are called; a row that is put in twice is there once."""
    known, plain = KeySet(put), {_compared(row) for row in put}

    assert [row in known for row in [*put, *asked]] == [_compared(row) in plain for row in [*put, *asked]]
    assert len(known) == len(plain)


def _compared(row: KeyedRow) -> object:
    """What is looked at beside the task: of 16 bytes the first twelve bits, and eight bytes from the third on."""
    key, task_id = row
    try:
        whole = bytes.fromhex(key)
    except ValueError:
        return row
    return ((whole[0], whole[1] >> 4, whole[2:10]), task_id) if len(whole) == 16 else row


@given(st.lists(st.tuples(KEYS, TASKS), max_size=60), ROWS)
def test_a_cleared_one_is_as_new(before: list[KeyedRow], put: list[KeyedRow]) -> None:
    """Nothing of what it held is found, and it can be filled again."""
    known = KeySet(before)
    known.clear()

    assert (len(known), [row for row in before if row in known]) == (0, [])
    for row in put:
        known.add(*row)
    assert (len(known), all(row in known for row in put)) == (len(KeySet(put)), True)


def test_tasks_of_one_content_are_two() -> None:
    """Their keys are equal, since a key does not name the task; nor does it depend on how an id is written."""
    known = KeySet([(content_key("a"), "1")])

    assert [(content_key("a"), task) in known for task in ("1", 1, "2")] == [True, False, False]


def test_an_empty_one_is_false() -> None:
    """So that whoever has nothing to look for makes no keys."""
    assert not KeySet()
    assert KeySet([("a", 1)])


def test_a_row_takes_less_than_sixteen_bytes() -> None:
    """Of a hundred thousand, on average; the more there are the less each takes."""
    rows = 100_000
    tracemalloc.start()
    try:
        known = KeySet((content_key(number), "Task/1") for number in range(rows))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(known) == rows
    assert taken / rows < 16 + 4  # with the 4,096 buckets themselves, which are there but once
