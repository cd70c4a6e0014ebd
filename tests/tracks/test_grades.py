"""Indicators of both graded tracks: likeness of answers, and values that were not measured."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Indicator, JudgedAnswer
from benchwright.records import Outcome, Task
from benchwright.tracks.grades import reliability

GRADES = st.lists(st.floats(min_value=0, max_value=1), min_size=2, max_size=5)


def task(task_id: int, **meta: Any) -> Task:
    """Return a task; only its meta matters."""
    return Task(task_id=task_id, instruction="", inputs={}, outputs=None, meta=meta, revision="")


def answer(grade: float, variant: str = "") -> JudgedAnswer:
    """Return a graded answer to one wording."""
    return JudgedAnswer(Outcome.scored, variant, {"total": grade})


def of(name: str, tasks: list[Task], answers: dict[Any, list[JudgedAnswer]], **outcomes: int) -> Indicator:
    """Return one indicator of these answers."""
    by_id = {each.task_id: each for each in tasks}
    found = reliability(by_id, answers, outcomes, grade="total", refusals=False)
    return next(each for each in found if each.name == name)


def value(found: Indicator) -> float:
    """Return the measured value."""
    assert found.metric is not None, found.absent
    return found.metric.value


def test_stability_is_the_likeness_of_two_answers() -> None:
    """It is 1 less the mean difference; for right and wrong answers the probability that two agree."""
    tasks = [task(1), task(2)]
    answers = {1: [answer(0.5), answer(0.7)], 2: [answer(1.0), answer(1.0), answer(0.0)]}

    assert value(of("stability", tasks, answers)) == pytest.approx((0.8 + 1 / 3) / 2)


@given(GRADES)
def test_stability_is_a_share(grades: list[float]) -> None:
    """It is between 0 and 1, and 1 if all are equal."""
    measured = value(of("stability", [task(1)], {1: [answer(grade) for grade in grades]}))

    assert 0 <= measured <= 1
    assert value(of("stability", [task(1)], {1: [answer(grades[0])] * 2})) == 1


def test_answers_to_different_wordings_are_not_the_same_question() -> None:
    """They measure the robustness of a model, not its stability."""
    answers = {1: [answer(0.2, "en-01"), answer(0.6, "en-02")]}

    assert of("stability", [task(1)], answers).absent.startswith("each question was asked once")
    assert value(of("robustness", [task(1)], answers)) == pytest.approx(0.6)


def test_rows_that_are_variants_of_another_are_held_against_it() -> None:
    """`variant_of` in a row's meta names the row with the same question in other words."""
    tasks = [task(1), task(2, variant_of=1), task(3)]
    answers = {1: [answer(0.9)], 2: [answer(0.4)], 3: [answer(0.1)]}
    found = of("robustness", tasks, answers)

    assert (value(found), found.metric and found.metric.n) == (pytest.approx(0.5), 1)


@pytest.mark.parametrize("name", ["stability", "robustness", "refusals"])
def test_what_is_not_measured_says_why(name: str) -> None:
    """It has no value."""
    found = of(name, [task(1)], {1: [answer(0.5)]}, scored=1)

    assert (found.metric, bool(found.absent)) == (None, True)


def test_an_undecided_answer_is_no_zero() -> None:
    """It is left out of comparisons."""
    answers = {1: [answer(1.0), answer(1.0), JudgedAnswer(Outcome.undecided)]}

    assert value(of("stability", [task(1)], answers)) == 1


def test_failures_are_counted_and_excluded() -> None:
    """A failed request says nothing about answers, and the number of failures is shown."""
    found = of("failures", [task(1)], {1: [answer(0.5)]}, scored=8, model_error=1, sandbox_error=1)

    assert (value(found), found.higher_is_better) == (0.2, False)
    assert of("failures", [], {}).metric is None


def test_usable_answers() -> None:
    """The share of readable answers."""
    answers = {1: [answer(0.0), JudgedAnswer(Outcome.no_code)], 2: [JudgedAnswer(Outcome.wrong)]}

    assert value(of("usable", [task(1), task(2)], answers)) == 0.75
