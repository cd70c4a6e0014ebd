"""The track of review remarks: prompts, gold, stub and measures."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.contracts import JudgedAnswer
from benchwright.records import Answer, Outcome, Task
from benchwright.tracks.refine.track import TRACK
from kit.smartcoding_rows import refine_row, row_with_tests


def _tasks(tmp_path: Path) -> dict[int | str, Task]:
    path = tmp_path / "rows.jsonl"
    text = {"id": "text", "code": "Teh\n", "first": 1, "last": 1, "remark": "Typo.", "reference": "The"}
    rows = [refine_row(), row_with_tests(id="tested", tags=["none", "none"]), text]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {task.task_id: task for task in TRACK.load(path)}


def test_prompts_show_code_lines_and_remark_and_nothing_of_the_answer(tmp_path: Path) -> None:
    """This holds in each language and form."""
    task = _tasks(tmp_path)["tested"]
    for language in ("en", "ru"):
        for form in ("chat", "base"):
            texts = [each.text for each in TRACK.questions(task, language=language, form=form)]

            assert len(texts) == 3 and all(
                "sums.py" in text and "objects may define" in text for text in texts
            )
            assert all(text.count("if value == None:") == 2 for text in texts)
            assert not any("is None" in text or "Odd" in text for text in texts)


def test_gold_is_the_reference_and_the_stub_the_lines_as_given(tmp_path: Path) -> None:
    """Both are read like any answer."""
    task = _tasks(tmp_path)["none"]
    taken = [
        TRACK.extract(
            task, Answer(key="k", task_id=1, sample=0, model="m", text=text or ""), profile="strict"
        )
        for text in (TRACK.gold(task), TRACK.stub(task))
    ]
    row = refine_row()

    assert [each.program for each in taken] == [
        row["reference"],
        row["reference"].replace("is None", "== None"),
    ]


def test_figures_are_over_tasks_and_say_what_they_rest_on(tmp_path: Path) -> None:
    """An answer without a hunk counts as 0 in the shares; missing ones are left out."""
    tasks = _tasks(tmp_path)
    good = {"applies": 1.0, "touches": 1.0, "exact": 0.0, "equal": 1.0, "chrf": 0.9}
    answers = {
        "none": [JudgedAnswer(Outcome.passed, scores=good)],
        "tested": [JudgedAnswer(Outcome.wrong, scores={**good, "equal": 0.0, "tests": 0.0})],
        "text": [JudgedAnswer(Outcome.no_code), JudgedAnswer(Outcome.sandbox_error)],
    }
    metrics = TRACK.measures.metrics(tasks, answers, ())
    values = {name: (round(each.value, 3), each.n) for name, each in metrics.items()}

    assert values["resolved"] == values["equal"] == (0.333, 3)
    assert values["applies"] == values["touches"] == (0.667, 3)
    assert (values["tests"], values["chrf"]) == ((0.0, 1), (0.9, 2))
    assert all(each.low <= each.value <= each.high for each in metrics.values())


def test_groups_and_notes(tmp_path: Path) -> None:
    """Groups are by language and by kind of judging; a note has the number of tasks without tests."""
    tasks = _tasks(tmp_path)
    answers = {task: [JudgedAnswer(Outcome.passed)] for task in tasks}
    groups = TRACK.measures.details(tasks, answers)["groups"]

    assert {kind: sorted(rows) for kind, rows in groups.items()} == {
        "language": ["Python", "text"],
        "judged by": ["tests", "the reference"],
    }
    assert "2 tasks without tests" in TRACK.measures.notes(tasks, answers, ())[0]
    assert TRACK.measures.notes(tasks, {"tested": answers["tested"]}, ()) == []


def test_several_answers_are_averaged(tmp_path: Path) -> None:
    """A task's value is the share of its decided answers."""
    ends = [Outcome.passed, Outcome.wrong, Outcome.sandbox_error]
    given = [JudgedAnswer(end) for end in ends]

    assert TRACK.measures.task_value("resolved", given) == 0.5
    assert TRACK.measures.task_value("resolved", given[2:]) is None
    assert TRACK.measures.metrics(_tasks(tmp_path), {"none": given}, ())["resolved"].value == 0.5
