"""One interface: rows and hash do not depend on how a data set is stored."""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from benchwright.errors import DataError, UsageError
from benchwright.store.data_files import data_hash, open_rows, place

ROWS = [{"n": 1, "s": "раз"}, {"n": 2, "s": "два"}]
TEXT = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def rows(source: Any) -> list[dict[str, Any]]:
    """Return all rows of a source."""
    return [row.data for row in open_rows(source)]


def test_each_kind_of_file_gives_the_same_rows(tmp_path: Path) -> None:
    """Names are misleading on purpose: the content decides."""
    (tmp_path / "a.parquet").write_bytes(TEXT)
    (tmp_path / "b.json").write_bytes(gzip.compress(TEXT))
    (tmp_path / "c.jsonl").write_text(json.dumps({"access": "public", "data": ROWS}))
    with duckdb.connect(":memory:") as connection:
        select = "SELECT * FROM (VALUES (1, 'раз'), (2, 'два')) t(n, s)"
        connection.execute(f"COPY ({select}) TO '{tmp_path}/d.txt' (FORMAT parquet)")
    actual = [rows(tmp_path / name) for name in ("a.parquet", "b.json", "c.jsonl", "d.txt")]

    assert actual == [ROWS] * 4


def test_a_folder_and_a_text_path_are_sources_too(tmp_path: Path) -> None:
    """MERA's folder, named as a string."""
    (tmp_path / "test.json").write_text(json.dumps({"data": ROWS}))

    assert (ROWS, str(tmp_path / "test.json")) == (rows(str(tmp_path)), place(str(tmp_path)))


def test_the_hash_of_a_plain_file_is_what_sha256sum_prints(tmp_path: Path) -> None:
    """The hash can be checked without this program, and packing does not change it."""
    (tmp_path / "plain").write_bytes(TEXT)
    (tmp_path / "packed").write_bytes(gzip.compress(TEXT))
    expected = hashlib.sha256(TEXT).hexdigest()

    assert [expected, expected] == [data_hash(tmp_path / "plain"), data_hash(str(tmp_path / "packed"))]


def test_the_hash_of_a_cut_file_is_a_data_error(tmp_path: Path) -> None:
    """An incomplete file has no hash."""
    (tmp_path / "cut").write_bytes(gzip.compress(TEXT * 100)[:-20])
    with pytest.raises(DataError) as caught:
        data_hash(tmp_path / "cut")

    assert "ends too early" in caught.value.message


def test_a_missing_source_is_a_usage_error(tmp_path: Path) -> None:
    """Both functions raise it."""
    with pytest.raises(UsageError):
        rows(tmp_path / "none")
    with pytest.raises(UsageError) as caught:
        data_hash(tmp_path / "none")

    assert caught.value.exit_code == 2


def test_files_of_a_hub_data_set_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards are one data set, with one hash over all of them (a fake client serves the files)."""
    names = ["test-00000-of-00002.jsonl", "test-00001-of-00002.jsonl"]
    for name, row in zip(names, ROWS, strict=True):
        (tmp_path / name).write_text(json.dumps(row))
    info = SimpleNamespace(sha="1", siblings=[SimpleNamespace(rfilename=name) for name in names])
    fake = SimpleNamespace(
        HfApi=lambda: SimpleNamespace(dataset_info=lambda repo, revision: info),
        hf_hub_download=lambda repo, name, **options: str(tmp_path / name),
    )
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    first = data_hash("hub:o/n")
    (tmp_path / names[1]).write_text(json.dumps({"n": 3}))

    assert ([ROWS[0], {"n": 3}], True, "hub:o/n") == (
        rows("hub:o/n"),
        first != data_hash("hub:o/n"),
        place("hub:o/n"),
    )
