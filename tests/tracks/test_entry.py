"""Fields of untrusted rows: values are checked, and faults are reported with the field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.sandbox.codec import decode
from benchwright.tracks.rows import Fields, encoded, load_tasks, task_error
from kit.track_rows import write_rows


def fields(**data: Any) -> Fields:
    """Return the fields of a row on line 4."""
    return Fields(data, "rows.jsonl", 4)


def build(row: Fields) -> Task:
    """Return the smallest task."""
    task_id = row.identity("id")
    return Task(task_id=task_id, instruction="", inputs={}, outputs=None, meta={}, revision="", origin="f:1")


def fault(row: Fields, take: str, name: str) -> DataError:
    """Return the error for reading a field."""
    with pytest.raises(DataError) as caught:
        getattr(row, take)(name)
    return caught.value


def test_a_missing_field_lists_what_there_is() -> None:
    """A misspelt key is visible at once."""
    error = fault(fields(promt="x", test="y"), "text", "prompt")

    assert (error.field, error.line, error.hint) == ("prompt", 4, "the object has `promt`, `test`")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "not null"),
        (1, "not a number"),
        (True, "not a boolean"),
        ([], "not an array"),
        ({}, "not an object"),
    ],
)
def test_a_wrong_type_is_named_in_words_of_json(value: Any, words: str) -> None:
    """The author of a data set may not know Python's names."""
    assert f"must be a string, {words}" in fault(fields(a=value), "text", "a").message


def test_an_inner_field_is_named_with_its_object() -> None:
    """The error has the dotted name, and the task once it is known."""
    inner = fields(meta={"id": 3}).named("T/1").inner("meta")
    error = fault(inner, "text", "entry_point")

    assert (error.field, error.task_id) == ("meta.entry_point", "T/1")


def test_a_text_over_its_limit_is_refused() -> None:
    """Each text has its own limit, below that of the line."""
    with pytest.raises(DataError, match="11 characters; the limit is 10"):
        fields(a="x" * 11).text("a", limit=10)

    assert fields(a="x" * 10).text("a", limit=10) == "x" * 10


@pytest.mark.parametrize(
    "name", ["", "1a", "a b", "a.b", "class", "f()", "a\n", "x" * 300, "__import__('os')"]
)
def test_a_name_that_is_no_identifier_is_refused(name: str) -> None:
    """An entry point becomes part of a call, so it must be an identifier."""
    assert fault(fields(a=name), "identifier", "a").field == "a"


@pytest.mark.parametrize(
    "task_id", ["", "x" * 300, "a\nb", "\x1b[2J", 1 << 63, -(1 << 63) - 1, True, 1.0, None, []]
)
def test_an_id_that_cannot_be_shown_or_stored_is_refused(task_id: Any) -> None:
    """Ids are printed on terminals and stored as 64-bit numbers."""
    assert fault(fields(a=task_id), "identity", "a").field == "a"


@given(st.integers(-(1 << 63), (1 << 63) - 1) | st.text("abc/ЁЖ 09-_", min_size=1, max_size=200))
def test_other_ids_are_kept_as_they_are(task_id: int | str) -> None:
    """An integer stays an integer and text stays text."""
    assert fields(a=task_id).identity("a") is task_id


@pytest.mark.parametrize("ids", [[1, 2, 1], ["a", "b", "a"], [1, 2, "1"]])
def test_an_id_given_twice_names_both_lines(tmp_path: Path, ids: list[Any]) -> None:
    """Ids match as text, so 1 and "1" are one id."""
    with pytest.raises(DataError) as caught:
        list(load_tasks(write_rows(tmp_path, *({"id": task_id} for task_id in ids)), build))

    assert (caught.value.line, "line 1 has it too" in caught.value.message) == (3, True)


def test_an_id_given_twice_on_one_line_is_refused_too(tmp_path: Path) -> None:
    """A compact document has all its rows on one line."""
    path = tmp_path / "test.json"
    path.write_text('{"data": [{"id": 1}, {"id": 1}]}')
    with pytest.raises(DataError) as caught:
        list(load_tasks(path, build))

    assert caught.value.task_id == 1


def test_a_data_set_without_rows_is_refused(tmp_path: Path) -> None:
    """There is no score over an empty set."""
    with pytest.raises(DataError, match="has no rows"):
        list(load_tasks(write_rows(tmp_path), build))

    assert [task.task_id for task in load_tasks(write_rows(tmp_path, {"id": 7}), build)] == [7]


def test_values_are_encoded_for_the_sandbox() -> None:
    """Decoding returns the value; a value that cannot be encoded is a DataError of the task."""
    task = build(fields(id=9))
    data = encoded(task, [((), {"x": {1, 2}})], field="tests")
    with pytest.raises(DataError) as caught:
        encoded(task, [...], field="tests")

    assert ([((), {"x": {1, 2}})], 9, "tests") == (decode(data), caught.value.task_id, caught.value.field)


def test_an_error_of_a_loaded_task_names_its_origin() -> None:
    """A fault that is found later still has the line."""
    assert task_error(build(fields(id=9)), "no").message == "f:1, task 9: no"
