"""Parquet from files of records: a column for each field, defaults for missing ones, equal bytes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from benchwright.errors import RunError
from benchwright.records import Record
from benchwright.store.parquet import read_parquet
from benchwright.store.parquet_lines import LinesToParquet, column_type
from kit.needs import need_module

need_module("duckdb")


class Inner(Record, frozen=True, kw_only=True):
    """A record inside a row."""

    name: str
    state: str = "it's unknown"
    count: int | None = None


class Outer(Record, frozen=True, kw_only=True):
    """A row."""

    id: str
    state: str = "unknown"
    flag: bool = True
    share: float | None = None
    one: Inner | None = None
    many: list[Inner] = []
    names: list[str] = []


def written(folder: Path, *records: Record, kind: type[Record] = Outer) -> Path:
    """Write the table of these records."""
    lines, target = folder / "rows.jsonl", folder / "rows.parquet"
    lines.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in records))
    with LinesToParquet() as writer:
        writer.write(lines, target, kind)
    return target


def test_defaults_of_fields(tmp_path: Path) -> None:
    """Lines omit default values; the table has them, also inside records."""
    full = Outer(
        id="b",
        state="x",
        flag=False,
        share=0.5,
        one=Inner(name="n", count=3),
        many=[Inner(name="m")],
        names=["a"],
    )

    rows = [row.data for row in read_parquet(written(tmp_path, Outer(id="a"), full))]

    assert rows[0] == {
        "id": "a",
        "state": "unknown",
        "flag": True,
        "share": None,
        "one": None,
        "many": [],
        "names": [],
    }
    assert rows[1]["one"] == {"name": "n", "state": "it's unknown", "count": 3}
    assert rows[1]["many"] == [{"name": "m", "state": "it's unknown", "count": None}]
    assert (rows[1]["state"], rows[1]["flag"], rows[1]["share"], rows[1]["names"]) == ("x", False, 0.5, ["a"])


def test_texts_keep_their_characters(tmp_path: Path) -> None:
    """NUL, quotes, line ends and all of Unicode; also a folder with a quote in its name."""
    texts = ["a\0b", "'\"\\", "x\r\ny\u2028", "\U0001f600", '{"id": 1}', "NULL", ""]
    folder = tmp_path / "it's"
    folder.mkdir()

    path = written(folder, *(Outer(id=text) for text in texts))

    assert [row.data["id"] for row in read_parquet(path)] == texts


def test_equal_lines_give_equal_bytes(tmp_path: Path) -> None:
    """Order and bytes do not depend on the process."""
    rows = [Outer(id=str(number), names=["x"] * (number % 3)) for number in range(5000)]

    assert written(tmp_path, *rows).read_bytes() == written(tmp_path, *rows).read_bytes()
    assert [row.data["id"] for row in read_parquet(tmp_path / "rows.parquet")] == [each.id for each in rows]


def test_a_line_that_is_broken(tmp_path: Path) -> None:
    """The error has a reason, and no file is created."""
    lines, target = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    lines.write_bytes(b'{"id": "a"}\n{"id": ')

    with pytest.raises(RunError, match="cannot be written") as caught, LinesToParquet() as writer:
        writer.write(lines, target, Outer)

    assert list(tmp_path.iterdir()) == [lines] and caught.value.hint


def test_types_of_columns() -> None:
    """Types of fields as DuckDB types."""
    assert column_type(list[str] | None) == "VARCHAR[]"
    assert column_type(Inner) == 'STRUCT("name" VARCHAR, "state" VARCHAR, "count" BIGINT)'
