"""Rows of the comment track: reading, refusals with the wrong field, and unchanged writing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Annotation, CommentSpec
from benchwright.errors import DataError
from benchwright.records import Task
from benchwright.tracks.comments.rows import MAX_CODE
from benchwright.tracks.comments.track import TRACK
from benchwright.tracks.rows import row_of
from kit.comment_kit import judged
from kit.smartcoding_rows import ANNOTATIONS, CODE, answer, comment_row, write_records


def load(folder: Path, *rows: Any) -> list[Task]:
    """Return the tasks of rows."""
    return list(TRACK.load(write_records(folder, *rows)))


def test_a_row_gives_its_spec(tmp_path: Path) -> None:
    """Annotations are by line, and other fields have defaults."""
    row = comment_row(
        annotations=ANNOTATIONS[::-1], comment="Clamps.", key_lines=[5, 3], style="google", unit="file"
    )
    (task,) = load(tmp_path, row)

    assert TRACK.spec(task, profile="strict") == CommentSpec(
        code=CODE,
        lang="Python",
        unit="file",
        style="google",
        annotations=[Annotation(**each) for each in ANNOTATIONS],
        comment="Clamps.",
        key_lines=[3, 5],
    )


def test_a_chinese_row(tmp_path: Path) -> None:
    """Language, references and prompts are Chinese; comments in another language are marked."""
    chinese = [{"line": 3, "text": "空区间是调用者的错误。"}, {"line": 5, "text": "两端都属于区间。"}]
    (task,) = load(
        tmp_path, comment_row(language="zh", annotations=chinese, instruction="请添加注释：{code}")
    )
    spec = TRACK.spec(task, profile="strict")
    questions = TRACK.questions(task, language="zh", form="chat")

    assert spec.language == "zh" and [each.text for each in spec.annotations] == [e["text"] for e in chinese]
    assert len(questions) == 6 and all("注释" in each.text for each in questions)
    taken = TRACK.extract(task, answer(task, str(TRACK.gold(task))), profile="strict")
    gold = judged(taken.program, spec).scores
    english = judged(CODE.replace("    if low", "    # An empty range is an error.\n    if low"), spec).scores
    assert gold["total"] > 2 * english["total"] and english["format"] < gold["format"]


def test_a_row_comes_back_as_it_was(tmp_path: Path) -> None:
    """Unknown fields are kept at every level."""
    row = {**comment_row(repo="own/work", difficulty=3), "split": "test"}
    (task,) = load(tmp_path, row)

    assert (row_of(task), TRACK.to_row(task)) == (row, row)


def test_what_decides_a_verdict_is_in_the_revision(tmp_path: Path) -> None:
    """Nothing else is included."""
    rows = [
        comment_row(),
        comment_row(id=2),
        comment_row(id=3, repo="x/y"),
        comment_row(id=4, comment="Other."),
    ]
    revisions = [task.revision for task in load(tmp_path, *rows)]

    assert [revisions.count(each) for each in revisions] == [3, 3, 3, 1]


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"code": " \n"}, "inputs.code", "is empty"),
        ({"code": None}, "inputs.code", "the field is missing"),
        ({"code": 7}, "inputs.code", "must be a string, not a number"),
        ({"code": "x = 1\n" * MAX_CODE}, "inputs.code", "the limit is 131,072"),
        ({"lang": "Pyton"}, "inputs.lang", "'Pyton' is unknown"),
        ({"lang": None}, "inputs.lang", "the field is missing"),
        ({"unit": "module"}, "inputs.unit", "is unknown"),
        ({"language": "fr"}, "inputs.language", "is unknown"),
        ({"style": 1}, "inputs.style", "must be a string"),
        ({"annotations": {}}, "outputs.annotations", "must be a list of objects"),
        ({"annotations": ["x"]}, "outputs.annotations[0]", "must be an object"),
        (
            {"annotations": [{"line": 0, "text": "x"}]},
            "outputs.annotations[0].line",
            "the code has no line 0",
        ),
        ({"annotations": [{"line": -1, "text": "x"}]}, "outputs.annotations[0].line", "no line -1"),
        ({"annotations": [{"line": 6, "text": "x"}]}, "outputs.annotations[0].line", "no line 6"),
        ({"annotations": [{"line": "1", "text": "x"}]}, "outputs.annotations[0].line", "must be the number"),
        ({"annotations": [{"line": True, "text": "x"}]}, "outputs.annotations[0].line", "must be the number"),
        ({"annotations": [ANNOTATIONS[0]] * 2}, "outputs.annotations", "line 3 has two annotations"),
        ({"annotations": [{"line": 1, "text": ""}]}, "outputs.annotations[0].text", "is empty"),
        ({"annotations": [{"line": 1}]}, "outputs.annotations[0].text", "is missing"),
        ({"comment": "x" * 5_000_000}, "outputs.comment", "5,000,000 characters"),
        ({"code": "x = 1\n" * 20_000, "comment": "y" * 100_000}, None, "code and comments have"),
        ({"key_lines": 3}, "outputs.key_lines", "must be a list"),
        ({"key_lines": [1, 9]}, "outputs.key_lines[1]", "no line 9"),
        ({"instruction": "Comment it."}, "instruction", "does not show `code`"),
        ({"instruction": "{kode}"}, "instruction", "is not a text field"),
        ({"instruction": 3}, "instruction", "is a number, not a text"),
        ({"outputs": None}, "outputs", "the field is missing"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, changes: dict[str, Any], field: str | None, message: str) -> None:
    """The error has file, line, task and field, and a hint if there is a correction."""
    with pytest.raises(DataError) as caught:
        load(tmp_path, comment_row(), comment_row(**{"id": 2, **changes}))

    assert (caught.value.line, caught.value.task_id, caught.value.field) == (2, 2, field)
    assert message in caught.value.message


def test_one_id_twice(tmp_path: Path) -> None:
    """The error has the line of the first."""
    with pytest.raises(DataError, match="line 1 has it too"):
        load(tmp_path, comment_row(), comment_row())
