"""The figures of the issue track: correct of judged, with the number of answers that were not judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome, Task, TaskId
from benchwright.stats.intervals import wilson
from benchwright.tracks.issues.measures import IssueMeasures
from kit.graded_runs import ISSUES, issue_row, tasks_of
from kit.small_data import write

MEASURES = IssueMeasures()
CORRECT = JudgedAnswer(Outcome.passed, "", {"answer": 1.0, "strongest": 1.0}, {"judge j": Outcome.passed})
BY_ANY = JudgedAnswer(Outcome.passed, "", {"answer": 1.0, "strongest": 0.0}, {"judge j": Outcome.passed})
PARTLY = JudgedAnswer(Outcome.scored, "", {"answer": 0.5, "strongest": 0.0}, {"judge j": Outcome.scored})
WRONG = JudgedAnswer(Outcome.wrong, "", {"answer": 0.0, "strongest": 0.0}, {"judge j": Outcome.wrong})
EMPTY = JudgedAnswer(Outcome.wrong, "", {"nothing_said": 1.0})
REFUSED = JudgedAnswer(Outcome.wrong, "", {"refusal": 1.0})
UNDECIDED = JudgedAnswer(Outcome.undecided, "", {}, {"judge j": Outcome.undecided})


@pytest.fixture
def tasks(tmp_path: Path) -> dict[TaskId, Task]:
    """Return six questions of three years."""
    return tasks_of(ISSUES, write(tmp_path / "rows.jsonl", [issue_row(number) for number in range(1, 7)]))


def test_acc_is_correct_of_judged(tasks: dict[TaskId, Task]) -> None:
    """With one answer per task the interval is Wilson's; undecided answers are left out."""
    answers = {1: [CORRECT], 2: [BY_ANY], 3: [PARTLY], 4: [WRONG], 5: [UNDECIDED], 6: [EMPTY]}
    metrics = MEASURES.metrics(tasks, answers, ())
    acc, expected = metrics["acc"], wilson(2, 5)

    assert (acc.value, acc.low, acc.high, acc.n) == (0.4, expected.low, expected.high, 5)
    assert {name: metrics[name].value for name in ("acc_strongest", "partly")} == {
        "acc_strongest": 0.2,
        "partly": 0.2,
    }


def test_several_answers_a_task(tasks: dict[TaskId, Task]) -> None:
    """A task's value is the share of correct ones among its judged answers."""
    answers = {1: [CORRECT, WRONG, UNDECIDED], 2: [CORRECT, CORRECT, CORRECT]}

    assert MEASURES.task_value("acc", answers[1]) == 0.5
    assert MEASURES.metrics(tasks, answers, ())["acc"].value == 0.75
    assert MEASURES.task_value("acc", [UNDECIDED]) is None


def test_without_a_judge_there_is_no_score(tasks: dict[TaskId, Task]) -> None:
    """There is no figure rather than a zero, and a note states why."""
    undecided = JudgedAnswer(Outcome.undecided)

    assert not {"acc", "acc_strongest", "partly"} & set(MEASURES.metrics(tasks, {1: [undecided]}, ()))
    assert MEASURES.notes(tasks, {1: [undecided]}, ()) == [
        "acc is correct of judged: 0 of 1 answer are judged",
        "1 of 1 answer is undecided, in no figure and no zero: rules alone cannot tell, and no judge was asked "
        "(--judge)",
    ]


def test_notes_tell_rule_from_judge(tasks: dict[TaskId, Task]) -> None:
    """Answers settled by rules are counted separately."""
    note, judge = MEASURES.notes(tasks, {1: [CORRECT], 2: [EMPTY], 3: [REFUSED]}, ())

    assert note == (
        "acc is correct of judged: 3 of 3 answers are judged, 2 of them by rule alone, as saying nothing or refusing"
    )
    assert judge.startswith(
        "judge j: 1 of 1 answer judged, 0 undecided, 0 unparsable, 0 missing; uncalibrated"
    )


def test_details(tasks: dict[TaskId, Task]) -> None:
    """By evidence for the strongest reference, and by year of the question; the judges' share."""
    details = MEASURES.details(tasks, {1: [CORRECT], 2: [EMPTY], 3: [UNDECIDED]})

    assert {kind: sorted(rows) for kind, rows in details["groups"].items()} == {
        "reference": ["accepted"],
        "asked in": ["2021", "2022"],
    }
    assert details["shares"] == {"acc": {"rule": 0.5, "judge": 0.5}}


def test_refusals_are_an_indicator(tasks: dict[TaskId, Task]) -> None:
    """They are counted apart from wrong answers."""
    found = MEASURES.indicators(tasks, {1: [CORRECT], 2: [REFUSED]}, {"passed": 1, "wrong": 1})
    refusals = next(each for each in found if each.name == "refusals")

    assert refusals.metric is not None and (refusals.metric.value, refusals.higher_is_better) == (0.5, False)
