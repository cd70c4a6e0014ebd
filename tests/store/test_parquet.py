"""Parquet files: nested rows are read as JSON would be, and a hostile file only raises DataError."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import duckdb
import pytest

from benchwright.errors import DataError, PrerequisiteError
from benchwright.store.files import is_parquet
from benchwright.store.parquet import read_parquet
from kit.processes import said_under

MERA = """
    SELECT 'Допишите {function}' AS instruction,
           {'function': 'def f(x):', 'tests': '[{''x'': 1}]'} AS inputs,
           [['1', 'None'], ['1', 'None']] AS outputs,
           {'id': i::BIGINT, 'canonical_solution': NULL::VARCHAR, 'entry_point': 'f', 'tags': ['a']} AS meta
    FROM range(1, 40) t(i)
"""


def write(folder: Path, select: str, name: str = "rows.parquet") -> Path:
    """Write a Parquet file with the rows of a query."""
    path = folder / "made.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path.rename(folder / name)


def fault(path: Path, **limits: int) -> DataError:
    """Return the error for a file."""
    with pytest.raises(DataError) as caught:
        list(read_parquet(path, **limits))
    return caught.value


def test_nested_mera_rows_are_read(tmp_path: Path) -> None:
    """Structs, lists of lists and missing values become objects, arrays and null, in order."""
    rows = list(read_parquet(write(tmp_path, MERA)))

    expected = {
        "instruction": "Допишите {function}",
        "inputs": {"function": "def f(x):", "tests": "[{'x': 1}]"},
        "outputs": [["1", "None"], ["1", "None"]],
        "meta": {"id": 7, "canonical_solution": None, "entry_point": "f", "tags": ["a"]},
    }
    assert (list(range(1, 40)), 7, expected) == (
        [row.data["meta"]["id"] for row in rows],
        rows[6].line,
        rows[6].data,
    )


@pytest.mark.parametrize(
    "name", ["a'; DROP TABLE x; --.parquet", "*.parquet", "[ab]?.parquet", 'q".parquet', "$x"]
)
def test_a_file_name_is_never_read_as_sql_or_as_a_pattern(tmp_path: Path, name: str) -> None:
    """Only this file is read, whatever its name looks like."""
    write(tmp_path, "SELECT 'other' AS v", "b.parquet")
    path = write(tmp_path, "SELECT 'mine' AS v", name)

    assert [row.data for row in read_parquet(path)] == [{"v": "mine"}]


def test_dates_are_text(tmp_path: Path) -> None:
    """Data sets have dates, and JSON does not."""
    path = write(tmp_path, "SELECT DATE '2026-01-02' AS day, TIMESTAMP '2026-01-02 03:04:05' AS moment")

    assert [row.data for row in read_parquet(path)] == [
        {"day": "2026-01-02", "moment": "2026-01-02T03:04:05"}
    ]


@pytest.mark.parametrize(
    ("select", "words"),
    [
        ("SELECT 'abc'::BLOB AS v", "bytes"),
        ("SELECT 1.5::DECIMAL(5, 2) AS v", "Decimal"),
        ("SELECT 'nan'::DOUBLE AS v", "NaN"),
        ("SELECT 'infinity'::DOUBLE AS v", "Infinity"),
    ],
)
def test_a_value_without_a_json_form_is_refused(tmp_path: Path, select: str, words: str) -> None:
    """Nothing is rounded, guessed or converted silently."""
    assert words in fault(write(tmp_path, select)).message


def test_a_row_over_the_limit_is_refused(tmp_path: Path) -> None:
    """A small file may contain one huge row."""
    error = fault(write(tmp_path, "SELECT repeat('x', 5000000) AS v"), max_row=1_000_000)

    assert "longer than 1,000,000 bytes" in error.message


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    """The size is checked before the file is opened."""
    assert "the limit is 100" in fault(write(tmp_path, MERA), max_file=100).message


def test_damaged_files_are_data_errors(tmp_path: Path) -> None:
    """Wrong bytes anywhere, and a file truncated anywhere, give rows or a DataError."""
    good = write(tmp_path, MERA).read_bytes()
    chance = random.Random(4)
    path = tmp_path / "bad.parquet"
    refused = 0
    for turn in range(8):
        data = bytearray(good)
        for _ in range(20):
            data[chance.randrange(4, len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.randrange(4, len(data))] if turn % 2 else data)
        try:
            list(read_parquet(path))
        except DataError as error:
            refused += str(path) in error.message

    assert refused >= 6


def test_stopping_early_ends_the_reader(tmp_path: Path) -> None:
    """Taking the first row of many neither hangs nor leaves a process."""
    path = write(tmp_path, "SELECT i, repeat('x', 10000) AS v FROM range(20000) t(i)")
    rows = read_parquet(path)
    first = next(rows)
    rows.close()

    assert (first.data["i"], first.line) == (0, 1)


def test_parquet_is_known_by_its_bytes(tmp_path: Path) -> None:
    """The name has no effect."""
    (tmp_path / "rows.parquet").write_text(json.dumps({"a": 1}))
    path = write(tmp_path, MERA, "rows.bin")

    assert (is_parquet(tmp_path / "rows.parquet"), is_parquet(path)) == (False, True)


def test_without_duckdb_the_command_to_install_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing extra has exit code 3 and one line to paste."""
    path = write(tmp_path, MERA)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(PrerequisiteError) as caught:
        list(read_parquet(path))

    assert (caught.value.hint, caught.value.exit_code) == ("pip install 'benchwright[parquet]'", 3)


def test_under_a_lower_limit(tmp_path: Path) -> None:
    """If the user allows less memory than the reader's limit, the user's limit applies, and nothing is
    refused."""
    path = write(tmp_path, MERA)
    reading = f"print(len(list(read_parquet(Path({str(path)!r})))))"
    imports = "from pathlib import Path; from benchwright.store.parquet import read_parquet"

    assert said_under("ulimit -v 3145728", f"{imports}; {reading}") == "39"
