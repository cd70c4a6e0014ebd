"""JSON as MERA's server reads it, within bounds, with each fault named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.mera import parsing
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.parsing import UNREADABLE, read_json

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def _read(data: bytes) -> tuple[Any, list[str]]:
    found = Findings()
    return read_json(data, "ruHumanEval.json", found), [finding.kind for finding in found.kept]


@given(values)
def test_json_is_read(value: Any) -> None:
    """Whatever Python's json writes comes back, without a fault."""
    assert _read(json.dumps(value).encode()) == (value, [])


@given(st.binary())
def test_any_bytes_are_read_or_named(data: bytes) -> None:
    """No bytes raise: there is a value, or a fault."""
    value, faults = _read(data)

    assert value is not UNREADABLE or faults


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "broken-json"),
        (b"{", "broken-json"),
        (b'{"a": 1}{"b": 2}', "broken-json"),
        (b"{'a': 1}", "broken-json"),
        (b'{"a": 1}\n{"a": 2}', "broken-json"),
        (b"9" * 5000, "broken-json"),
        (b"[" * 100_000, "broken-json"),
        ("слово".encode("cp1251"), "not-utf-8"),
        ("{}".encode("utf-16"), "not-utf-8"),
    ],
)
def test_what_the_server_cannot_read(data: bytes, fault: str) -> None:
    """Each is `unreadable_file` there; here it says why."""
    assert _read(data) == (UNREADABLE, [fault])


def test_a_byte_order_mark_is_a_fault_but_not_the_end() -> None:
    """The server refuses the file; the rest of its faults are found all the same."""
    assert _read(b"\xef\xbb\xbf[1]") == ([1], ["byte-order-mark"])


def test_space_around_the_document_does_not_matter() -> None:
    """The server strips it."""
    assert _read("\u00a0 [1]\n\n".encode()) == ([1], [])


def test_what_python_reads_and_json_is_not() -> None:
    """NaN is a number to Python's json, so it is no fault of the file."""
    value, faults = _read(b"[NaN]")

    assert (len(value), faults) == (1, [])


def test_a_key_twice() -> None:
    """The last one counts, at the server too; it is worth a word."""
    assert _read(b'{"id": 1, "x": {"a": 1}, "id": 2}') == ({"id": 2, "x": {"a": 1}}, ["doubled-key"])


def test_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets are counted before anything is made of them."""
    monkeypatch.setattr(parsing, "MAX_NODES", 10)

    assert (_read(b"[" + b"1," * 11 + b"1]"), _read(b"[1,2]")) == (
        (UNREADABLE, ["too-large"]),
        ([1, 2], []),
    )
