"""Hand-collected records: each is read independently, and an invalid one is reported without losing others."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store.lenient_json import JsonRepair, pieces, read_loose
from benchwright.store.lines import Row
from kit.examples import USUAL, examples

A, B, C = {"a": [1, {"x": "}{"}]}, {"b": 'quo"te'}, {"c": {"d": []}}


def read(
    folder: Path, text: str | bytes, *, strict: bool = False
) -> tuple[list[Row], list[DataError], list[JsonRepair]]:
    """Return rows, refusals and repairs of a file."""
    path = folder / "records.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    refused: list[DataError] = []
    repairs: list[JsonRepair] = []
    rows = list(read_loose(path, refuse=refused.append, repaired=None if strict else repairs.append))
    return rows, refused, repairs


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, (A, B, C))),
        "".join(map(json.dumps, (A, B, C))),
        "\n".join(json.dumps(each, indent=4) for each in (A, B, C)),
        "\n\n".join(json.dumps(each, indent=0) for each in (A, B, C)),
        json.dumps([A, B, C]),
        json.dumps([A, B, C], indent=2),
        "\ufeff" + ",\n".join(map(json.dumps, (A, B, C))) + ",\n",
        json.dumps({"access": "public", "data": [A, B, C]}),
        json.dumps([A, B, C], indent=2).replace("\n", "\r\n"),
    ],
)
def test_records_in_any_arrangement(tmp_path: Path, text: str) -> None:
    """Lines, an array, one after another, with a byte order mark and line ends of any kind."""
    rows, refused, repairs = read(tmp_path, text)

    assert ([row.data for row in rows], refused, repairs) == ([A, B, C], [], [])


def test_a_packed_file(tmp_path: Path) -> None:
    """Its first bytes identify it, whatever its name."""
    rows, refused, _ = read(tmp_path, gzip.compress(json.dumps(A).encode()))

    assert (rows, refused) == ([Row(1, A)], [])


@settings(max_examples=examples(USUAL))
@given(
    st.lists(
        st.dictionaries(st.text(max_size=4), st.recursive(st.text(max_size=6), st.lists), max_size=3),
        max_size=5,
    ),
    st.sampled_from([None, 0, 1, 4]),
    st.sampled_from(["", " ", "\n", ",", ",\n"]),
)
def test_what_was_written_is_read(records: list[dict[str, Any]], indent: int | None, between: str) -> None:
    """Each record has the line on which it begins."""
    texts = [json.dumps(each, indent=indent) for each in records]
    found = list(pieces(io.BufferedReader(io.BytesIO(between.join(texts).encode())), "f"))  # type: ignore[arg-type]

    assert [json.loads(piece.data) for piece in found] == records
    lines = [1 + between.join([*texts[:at], ""]).count("\n") for at in range(len(texts))]
    assert [(piece.line, piece.fault) for piece in found] == [(line, "") for line in lines]


@pytest.mark.parametrize(
    ("text", "rows", "refused"),
    [
        ('{"a": xxx}\n{"b": 1}', [2], [(1, "expecting value at column 7 near `xxx}`")]),
        ('{\n "a": 1,\n "b": xxx\n}\n{"b": 1}', [5], [(3, "expecting value at column 7")]),
        ('{"a": 1}\n.......\nand so on\n{"b": 1}', [1, 4], [(2, "text outside of any record: `.......`")]),
        ('{"a": "open}\n{"b": 1}', [2], [(1, "a string does not end on its line")]),
        ('{"a": {"b": 1}\n{"b": 1}\n{"c": 1}', [2, 3], [(1, "its brackets do not close")]),
        ('{\n "a": "open,\n "b": {\n }\n}\n{\n "c": 1\n}', [6], [(1, "a string does not end")]),
        ('  {\n   "a": [\n    {"x": "},\n    {}\n  ]},\n  {"c": 1}', [6], [(1, "a string does not end")]),
        ('{"a": 1}}\n{"b": 1}', [1, 2], [(1, "text outside of any record: `}`")]),
        ('{"a": 1]\n{"b": 1}', [2], [(1, "not JSON")]),
        ('{"a": 1, "a": 2}\n{"b": 1}', [2], [(1, "twice")]),
        ('{"a": "\\ud800"}\n{"b": 1}', [2], [(1, "surrogate")]),
        ('{"a": ' + "[" * 300 + "]" * 300 + '}\n{"b": 1}', [2], [(1, "nested deeper")]),
        ("no JSON at all", [], [(1, "text outside of any record")]),
        ("", [], []),
    ],
)
def test_what_is_broken_costs_no_other(
    tmp_path: Path, text: str, rows: list[int], refused: list[tuple[int, str]]
) -> None:
    """It is reported once, with its line and fault."""
    found, errors, _ = read(tmp_path, text)

    assert ([row.line for row in found], [error.line for error in errors]) == (
        rows,
        [line for line, _ in refused],
    )
    assert all(why in str(error) for error, (_, why) in zip(errors, refused, strict=True))


def test_undecodable_bytes_cost_one_record(tmp_path: Path) -> None:
    """The others are read."""
    rows, (error,), _ = read(tmp_path, b'{"a": "\xff\xfe"}\n{"b": 1}')

    assert ([row.line for row in rows], error.line, "UTF-8" in str(error)) == ([2], 1, True)


def test_repairs_are_told_or_refused(tmp_path: Path) -> None:
    """Each repair has its place; in strict mode the first one is the error."""
    text = '{"a": 1,}\n{\n "b":"x""c": 1,\n}'
    rows, refused, repairs = read(tmp_path, text)
    strict_rows, strict_refused, _ = read(tmp_path, text, strict=True)

    assert ([row.data for row in rows], refused) == ([{"a": 1}, {"b": "x", "c": 1}], [])
    assert [(each.line, each.column) for each in repairs] == [(1, 8), (3, 9), (3, 15)]
    assert ([row.line for row in strict_rows], [error.line for error in strict_refused]) == ([], [1, 3])
    assert "missing comma at column 9" in str(strict_refused[1])


def test_without_anybody_to_tell_it_is_raised(tmp_path: Path) -> None:
    """Without a listener the first fault ends the reading."""
    path = tmp_path / "records.json"
    path.write_text('{"a": 1}\nx\n')

    with pytest.raises(DataError, match=r"records.json:2: text outside of any record"):
        list(read_loose(path))


@pytest.mark.parametrize(
    "text", ["{\n" * 20_000, '{"a": "\n' * 20_000, "[{[{\n" * 10_000, '{"a": 1}\n{' * 10_000]
)
def test_little_more_than_the_limit_is_held(text: str) -> None:
    """A record without an end is abandoned, and its bytes are read again only once."""
    stream = io.BufferedReader(io.BytesIO(text.encode()))  # type: ignore[arg-type]
    found = list(pieces(stream, "f", most=1 << 12))

    assert all(len(piece.data) <= 1 << 13 for piece in found)
    assert any(piece.fault for piece in found)
