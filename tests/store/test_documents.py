"""The pull parser returns the same elements, however the bytes arrive."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store.documents import read_document

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    TEXT | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)
)


class Trickle(io.RawIOBase):
    """A stream that returns a few bytes at a time, whatever is requested."""

    def __init__(self, data: bytes, step: int) -> None:
        self._data, self._step = io.BytesIO(data), step

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._data.read(self._step)


def elements(data: bytes, *, step: int = 1 << 20, item: int = 1000, size: int = 10_000) -> list[Any]:
    """Return all elements of a document, parsed."""
    stream: Any = Trickle(data, step)
    return [json.loads(raw) for _, raw in read_document(stream, "doc", max_item=item, max_size=size)]


@given(st.lists(VALUES, max_size=4), st.integers(1, 9), st.sampled_from([None, 2]))
def test_elements_do_not_depend_on_how_bytes_arrive(rows: list[Any], step: int, indent: int | None) -> None:
    """A string or number that is split between buffers is joined."""
    data = json.dumps({"x": rows, "data": rows}, indent=indent, ensure_ascii=False).encode()

    assert rows == elements(data, step=step, item=1 << 20, size=1 << 20)


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_an_element_over_the_limit_is_refused(step: int) -> None:
    """The limit is for one element, not for their sum."""
    fits = elements(json.dumps(["x" * 900] * 5).encode(), step=step)
    with pytest.raises(DataError, match="longer than 1,000 bytes"):
        elements(json.dumps(["x" * 3000]).encode(), step=step)

    assert len(fits) == 5


def test_a_document_over_the_limit_is_refused() -> None:
    """The whole document has a limit too, and the message has a hint."""
    with pytest.raises(DataError) as caught:
        elements(json.dumps([1] * 9000).encode(), step=100)

    assert "JSON Lines has no limit" in caught.value.message


def test_line_numbers_count_line_ends_inside_elements() -> None:
    """Elements with several lines are counted."""
    data = b'\n[\n{"a":\n1}\n,\n2, 3\n]'
    stream: Any = io.BytesIO(data)

    assert [line for line, _ in read_document(stream, "doc", max_item=100)] == [3, 6, 6]
