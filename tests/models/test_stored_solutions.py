"""Only a text named `solution` is a whole program, in every file format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.models.stored_answers.fields import FieldNames
from benchwright.models.stored_answers.reader import AnswerReader

SOLUTIONS: dict[str, Any] = {
    "row": {"task_id": "Set/0", "solution": "a"},
    "column with a sample": {"task_id": "Set/0", "completion_id": 0, "solution": "a", "passed": True},
    "list": {"task_id": "Set/0", "solution": ["a", "b"]},
    "nested list": {"task_id": "Set/0", "solution": [["a"]]},
    "objects in a list": {"task_id": "Set/0", "outputs": [{"solution": "a"}, {"solution": "b"}]},
    "object": {"task_id": "Set/0", "response": {"solution": "a"}},
    "other spelling": {"name": "Set/0", "Solution": "a"},
    "by id": {"Set/0": [{"solution": "a"}]},
    "EvalPlus results": {"date": "d", "eval": {"Set/0": [{"task_id": "Set/0", "solution": "a"}]}},
}
OTHERS: dict[str, Any] = {
    "completion": {"task_id": "Set/0", "completion": "a"},
    "list": {"task_id": "Set/0", "completions": ["a", "b"]},
    "objects in a list": {"task_id": "Set/0", "outputs": [{"text": "a"}]},
    "other column that holds solutions": {"task_id": "Set/0", "solutions": "a"},
    "by id": {"Set/0": [{"generation": "a"}]},
}


def forms(path: Path, *fields: str) -> set[str]:
    """The forms of all answers at a path."""
    return {each.stored.form for each in AnswerReader(path, FieldNames(fields)).answers()}


def written(folder: Path, value: Any) -> Path:
    """A file of one line."""
    path = folder / "answers.json"
    path.write_text(json.dumps(value) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_is_a_whole_program(tmp_path: Path, name: str) -> None:
    """Alone, in lists, in envelopes, and beside verdicts."""
    assert forms(written(tmp_path, SOLUTIONS[name])) == {"solution"}


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts_are_completions(tmp_path: Path, name: str) -> None:
    """They may be a body, so the prompt's imports are supplied."""
    assert forms(written(tmp_path, OTHERS[name])) == {""}


def test_a_named_column_keeps_its_meaning(tmp_path: Path) -> None:
    """`--fields` says where the text is; the column's own name says what it is."""
    path = written(tmp_path, {"task_id": "Set/0", "solution": "a", "code": "b", "best": {"solution": "c"}})

    assert forms(path, "solution=text") == forms(path, "best.solution=text") == {"solution"}
    assert forms(path, "code=text") == {""}


@pytest.mark.parametrize(
    ("file", "form"),
    [("Set_0/0.py", "solution"), ("Set_0/10.py", "solution"), ("Set_0/0.txt", ""), ("Set_0.py", "")],
)
def test_programs_in_a_folder_of_their_task_are_whole(tmp_path: Path, file: str, form: str) -> None:
    """EvalPlus reads such a folder so; a flat file may be a body."""
    path = tmp_path / "answers" / file
    path.parent.mkdir(parents=True)
    path.write_text("a", encoding="utf-8")

    assert forms(tmp_path / "answers") == {form}
