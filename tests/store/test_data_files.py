"""Rows of TOML files: each has the line of its header, each fault a line and a hint."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store.data_files import MAX_TOML, is_toml, open_rows, read_toml
from kit.examples import examples
from kit.own_rows import OWN_TOML

LINES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="'"), max_size=30
)


def toml_file(folder: Path, text: str | bytes) -> Path:
    """Write a file with this content."""
    path = folder / "rows.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def toml_fault(folder: Path, text: str | bytes) -> DataError:
    """Return its fault."""
    with pytest.raises(DataError) as caught:
        list(read_toml(toml_file(folder, text)))
    return caught.value


def test_each_table_is_a_row_at_its_header(tmp_path: Path) -> None:
    """A header inside a string is text."""
    rows = list(read_toml(toml_file(tmp_path, OWN_TOML)))

    assert [(row.line, row.data["id"]) for row in rows] == [(2, "add"), (9, "slug"), (24, "spam")]
    assert "[[task]]\nis no header" in rows[1].data["prompt"]


def test_a_packed_copy_and_other_line_ends_give_the_same_rows(tmp_path: Path) -> None:
    """The content decides, not the name; a run folder has a packed copy."""
    plain = list(open_rows(toml_file(tmp_path, OWN_TOML)))
    (tmp_path / "tasks.gz").write_bytes(gzip.compress(OWN_TOML.encode()))
    (tmp_path / "windows").write_bytes(OWN_TOML.replace("\n", "\r\n").encode())

    assert list(open_rows(tmp_path / "tasks.gz")) == plain
    assert [row.line for row in open_rows(tmp_path / "windows")] == [row.line for row in plain]


def test_tables_below_a_row_belong_to_it(tmp_path: Path) -> None:
    text = "[[task]]\nid = 1\n[[task.calls]]\nreturns = 2\n[[task]]\nid = 2\n"

    rows = list(read_toml(toml_file(tmp_path, text)))

    assert [(row.line, row.data) for row in rows] == [
        (1, {"id": 1, "calls": [{"returns": 2}]}),
        (5, {"id": 2}),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id": 1}\n', False),
        ('[{"id": 1}]\n', False),
        ("[[1, 2]]\n", False),
        ("# a comment\n\n[[task]]\n", True),
        ("\ufeff[[ row ]]\nid = 1\n", True),
        ("task = 1\n", False),
        ("", False),
    ],
)
def test_the_first_lines_say_what_a_file_is(tmp_path: Path, text: str, expected: bool) -> None:
    assert is_toml(toml_file(tmp_path, text)) is expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[[task]]\nid = 1\nprompt = 'a\n", 3, "invalid TOML"),
        ("[[task]]\nid = 1\nid = 2\n", 3, "invalid TOML"),
        ("[[task]]\nid = '''", 2, "invalid TOML"),
        ("[[task]]\nid = 1\n[other]\nx = 1\n", None, "beside `[[task]]` stands `other`"),
        ("[[task]]\nid = 1\n[[task]]\nid = 2000-01-01\n", 3, "the date or time 2000-01-01"),
        ("[[task]]\nid = nan\n", 1, "the number nan"),
        ("[[task]]\nid = [[inf]]\n", 1, "the number inf"),
        (b"[[task]]\nid = '\xff'\n", 2, "is not UTF-8"),
        ("[[task]]\n#" + "x" * MAX_TOML, None, "the file is larger"),
    ],
)
def test_a_toml_fault_has_its_line(tmp_path: Path, text: str | bytes, line: int | None, message: str) -> None:
    error = toml_fault(tmp_path, text)

    assert (error.line, message in error.message, bool(error.hint)) == (line, True, True)


def test_faults_of_tables_are_told_and_the_others_go_on(tmp_path: Path) -> None:
    told: list[DataError] = []
    path = toml_file(tmp_path, "[[t]]\nid = inf\n[[t]]\nid = 2\n")

    assert [row.data for row in read_toml(path, refuse=told.append)] == [{"id": 2}]
    assert [error.line for error in told] == [1]


@given(st.lists(st.tuples(LINES, st.lists(LINES, max_size=4)), min_size=1, max_size=6))
@settings(max_examples=examples(60))
def test_any_texts_come_back_with_their_lines(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    """Strings of one line are written as in JSON, longer ones between triple quotes."""
    text, lines = "", []
    for one, several in rows:
        lines.append(text.count("\n") + 1)
        text += (
            f"[[row]] # {one}\na = {json.dumps(one, ensure_ascii=False)}\nb = '''\n"
            + "\n".join(several)
            + "'''\n"
        )
    path = toml_file(tmp_path_factory.mktemp("toml"), text)

    found = list(read_toml(path))

    assert [row.line for row in found] == lines
    assert [(row.data["a"], row.data["b"]) for row in found] == [(one, "\n".join(many)) for one, many in rows]
    assert msgspec.json.decode(msgspec.json.encode(found[0].data)) == found[0].data
