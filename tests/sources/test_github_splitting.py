"""A page is split into its entries without parsing them, so that one bad entry is one drop."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import RunError
from benchwright.sources.github.search_pages import MAX_BYTES, read_listing, split_entries
from kit.growth import PER_DOUBLING, growth

API = "https://h"
GOOD = b'{"full_name":"a/b","clone_url":"https://h/a/b.git","stargazers_count":3}'
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


def page(*entries: bytes) -> bytes:
    """Return a page with these entries."""
    return b'{"total_count": 3, "incomplete_results": false, "items": [%s]}' % b", ".join(entries)


@given(st.lists(JSON, max_size=5), st.dictionaries(st.text(max_size=5), JSON, max_size=3), st.booleans())
def test_any_page_is_cut_where_its_entries_are(
    items: list[object], beside: dict[str, object], narrow: bool
) -> None:
    """This holds for any entries, and any other fields of the page."""
    beside.pop("items", None)
    text = json.dumps({**beside, "items": items}, indent=None if narrow else 1).encode()
    parts = split_entries(text)

    assert parts is not None
    assert [json.loads(entry) for entry in parts[1]] == items
    assert json.loads(parts[0]) == {**beside, "items": []}


@pytest.mark.parametrize(
    "bad",
    [
        rb'{"full_name": "\ud800", "clone_url": "x", "stargazers_count": 1}',
        b"[" * 200_000 + b"]" * 200_000,
        b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
        b'{"full_name": "\xff"}',
        b'{"x": 1,}',
        b'{"items": [1, 2, 3], "full_name": 7}',
        b'"a \\" ] , string"',
        b"1e999",
        b"nonsense",
    ],
    ids=["surrogate", "lists", "objects", "utf-8", "comma", "items", "string", "number", "word"],
)
def test_a_bad_entry_is_a_drop(bad: bytes) -> None:
    """It has its reason; the entries before and after it are read."""
    found = read_listing(page(GOOD, bad, GOOD), api=API).entries

    assert [each.refused for each in found] == ["", "entry_unreadable", ""]
    assert found[1].detail


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"items": [', b'{"items": {}}', b'{"a": {"items": []}}', b'"items": []', b"{" * 10**5],
)
def test_what_has_no_entries(body: bytes) -> None:
    """It is not a page, and the error says so."""
    assert split_entries(body) is None
    with pytest.raises(RunError, match="not a reply of GitHub's search"):
        read_listing(body, api=API)


def test_a_page_beyond_all_sizes_is_not_looked_at() -> None:
    """GitHub's pages have less than 1 MB; splitting 16 MiB of brackets would take seconds."""
    assert split_entries(page(b"[" * MAX_BYTES)) is None


@pytest.mark.parametrize("unit", [b'"', b"\\", b'"\\', b"[", b'"items":', b'{"items":[', b"],[", b',\\"'])
def test_no_text_takes_long(unit: bytes) -> None:
    """Twice the text, about twice the processor time."""

    def text(size: int) -> bytes:
        return b'{"items": [' + unit * (size // len(unit))

    assert growth(split_entries, text, 1 << 14) <= PER_DOUBLING
