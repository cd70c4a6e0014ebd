"""Parquet written by Benchwright: rows come back, and equal rows give equal bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import PrerequisiteError
from benchwright.store import parquet
from benchwright.store.files import is_parquet
from benchwright.store.parquet import TEXT, TEXTS, parquet_bytes, read_parquet
from kit.examples import examples

COLUMNS = {"task_id": TEXT, "libraries": TEXTS, 'a "quoted" name': TEXT}
TEXTS_OF = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.tuples(TEXTS_OF, st.lists(TEXTS_OF, max_size=3), TEXTS_OF), min_size=1, max_size=5))
@settings(max_examples=examples(6), deadline=None)
def test_rows_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[object, ...]]) -> None:
    """Texts of any script, NUL, line ends and empty lists; writing twice gives the same bytes."""
    made = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    path = tmp_path_factory.mktemp("made") / "rows.parquet"
    path.write_bytes(parquet_bytes(made, COLUMNS))

    assert is_parquet(path)
    assert [row.data for row in read_parquet(path)] == made
    assert parquet_bytes(made, COLUMNS) == path.read_bytes()


def test_columns_alone_are_written_and_all_of_them(tmp_path: Path) -> None:
    """Other fields of a row are left out; a row without one of the columns is an error of the caller."""
    path = tmp_path / "rows.parquet"
    path.write_bytes(parquet_bytes([{"a": "1", "b": "2"}], {"b": TEXT}))

    assert [row.data for row in read_parquet(path)] == [{"b": "2"}]
    with pytest.raises(KeyError):
        parquet_bytes([{"a": "1"}], {"b": TEXT})


def test_without_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the package to install."""
    monkeypatch.setattr(parquet, "find_spec", lambda name: None)

    with pytest.raises(PrerequisiteError, match="needs duckdb") as caught:
        parquet_bytes([], COLUMNS)
    assert "parquet" in (caught.value.hint or "")
