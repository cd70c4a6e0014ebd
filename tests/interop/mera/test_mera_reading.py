"""Documents from untrusted bytes, and their rows: what cannot be read is noted, and never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.mera import archive
from benchwright.interop.mera.archive import UNREADABLE, check_ids, read_json, read_rows
from benchwright.interop.mera.findings import KEPT, Findings, SubmissionFinding
from kit.mera_cases import EXPECTED, row, spoiled, submission

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
    """All output of Python's json module is read without a fault."""
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
    """The server refuses the file; its other faults are still found."""
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
    monkeypatch.setattr(archive, "MAX_NODES", 10)

    assert (_read(b"[" + b"1," * 11 + b"1]"), _read(b"[1,2]")) == (
        (UNREADABLE, ["too-large"]),
        ([1, 2], []),
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "test", "meta", "id", "outputs"]), inner, max_size=3)
    ),
    max_leaves=20,
)


def _read_rows(document: Any) -> tuple[dict[Any, Any] | None, list[SubmissionFinding]]:
    found = Findings()
    outputs = read_rows(document, "ruHumanEval.json", found)
    if outputs is not None:
        check_ids(outputs, EXPECTED, "ruHumanEval.json", found)
    return outputs, found.kept


def test_a_right_document() -> None:
    """Outputs by id, and no fault."""
    outputs, faults = _read_rows(submission())

    assert (list(outputs or {}), faults) == ([1, 2, 3], [])


@pytest.mark.parametrize(
    ("document", "kind", "field"),
    [
        ([], "no-data", ""),
        ({}, "no-data", "data"),
        ({"Data": {}}, "no-data", "data"),
        ({"data": []}, "no-split", "data"),
        ({"data": {"train": []}}, "no-split", "data.test"),
        (None, "wrong-top", ""),
        ("data", "wrong-top", ""),
        ({"data": None}, "wrong-top", "data"),
        ({"data": {"test": {}}}, "wrong-top", "data.test"),
        ({"data": {"test": None}}, "wrong-top", "data.test"),
    ],
)
def test_another_document(document: Any, kind: str, field: str) -> None:
    """What is not {"data": {"test": […]}} has one fault, and no rows."""
    outputs, faults = _read_rows(document)

    assert (outputs, [(fault.kind, fault.field) for fault in faults]) == (None, [(kind, field)])


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        ({"meta": {"id": 3}}, [("no-outputs", 3, "data.test.2")]),
        ({"outputs": []}, [("no-meta", None, "data.test.2")]),
        ({"outputs": [], "meta": {}}, [("no-id", None, "data.test.2.meta")]),
        ({"outputs": [], "meta": "3"}, [("no-id", None, "data.test.2.meta")]),
        ("row", [("no-outputs", None, "data.test.2"), ("no-meta", None, "data.test.2")]),
        ({"outputs": [], "meta": {"id": [3]}}, [("id-unusable", None, "data.test.2.meta.id")]),
        ({"outputs": [], "meta": {"id": "3"}}, [("id-not-integer", "3", "data.test.2.meta.id")]),
    ],
)
def test_a_row_without_its_parts(bad: Any, expected: list[tuple[str, Any, str]]) -> None:
    """Each missing part is named with its place, and the task is missing besides."""
    _, faults = _read_rows(spoiled(lambda rows: rows.__setitem__(2, bad)))
    found = [(fault.kind, fault.id, fault.field) for fault in faults]

    assert found[: len(expected)] == expected
    assert ("missing-id", 3, "meta.id") in found


@pytest.mark.parametrize("number", [2.0, True])
def test_a_number_that_is_equal_is_still_no_integer(number: float) -> None:
    """The server accepts 2.0 as the id 2, so no task is missing; it is still a fault."""
    want = int(number)
    _, faults = _read_rows(
        spoiled(lambda rows: rows.__setitem__(want - 1, row(want) | {"meta": {"id": number}}))
    )

    assert [fault.kind for fault in faults] == ["id-not-integer"]


def test_an_id_twice() -> None:
    """The last row counts, and the fault says which id it is."""
    outputs, faults = _read_rows(spoiled(lambda rows: rows.append(row(2, "last"))))

    assert (outputs or {})[2] == "last"
    assert [(fault.kind, fault.id) for fault in faults] == [("doubled-id", 2)]


def test_missing_and_unknown_ids() -> None:
    """A task without a row is an error, a row without a task a warning."""
    _, faults = _read_rows(spoiled(lambda rows: rows.__setitem__(0, row(1) | {"meta": {"id": 99}})))

    assert [(fault.kind, fault.id, fault.severity.value) for fault in faults] == [
        ("missing-id", 1, "error"),
        ("unknown-id", 99, "warning"),
    ]


def test_a_million_faults_are_counted_and_not_kept() -> None:
    """All faults are counted, and a bounded number is stored."""
    found = Findings()
    check_ids({}, range(100_000), "ruHumanEval.json", found)

    assert (len(found.kept), found.counts["missing-id", "ruHumanEval.json"]) == (KEPT, 100_000)


def test_a_hostile_id_can_be_shown() -> None:
    """Control characters and numbers of a thousand digits are made printable."""
    _, faults = _read_rows({"data": {"test": [row("\x1b[2J", []), row(10**1000, [])]}})
    shown = [fault.id for fault in faults if fault.kind in ("id-not-integer", "unknown-id")]

    assert [len(str(each)) <= 80 and str(each).isprintable() for each in shown] == [True] * 3


@given(json_values)
def test_any_document_is_read_or_named(document: Any) -> None:
    """No JSON raises: rows, or a fault that says why there are none."""
    outputs, faults = _read_rows(document)

    assert outputs is not None or faults
