"""CSV and YAML data sets: their values come back, and every fault has its line."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store import tables
from benchwright.store.data_files import data_hash, open_rows
from benchwright.store.tables import read_csv, read_yaml_rows, table_format

YAML = """\
tasks:
  - id: one
    prompt: "yes or no?"
    labels: ["yes", "no"]
  # a comment
  - {id: 2, prompt: two}
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NAMES = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8),
    min_size=1,
    max_size=4,
    unique=True,
)


def rows_of(path: Path, content: str | bytes) -> list[tuple[int, dict[str, Any]]]:
    """Return the rows of a file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    read = read_csv if table_format(path) == "csv" else read_yaml_rows
    return list(read(path))


@given(NAMES, st.data())
def test_a_csv_that_python_wrote_is_read_back(columns: list[str], data: st.DataObject) -> None:
    """Cells may have commas, quotes and line ends, in any script; only a row of empty cells is skipped."""
    row = st.lists(TEXTS, min_size=len(columns), max_size=len(columns))
    rows = data.draw(st.lists(row.filter(any), max_size=4))
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([columns, *rows])
    with TemporaryDirectory() as folder:
        found = rows_of(Path(folder, "a.csv"), written.getvalue())

    assert [each for _, each in found] == [dict(zip(columns, row, strict=True)) for row in rows]


@given(st.binary(max_size=60))
def test_any_bytes_are_rows_or_a_data_error(data: bytes) -> None:
    """No other exception is raised by either reader."""
    with TemporaryDirectory() as folder:
        for name in ("a.csv", "a.tsv", "a.yaml"):
            try:
                rows_of(Path(folder, name), data)
            except DataError as error:
                assert error.hint or "YAML" in error.message or "values" in error.message


def test_a_row_has_the_line_on_which_it_begins(tmp_path: Path) -> None:
    """This also holds after a cell of several lines and a blank line, and in a compressed file."""
    content = 'a,b\n"1\n2",x\n\n3,y\n'

    plain = rows_of(tmp_path / "a.csv", "\ufeff" + content)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(content.encode()))

    assert plain == [(2, {"a": "1\n2", "b": "x"}), (5, {"a": "3", "b": "y"})]
    assert [tuple(row) for row in open_rows(tmp_path / "b.csv.gz")] == plain
    assert rows_of(tmp_path / "c.tsv", "a\tb\n1,5\t2\n") == [(2, {"a": "1,5", "b": "2"})]


def test_a_yaml_list_is_read_with_its_lines(tmp_path: Path) -> None:
    """A list, or the only list of a mapping; numbers stay numbers."""
    one = {"id": "one", "prompt": "yes or no?", "labels": ["yes", "no"]}

    assert rows_of(tmp_path / "a.yaml", YAML) == [(2, one), (6, {"id": 2, "prompt": "two"})]
    assert rows_of(tmp_path / "a.yml", "- {id: 2}\n") == [(1, {"id": 2})]
    assert data_hash(tmp_path / "a.yml") == data_hash(str(tmp_path / "a.yml"))


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(8)
)


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("a.csv", "", 1, "the file is empty"),
        ("a.csv", "a,a\n1,2\n", 1, "duplicate column"),
        ("a.csv", "a,\n1,2\n", 1, "column 2 has no name"),
        ("a.csv", "a;b\n1;2\n", 1, "separated by semicolons"),
        ("a.csv", "a,b\n1,2\n1\n", 3, "has 1 cells, and the first line names 2 columns"),
        ("a.csv", "a,b\n1,2,3\n", 2, "has 3 cells"),
        ("a.csv", 'a,b\n"1,2\n', 2, "invalid CSV"),
        ("a.csv", b"a,b\n1,\xff\n", 2, "is not UTF-8"),
        ("a.csv", f"a\n{'x' * (tables.MAX_CELL + 1)}\n", 2, "a cell has more than"),
        ("a.csv", ",".join(map(str, range(tables.MAX_COLUMNS + 1))) + "\n", 1, "columns; the limit is"),
        ("a.yaml", "a: 1\nb: 2\n", 1, "is not a list of tasks"),
        ("a.yaml", "tasks: 5\n", 1, "is not a list of tasks"),
        ("a.yaml", "- 1\n", 1, "must be a mapping"),
        ("a.yaml", "- {id: .inf}\n", 1, "has no end"),
        ("a.yaml", "- id: 2020-01-01\n", 1, "date"),
        ("a.yaml", "- !!python/object/apply:os.system [id]\n", 1, "invalid YAML"),
        ("a.yaml", BOMB, 1, "more than"),
        ("a.yaml", "[" * 100 + "]" * 100, 1, "nested deeper"),
        ("a.yaml", "- a: 1\n - b\n", 2, "invalid YAML"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_fault_names_its_line(
    tmp_path: Path, name: str, content: str | bytes, line: int, message: str
) -> None:
    """The error has the fault and its place."""
    with pytest.raises(DataError) as caught:
        rows_of(tmp_path / name, content)

    assert message in caught.value.message
    assert (caught.value.path, caught.value.line) == (str(tmp_path / name), line)


def test_an_item_that_is_no_task_is_told_to_the_check(tmp_path: Path) -> None:
    """`check` continues with the following items."""
    path = tmp_path / "a.yaml"
    path.write_text("- 1\n- {id: 2}\n")
    refused: list[DataError] = []
    refuse: Callable[[DataError], None] = refused.append

    assert [row.data for row in open_rows(path, refuse=refuse)] == [{"id": 2}]
    assert [each.line for each in refused] == [1]
