"""The track of StRuCom: rows, inserting documentation in five languages, judging and chrF."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from benchwright.contracts import Judgement
from benchwright.errors import DataError
from benchwright.judges.documentation import DocumentationJudge
from benchwright.judges.judge_registry import Resources
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.records import Answer, Outcome, Task
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.strucom.rows import LANGUAGES, language_of
from benchwright.tracks.strucom.track import TRACK
from kit.mera_replies import SAMPLES, rows
from kit.needs import need_module

need_module("tree_sitter_c_sharp", "reads C# functions: the extra `code`")
TASKS = list(TRACK.load(SAMPLES / "strucom.jsonl"))
JUDGE = DocumentationJudge(Resources(None, None))  # type: ignore[arg-type]


def _task(**changes: Any) -> Task:
    row = deepcopy(rows("strucom")[0])
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        target, key = (row[first], rest) if rest else (row, first)
        target.pop(key) if value is ... else target.update({key: value})
    return TRACK.read_row(Fields(row, "rows.jsonl", 1))


def _judged(task: Task, text: str, *, profile: str = "strict") -> Judgement:
    answer = Answer(key="", task_id=task.task_id, sample=0, model="m", text=text)
    return JUDGE.judge(TRACK.extract(task, answer, profile=profile), TRACK.spec(task, profile=profile))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"inputs__function": ...}, "inputs.function"),
        ({"inputs__function": "\n"}, "inputs.function"),
        ({"meta__language": ...}, "meta.language"),
        ({"meta__language": "rust"}, "meta.language"),
        ({"meta__language": 1}, "meta.language"),
        ({"outputs": 1}, "outputs"),
        ({"outputs": ["x"]}, "outputs"),
        ({"instruction": "Document it."}, "instruction"),
        ({"instruction": 0}, "instruction"),
        ({"meta__id": ...}, "meta.id"),
    ],
)
def test_a_bad_row_is_refused_with_its_field(changes: dict[str, Any], field: str) -> None:
    """Each error has the line."""
    with pytest.raises(DataError) as caught:
        _task(**changes)

    assert (caught.value.field, caught.value.line) == (field, 1)


def test_rows_and_prompts() -> None:
    """Rows come back unchanged and are recognised; a hidden reference can be asked for, but not scored."""
    hidden = _task(outputs=None)
    asked = [each for name in ("ru", "en") for each in TRACK.questions(TASKS[0], language=name, form="chat")]

    assert [TRACK.to_row(task) for task in TASKS] == rows("strucom")
    assert {track_of_row(row) for row in rows("strucom")} == {"strucom"}
    assert len(asked) == 6 and all("def average" in each.text and "Google" in each.text for each in asked)
    assert TRACK.gold(hidden) is None
    with pytest.raises(DataError, match="hidden"):
        TRACK.spec(hidden, profile="mera-exact")


@pytest.mark.parametrize("name", LANGUAGES)
def test_documentation_is_placed_where_the_language_has_it(name: str) -> None:
    """In a fence, with other text, with the function, and without markers: the code does not change."""
    for task in [task for task in TASKS if task.meta["language"] == name]:
        reference, function = task.outputs, task.inputs["function"]
        lang = language_of(task).lang
        code = TRACK.comment_spec(task).code
        for text in (reference, f"Вот:\n```\n{reference}\n```\n", "Складывает числа."):
            answer = Answer(key="", task_id=1, sample=0, model="m", text=text)
            program = TRACK.extract(task, answer, profile="strict").program
            found = read_comments(program, lang)
            assert first_change(read_comments(code, lang), found) is None, program
            assert [each.kind for each in found.comments] == ["doc"], program
            assert not any(mark in found.comments[0].text for mark in ("/*", "///", '"""'))
        assert _judged(task, f"{function}\n}}}}").outcome is not Outcome.passed


def test_references_beat_answers_without_skill() -> None:
    """By rules, for each row: reference, function alone, empty; an empty text is not an answer."""
    for task in TASKS:
        gold, echo, empty = (_judged(task, text) for text in (task.outputs, task.inputs["function"], ""))
        assert gold.scores["total"] > 0.8, gold.detail
        assert echo.scores.get("total", 0.0) == 0.0
        assert empty.outcome is Outcome.no_code
        assert _judged(task, TRACK.stub(task)).outcome is Outcome.wrong


def test_a_function_that_cannot_be_read_is_undecided() -> None:
    """This is by rules; chrF is still computed, and MERA's metric scores it."""
    task = _task(inputs__function="def f(:\n    pass")
    strict, exact = _judged(task, "x"), _judged(task, "x", profile="mera-exact")

    assert (strict.outcome, "cannot be read as Python" in strict.detail) == (Outcome.undecided, True)
    assert (exact.outcome, exact.scores) == (Outcome.scored, strict.scores)
    assert TRACK.gold(task) is None
