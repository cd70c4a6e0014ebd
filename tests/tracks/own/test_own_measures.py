"""Figures of own tasks: pass@k of decided answers, by kind and by tag."""

from __future__ import annotations

from pathlib import Path

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome
from benchwright.tracks.own.track import TRACK, OwnMeasures
from kit.own_rows import own_file

MEASURES = OwnMeasures()
RIGHT, WRONG = JudgedAnswer(Outcome.passed), JudgedAnswer(Outcome.wrong)
OPEN = JudgedAnswer(Outcome.undecided)


def test_undecided_answers_are_no_zeros(tmp_path: Path) -> None:
    """They are left out of the score and of a task's value, and a note has their number."""
    tasks = {task.task_id: task for task in TRACK.load(own_file(tmp_path))}
    answers = {"add": [RIGHT], "slug": [WRONG], "rows": [OPEN]}

    (figure, _) = MEASURES.metrics(tasks, answers, (1,)).values(), None
    values = {metric.value for metric in figure}

    assert values == {0.5}
    assert MEASURES.task_value("pass@1", [OPEN]) is None
    assert MEASURES.task_value("pass@1", [OPEN, RIGHT]) == 1.0
    assert any("1 of 3 answers is undecided" in note for note in MEASURES.notes(tasks, answers, (1,)))


def test_nothing_decided_gives_no_figure(tmp_path: Path) -> None:
    tasks = {task.task_id: task for task in TRACK.load(own_file(tmp_path))}

    assert MEASURES.metrics(tasks, {"rows": [OPEN]}, (1,)) == {}
    assert MEASURES.metrics(tasks, {}, (1,)) == {}
    assert MEASURES.details(tasks, {"rows": [OPEN]}) == {}
    assert len(MEASURES.notes(tasks, {"rows": [OPEN]}, (1,))) == 1


def test_groups_are_the_ways_of_judging(tmp_path: Path) -> None:
    """Two or more tags are groups too; a single kind is not."""
    tasks = {task.task_id: task for task in TRACK.load(own_file(tmp_path))}

    groups = MEASURES.details(tasks, {"add": [RIGHT], "slug": [WRONG], "spam": [RIGHT]})["groups"]

    assert {name: row["pass@1"]["value"] for name, row in groups["judged by"].items()} == {
        "asserts": 0.0,
        "calls": 1.0,
        "label": 1.0,
    }
    assert list(groups) == ["judged by"]
    assert MEASURES.details(tasks, {"add": [RIGHT]}) == {}
