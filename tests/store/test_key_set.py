"""A set of keys in a few bytes each says of every key what a set would say."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from benchwright.store.key_set import KeySet
from benchwright.store.keys import content_key

CONTENT = st.binary(min_size=16, max_size=16).map(bytes.hex)
# Few bytes and few of them, so that what is looked for often begins inside another key.
ALIKE = st.lists(st.sampled_from([0, 1]), min_size=16, max_size=16).map(lambda each: bytes(each).hex())
KEYS = st.one_of(CONTENT, ALIKE, st.text(max_size=40))


@given(st.lists(KEYS, max_size=60), st.lists(KEYS, max_size=60))
def test_a_cleared_one_is_as_new(before: list[str], put: list[str]) -> None:
    """Nothing of what it held is found, and it can be filled again."""
    known = KeySet(before)
    known.clear()

    assert (len(known), [key for key in before if key in known]) == (0, [])
    for key in put:
        known.add(key)
    assert (len(known), all(key in known for key in put)) == (len(KeySet(put)), True)


@given(st.lists(KEYS, max_size=60), st.lists(KEYS, max_size=60))
def test_it_answers_as_a_set_does(put: list[str], asked: list[str]) -> None:
    """Whatever the keys are called; a key that is put in twice is there once."""
    known, plain = KeySet(put), {_compared(key) for key in put}

    assert [key in known for key in [*put, *asked]] == [_compared(key) in plain for key in [*put, *asked]]
    assert len(known) == len(plain)


def _compared(key: str) -> object:
    """The part of a key that is looked at: of 16 bytes the first twelve bits, and ten bytes from the third on."""
    try:
        whole = bytes.fromhex(key)
    except ValueError:
        return key
    return (whole[0], whole[1] >> 4, whole[2:12]) if len(whole) == 16 else whole


def test_an_empty_one_is_false() -> None:
    """So that whoever has nothing to look for makes no keys."""
    assert not KeySet()
    assert KeySet(["a"])


def test_a_key_takes_less_than_sixteen_bytes() -> None:
    """Of a hundred thousand keys, on average; the more there are the less each takes."""
    keys = 100_000
    tracemalloc.start()
    try:
        known = KeySet(content_key(number) for number in range(keys))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(known) == keys
    assert taken / keys < 16 + 4  # with the 4,096 buckets themselves, which are there but once
