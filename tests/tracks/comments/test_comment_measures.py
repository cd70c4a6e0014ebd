"""The figures of the comment track, and their notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.contracts import JudgedAnswer, read_indicators
from benchwright.records import Outcome, Task, TaskId
from benchwright.tracks.comments.measures import CommentMeasures
from kit.graded_runs import COMMENTS, comment_row, rules, tasks_of
from kit.small_data import write

MEASURES = CommentMeasures()


def scored(**grades: float) -> JudgedAnswer:
    """Return an answer graded by rules."""
    return JudgedAnswer(Outcome.scored, "", rules(**grades))


def ended(outcome: str, **parts: Outcome) -> JudgedAnswer:
    """Return an answer with another outcome."""
    return JudgedAnswer(Outcome(outcome), "", {}, {f"judge {name}": end for name, end in parts.items()})


@pytest.fixture
def tasks(tmp_path: Path) -> dict[TaskId, Task]:
    """Return six tasks, every second one to be commented in Russian."""
    return tasks_of(COMMENTS, write(tmp_path / "rows.jsonl", [comment_row(number) for number in range(1, 7)]))


def test_means_over_tasks(tasks: dict[TaskId, Task]) -> None:
    """A task's value is the mean of its answers; changed code and missing code count as 0; undecided answers
    are left out."""
    answers = {
        1: [scored(accuracy=1.0, logic=1.0), ended("wrong")],
        2: [scored(accuracy=0.4, logic=0.1)],
        3: [ended("no_code")],
        4: [ended("undecided", j=Outcome.unparsable)],
        5: [ended("undecided"), scored(accuracy=1.0, logic=1.0)],
    }
    metrics = MEASURES.metrics(tasks, answers, ())

    assert (metrics["total"].n, metrics["total"].value) == (4, pytest.approx((0.5 + 0.5 + 0.0 + 1.0) / 4))
    assert metrics["total"].low < metrics["total"].value < metrics["total"].high
    assert (metrics["code_unchanged"].n, metrics["code_unchanged"].value) == (4, pytest.approx(3.5 / 4))
    assert MEASURES.task_value("total", answers[4]) is None


def test_a_figure_is_of_those_that_have_it(tasks: dict[TaskId, Task]) -> None:
    """Comments without names have no share of true names; chrF++ is not ranked."""
    answers = {1: [scored(entity_truth=0.5, chrf=0.2)], 2: [scored()]}
    metrics = MEASURES.metrics(tasks, answers, ())

    assert (metrics["entity_truth"].n, metrics["entity_truth"].value) == (1, 0.5)
    assert MEASURES.compared(metrics) == ["total", "format", "accuracy", "logic"]
    assert "not ranked" in MEASURES.find("chrf").title


def test_nothing_judged_gives_nothing(tasks: dict[TaskId, Task]) -> None:
    """There is no figure, no group, and no note."""
    assert (MEASURES.metrics(tasks, {}, ()), MEASURES.details(tasks, {}), MEASURES.notes(tasks, {}, ())) == (
        {},
        {},
        [],
    )


def test_notes_say_what_numbers_are_made_of(tasks: dict[TaskId, Task]) -> None:
    """Notes state the weights, the parts by rules and judges, and the number of undecided answers."""
    by_rule = MEASURES.notes(tasks, {1: [scored()]}, ())
    judged = {
        1: [JudgedAnswer(Outcome.scored, "", rules(), {"judge j": Outcome.scored})],
        2: [ended("undecided", j=Outcome.unparsable)],
    }
    other = CommentMeasures({"format": 0.2, "accuracy": 0.3, "logic": 0.5}).notes(tasks, judged, ())

    assert by_rule == [
        "total is the weighted mean of its parts: format 0.33, accuracy 0.33, logic 0.33; all of them are by "
        "rule alone, since no judge was asked (--judge)"
    ]
    assert other == [
        "total is the weighted mean of its parts: format 0.2, accuracy 0.3, logic 0.5; format is all rule, "
        "accuracy is 50 % judge and 50 % rule and logic is 70 % judge and 30 % rule",
        "1 of 2 answers is undecided, in no figure and no zero: no judge who was asked could tell",
        "judge j: 1 of 2 answers judged, 0 undecided, 1 unparsable, 0 missing; uncalibrated, since no labels by "
        "people say how often it is right",
    ]


def test_details(tasks: dict[TaskId, Task]) -> None:
    """Groups by language of code, language of comments and unit; shares; spread of totals."""
    answers = {task: [scored(accuracy=task / 10, logic=0.0)] for task in (1, 2, 3)}
    details = MEASURES.details(tasks, answers)

    assert {kind: list(rows) for kind, rows in details["groups"].items()} == {
        "language": ["Python"],
        "comments in": ["en", "ru"],
        "unit": ["function"],
    }
    assert details["groups"]["comments in"]["ru"]["total"]["n"] == 2
    assert details["shares"] == {
        name: {"rule": 1.0, "judge": 0.0} for name in ("format", "accuracy", "logic")
    }
    assert details["distribution"] == [0, 0, 0, 1, 2, 0, 0, 0, 0, 0]


def test_every_indicator_has_a_value_or_a_reason(tasks: dict[TaskId, Task]) -> None:
    """No indicator is missing, and the three qualities are included."""
    found = MEASURES.indicators(tasks, {1: [scored(entity_truth=1.0)]}, {"scored": 1, "model_error": 1})
    failures = next(each for each in found if each.name == "failures")

    assert {each.quality for each in found} == {"functionality", "reliability", "interpretability"}
    assert all((each.metric is None) == bool(each.absent) for each in found)
    assert all(each.about and each.unit for each in found)
    assert failures.metric is not None and failures.metric.value == 0.5
    assert read_indicators({}) == []
