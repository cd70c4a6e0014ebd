"""Rows of own tasks: each kind becomes a task, and each fault has its field and a hint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.store.data_files import open_rows
from benchwright.tracks.own.rows import KINDS, row_of
from benchwright.tracks.own.track import TRACK
from kit.examples import examples
from kit.own_rows import ASSERTS, CALLS, LABEL, OWN_TOML, ROWS, RUBRIC, own_file, own_row, own_task

VALUES = st.sampled_from([None, True, 0, -1, 1 << 70, 0.5, "", "x", [], [1], ["x"], {}, {"a": 1}])


def own_fault(folder: Path, base: dict[str, Any], **changes: Any) -> DataError:
    """Return the fault of a row."""
    with pytest.raises(DataError) as caught:
        list(TRACK.load(own_file(folder, own_row(base, **changes))))
    return caught.value


def test_a_row_of_each_kind_becomes_a_task(tmp_path: Path) -> None:
    tasks = list(TRACK.load(own_file(tmp_path)))

    assert [row_of(task).kind for task in tasks] == list(KINDS)
    assert [TRACK.to_row(task) for task in tasks] == list(ROWS)
    assert [task.origin.rpartition(":")[2] for task in tasks] == ["1", "2", "3", "4"]


def test_toml_gives_the_same_tasks_as_json_lines(tmp_path: Path) -> None:
    """Only their places in the file differ."""
    path = tmp_path / "own.toml"
    path.write_text(OWN_TOML)
    rows = [row.data for row in open_rows(path)]

    ours = [TRACK.to_row(task) for task in TRACK.load(path)]

    assert ours == rows == [TRACK.to_row(task) for task in TRACK.load(own_file(tmp_path, *rows))]


def test_asserts_may_be_a_list_of_lines(tmp_path: Path) -> None:
    task = own_task(tmp_path, ASSERTS, asserts=["assert slug('A') == 'a'", "assert slug('') == ''"])

    assert row_of(task).kind == "asserts"


@pytest.mark.parametrize(
    ("base", "change", "same"),
    [
        (CALLS, {"solution": "def add(a, b): return b + a"}, True),
        (CALLS, {"meta": {"by": "me"}, "tags": ["sum"]}, True),
        (CALLS, {"id": 7}, True),
        (CALLS, {"prompt": "Write `add`."}, False),
        (CALLS, {"calls": [{"args": [1, 2], "returns": 3}]}, False),
        (LABEL, {"label": "ham"}, False),
        (LABEL, {"labels": ["spam", "ham", "You won"]}, False),
        (RUBRIC, {"rubric": "Says anything."}, False),
        (RUBRIC, {"reference": None}, False),
    ],
)
def test_the_revision_of_an_own_task_is_of_what_decides(
    tmp_path: Path, base: dict[str, Any], change: dict[str, Any], same: bool
) -> None:
    assert same is (own_task(tmp_path, base).revision == own_task(tmp_path, base, **change).revision)


@pytest.mark.parametrize(
    ("base", "change", "field", "message", "hint"),
    [
        (CALLS, {"id": None}, "id", "missing", "the object has"),
        (CALLS, {"prompt": None}, "prompt", "missing", "the object has"),
        (CALLS, {"promt": "x"}, "promt", "unknown field", "did you mean `prompt`?"),
        (CALLS, {"author": "x"}, "author", "unknown field", "the fields are"),
        (CALLS, {"calls": None}, None, "has no calls, asserts, label or rubric", "asserts = "),
        (CALLS, {"calls": []}, None, "has no calls, asserts, label or rubric", "asserts = "),
        (CALLS, {"label": "x"}, "label", "`calls` and `label`", "keep one"),
        (CALLS, {"calls": [{"args": [1]}]}, "calls[0]", "missing required field `returns`", ""),
        (CALLS, {"calls": [{"arg": 1, "returns": 1}]}, "calls[0]", "unknown field `arg`", ""),
        (CALLS, {"calls": [{"args": 1, "returns": 1}]}, "calls[0].args", "expected `array`", ""),
        (CALLS, {"entry_point": None}, "entry_point", "missing", "the object has"),
        (CALLS, {"entry_point": "add it"}, "entry_point", "cannot be a function's name", None),
        (CALLS, {"entry_point": "plus"}, "prompt", "does not name the function `plus`", "name it"),
        (CALLS, {"tags": "a"}, "tags", "expected `array`", ""),
        (ASSERTS, {"asserts": "assert slug("}, "asserts", "invalid Python", "write Python"),
        (ASSERTS, {"asserts": "x = 1"}, "asserts", "no assert calls `slug`", "assert slug("),
        (LABEL, {"labels": None}, "labels", "must be 2 to", "labels = "),
        (LABEL, {"labels": ["spam"]}, "labels", "must be 2 to", "labels = "),
        (LABEL, {"labels": ["spam", "Spam"]}, "labels", "must be distinct", "labels = "),
        (LABEL, {"label": "egg"}, "label", "is not one of `labels`", "one of: spam, ham"),
        (LABEL, {"labels": ["spam", "egg"]}, "prompt", "does not name the label 'egg'", "Answer with one of"),
        (RUBRIC, {"rubric": " "}, "rubric", "is empty", "describe"),
    ],
)
def test_a_fault_of_an_own_row_is_named(
    tmp_path: Path, base: dict[str, Any], change: dict[str, Any], field: str | None, message: str, hint: str
) -> None:
    """The error has file and line, the field, the fault, and a correction."""
    error = own_fault(tmp_path, base, **change)

    assert (error.path, error.line, error.field) == (f"{tmp_path}/own.jsonl", 1, field)
    assert message in error.message
    assert hint is None or hint in (error.hint or "")


@given(st.dictionaries(st.sampled_from(sorted({name for row in ROWS for name in row})), VALUES, max_size=3))
@settings(max_examples=examples(75), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_change_of_a_row_is_a_task_or_a_fault(tmp_path: Path, change: dict[str, Any]) -> None:
    """A task that loads has a spec, a stub and a prompt."""
    for base in ROWS:
        try:
            task = next(TRACK.load(own_file(tmp_path, {**base, **change})))
        except DataError:
            continue
        assert TRACK.spec(task, profile="strict").judge
        assert TRACK.prompt(task) == row_of(task).prompt
        assert isinstance(TRACK.stub(task), str)


def test_every_fault_is_told_where_asked_for(tmp_path: Path) -> None:
    """Valid rows still load; a repeated id is reported too."""
    told: list[DataError] = []
    path = own_file(tmp_path, own_row(prompt=None), own_row(), own_row(LABEL), own_row(), own_row(id=True))
    with path.open("a") as file:
        file.write("no JSON\n")

    tasks = list(TRACK.load(path, refuse=told.append))

    assert [task.task_id for task in tasks] == ["add", "spam"]
    assert [error.line for error in told] == [1, 4, 5, 6]


def test_a_row_of_another_format_without_tests_is_told_what_it_lacks(tmp_path: Path) -> None:
    """`task_id` is not reported as unknown: the row was meant for another track."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"task_id": "HumanEval/0", "prompt": "def f(): ...", "entry_point": "f"}\n')

    with pytest.raises(DataError, match="no tests") as caught:
        list(TRACK.load(path))
    assert caught.value.field == "test"
