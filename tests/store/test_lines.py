"""Rows of untrusted files: every documented format, every fault, and constant memory."""

from __future__ import annotations

import gzip
import io
import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store.lines import Row, read_rows, scan_lines
from kit.examples import examples
from kit.needs import HUMANEVAL, RUSSIAN, need_data

ROWS: list[dict[str, Any]] = [{"task_id": "a/0", "prompt": "é\n"}, {"task_id": "a/1", "x": [1, {"y": None}]}]
JSONL = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def write(folder: Path, data: bytes | str, name: str = "rows.jsonl") -> Path:
    """Write a file with this content."""
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def fault(path: Path, **options: Any) -> DataError:
    """Return the error for a file."""
    with pytest.raises(DataError) as caught:
        list(read_rows(path, **options))
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        JSONL,
        JSONL.rstrip(b"\n"),
        JSONL.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + JSONL,
        b"\n \n" + JSONL.replace(b"\n", b"\n\n\t\n"),
        gzip.compress(JSONL, mtime=0),
        gzip.compress(JSONL[:10], mtime=0) + gzip.compress(JSONL[10:], mtime=0),
        json.dumps(ROWS),
        json.dumps(ROWS, indent=4),
        "\ufeff" + json.dumps(ROWS),
        json.dumps({"data": ROWS}),
        json.dumps({"access": "public", "data": ROWS}, indent=2),
        json.dumps({"access": "public", "version": 3, "note": None, "data": ROWS, "after": {"x": [1]}}),
        gzip.compress(json.dumps({"data": ROWS}).encode(), mtime=0),
    ],
)
def test_each_format_gives_the_same_rows(tmp_path: Path, data: bytes | str) -> None:
    """All ways of storing give the same rows."""
    actual = [row.data for row in read_rows(write(tmp_path, data))]

    assert actual == ROWS


def test_lines_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    """Blank lines are skipped but counted."""
    actual = list(read_rows(write(tmp_path, '\n{"a": 1}\n\n\n{"b": 2}')))

    assert [Row(2, {"a": 1}), Row(5, {"b": 2})] == actual


def test_elements_of_a_document_have_the_line_they_start_on(tmp_path: Path) -> None:
    """So a fault in a pretty-printed file can be found."""
    path = write(tmp_path, json.dumps({"data": [{"a": 1}, {"b": 2}]}, indent=1))

    assert [row.line for row in read_rows(path)] == [3, 6]


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    """The reader allows it; the track refuses a data set without rows."""
    files = [
        write(tmp_path, data, f"{index}") for index, data in enumerate([b"", b"\n\n", b"[]", b'{"data":[]}'])
    ]

    assert [list(read_rows(path)) for path in files] == [[], [], [], []]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        (JSONL + b'{"a": \n', 3, "not JSON"),
        (JSONL + b"[1]\n", 3, "must be a JSON object"),
        (b"\n\n\xff\xfe\n", 3, "not valid UTF-8"),
        ('{"a": 1}'.encode("utf-16"), 1, "UTF-16"),
        (b"%PDF-1.4\n", 1, "a PDF document"),
        (b"PK\x03\x04" + bytes(60), 1, "a zip archive"),
        (b'{"a": 1}\n{"a": "\xe9"}\n', 2, "not valid UTF-8"),
        (b'{\n"a": 1,\n}\n', 1, "not JSON"),
        (b'[{"a": 1}, 7]', 1, "not a number"),
        (b'[{"a": 1}\n{"a": 2}]', 2, "expected `,` or `]`"),
        (b'[{"a": 1},\n]', 2, "not JSON"),
        (b'[{"a": 1}\n', 2, "ends before `,` or `]`"),
        (b'[{"a": "x\n', 1, "ends inside a value"),
        (b'[{"a": 1}]\n x', 2, "after the end"),
        (b'{"data": [{"a": 1}], "data": []}', 1, "appears twice"),
        (b'{"data": [{"a": 1}], 5: 1}', 1, "not JSON"),
        (b'{"data": [{"a": 1}], [5]: 1}', 1, "a key is not a string"),
        (b'{"data": [{"a": 1}], "b": tru}', 1, "not JSON"),
        (b'{"data": [{"a": 1}], "b": 1', 1, "ends inside a value"),
        (b'{"data": [{"a": 1}]', 1, "ends before"),
        (b'{"data": [{"a": NaN}]}', 1, "NaN"),
        (b'{"data": [{"a": 1, "a": 2}]}', 1, "appears twice"),
    ],
)
def test_a_fault_is_found_and_named(tmp_path: Path, data: bytes, line: int, words: str) -> None:
    """The error has file, line, kind of fault, and a hint."""
    error = fault(path := write(tmp_path, data))

    assert (str(path), line, True, True) == (error.path, error.line, words in error.message, bool(error.hint))


def test_a_cut_gzip_gives_its_rows_and_then_an_error(tmp_path: Path) -> None:
    """A broken download is not taken for a short data set."""
    rows = "".join(json.dumps({"n": n, "x": random.Random(n).random()}) + "\n" for n in range(5000)).encode()
    path = write(tmp_path, gzip.compress(rows)[:-2000])
    seen: list[Row] = []
    with pytest.raises(DataError) as caught:
        seen.extend(read_rows(path))

    assert (len(seen) + 1, True) == (caught.value.line, "ends too early" in caught.value.message)


@pytest.mark.parametrize("at", [12, 40, -6])
def test_a_damaged_gzip_is_an_error(tmp_path: Path, at: int) -> None:
    """The checksum is verified."""
    data = bytearray(gzip.compress(JSONL * 20))
    data[at] ^= 0x55

    assert fault(write(tmp_path, bytes(data))).hint


@pytest.mark.parametrize("shape", ["line", "element", "gzip"])
def test_a_row_over_the_limit_is_refused_with_flat_memory(tmp_path: Path, shape: str) -> None:
    """A hundred megabytes without a line end cost the limit, not their size, in any container."""
    path = tmp_path / "big"
    opener: Any = gzip.open if shape == "gzip" else open
    with opener(path, "wb") as file:
        file.write(b'[{"a": "' if shape == "element" else b'{"a": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    tracemalloc.start()
    error = fault(path, max_line=2_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert ("longer than 2,000,000 bytes" in error.message, error.line, peak < 12_000_000) == (True, 1, True)


def test_a_long_file_is_read_with_flat_memory(tmp_path: Path) -> None:
    """Memory does not grow with the number of rows."""
    path = write(tmp_path, b'{"a": "' + b"y" * 2000 + b'"}\n')
    path.write_bytes(path.read_bytes() * 10_000)
    tracemalloc.start()
    count = sum(1 for _ in read_rows(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert (count, peak < 1_000_000) == (10_000, True)


def test_the_depth_limit_can_be_set(tmp_path: Path) -> None:
    """A caller with flat rows may set a lower one."""
    assert "deeper than 2" in fault(write(tmp_path, '{"a": [[1]]}'), max_depth=2).message


def test_surrogates_are_replaced_on_request(tmp_path: Path) -> None:
    """A file of answers is read where a data set would be refused."""
    path = write(tmp_path, b'{"a": "\\ud800"}')

    assert [Row(1, {"a": "\ufffd"})] == list(read_rows(path, surrogates="replace"))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
OBJECTS = st.lists(st.dictionaries(TEXT, TEXT | st.integers() | st.lists(TEXT), max_size=3), max_size=5)


@given(OBJECTS, st.sampled_from(["lines", "array", "document"]), st.sampled_from([None, 1]), st.booleans())
def test_rows_survive_any_container(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], shape: str, indent: int | None, packed: bool
) -> None:
    """Written rows are read back, in each container, packed or not."""
    text = "\n".join(map(json.dumps, rows))
    if shape != "lines":
        text = json.dumps(rows if shape == "array" else {"data": rows}, indent=indent, ensure_ascii=False)
    data = gzip.compress(text.encode()) if packed else text.encode()
    path = write(tmp_path_factory.getbasetemp(), data, "survive")

    assert rows == [row.data for row in read_rows(path)]


TOKENS = [*'{}[]",:\\ \n\tdau0d81e+-.N', "null", '"data"', '{"data":[', '"a":', "\ufeff"]
MADE = st.binary(max_size=80) | st.lists(st.sampled_from(TOKENS)).map(lambda parts: "".join(parts).encode())


@given(MADE, st.booleans())
@settings(max_examples=examples(140))
def test_made_files_never_raise_another_exception(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, packed: bool
) -> None:
    """For any content, the reader returns objects or raises DataError."""
    path = write(tmp_path_factory.getbasetemp(), gzip.compress(data) if packed else data, "made")
    try:
        actual = all(isinstance(row.data, dict) for row in read_rows(path))
    except DataError as error:
        actual = error.line is not None

    assert actual


@given(st.lists(st.sampled_from([b"", b"a", b"  bc\t", b"\r", b"d e"])), st.booleans(), st.booleans())
def test_the_offset_of_a_line_is_where_its_bytes_are(parts: list[bytes], marked: bool, ended: bool) -> None:
    """A line can be read again by itself."""
    raw = b"\xef\xbb\xbf" * marked + b"\n".join(parts) + b"\n" * ended
    lines = list(scan_lines(io.BytesIO(raw), "x"))

    assert [part.strip() for part in parts if part.strip()] == [
        raw[offset : offset + len(data)] for _, offset, data in lines
    ]


@pytest.mark.parametrize(("name", "count"), [(HUMANEVAL, 164), (RUSSIAN, 80)])
def test_real_data_sets_are_read(name: str, count: int) -> None:
    """The published files have their known numbers of rows."""
    path = need_data(name)

    assert count == sum(1 for _ in read_rows(path))


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": 1,\n  "b": {"c": [1, 2]}\n}\n',
        '{"a": 1,\n "b": {"c": [1, 2]}}',
        '\ufeff{\r\n\t"a": 1,\r\n\t"b": {\r\n"c": [1, 2]}\r\n}\r\n',
        '\n\n{\n"a": 1, "b":\n{"c": [1,\n2]}\n}\n\n',
        '{"a":\n1, "b": {"c": [1, 2]}\n}',
    ],
)
def test_one_object_over_several_lines_is_a_row(tmp_path: Path, text: str) -> None:
    """As documents print a row, and people paste it."""
    path = tmp_path / "row.json"
    path.write_text(text, encoding="utf-8", newline="")

    assert [row.data for row in read_rows(path)] == [{"a": 1, "b": {"c": [1, 2]}}]
