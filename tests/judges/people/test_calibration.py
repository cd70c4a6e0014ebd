"""A model judge against people: counts by hand, where it leans, what its score becomes, drift, and position."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.contracts import Assessment
from benchwright.judges.people.calibration import (
    AnswerFacts,
    JudgeCalibration,
    calibrate,
    drift,
    is_calibrated,
    position_bias,
    said_of,
    worth,
)
from benchwright.judges.people.results import results_of
from benchwright.records import KeyedRow
from kit.calibrated import TASKS, kind_judge, peoples_votes, right, said
from kit.peoples_votes import vote


def facts(length: Any = lambda task: 10, stratum: Any = lambda task: "") -> dict[KeyedRow, AnswerFacts]:
    """Of all answers."""
    return {
        (f"{task}-0", task): AnswerFacts(task, length(task), stratum(task)) for task in range(1, TASKS + 1)
    }


def kind(labelled: int = 60, **more: Any) -> JudgeCalibration:
    """The kind judge against people."""
    votes = peoples_votes(range(1, labelled + 1))
    judged = [said("j1", task, kind_judge(task)) for task in range(1, TASKS + 1)]
    (found,) = calibrate(results_of(votes), judged, facts(**more), alphas={}, draws=50)
    return found


def test_counts_by_hand() -> None:
    """60 labels: 40 right, of which it calls all right; 20 not, of which it calls 10 right."""
    found = kind()

    assert found.confusion == {"correct": {"correct": 40}, "wrong": {"correct": 10, "wrong": 10}}
    assert found.sensitivity is not None and (found.sensitivity.value, found.sensitivity.n) == (1, 40)
    assert found.specificity is not None and (found.specificity.value, found.specificity.n) == (0.5, 20)
    assert found.lead is not None and found.lead.value == pytest.approx(1 / 6)
    assert found.agreement["percent"].value == pytest.approx(5 / 6)


def test_people_beside_judge_and_both() -> None:
    """Of 120 answers 80 are right; the judge says 100, and both together about what is true."""
    estimate = kind().estimate
    assert estimate is not None and estimate.judge is not None

    assert estimate.judge.value == pytest.approx(100 / 120)
    assert estimate.human.value == pytest.approx(40 / 60)
    assert estimate.predicted.value == pytest.approx(80 / 120)
    width = estimate.human.high - estimate.human.low
    assert estimate.predicted.high - estimate.predicted.low < width


def test_strata_are_weighed_by_all_their_answers() -> None:
    """By language, where the tasks say one."""
    estimate = kind(stratum=lambda task: "ru" if task % 2 else "en").estimate
    assert estimate is not None

    assert [(each.name, each.labelled, each.items) for each in estimate.strata] == [
        ("en", 30, 60),
        ("ru", 30, 60),
    ]


def test_fifty_blind_labels_calibrate() -> None:
    """49 do not; a label without a blind vote is none of them."""
    assert (kind(50).calibrated, kind(49).calibrated) == (True, False)
    assert (is_calibrated(50, None), is_calibrated(49, None)) == (True, False)
    assert (is_calibrated(50, 0.67), is_calibrated(500, 0.66)) == (True, False)
    votes = [
        each for each in peoples_votes(range(1, 51)) if each.task_id != 50 or each.round == "adjudication"
    ]
    judged = [said("j1", task, "correct") for task in range(1, TASKS + 1)]
    (found,) = calibrate(results_of(votes), judged, facts(), alphas={}, draws=0)
    assert (found.labels, found.blind, found.calibrated) == (50, 49, False)


VOTES = {  # what two or three people say of an answer that they do not agree on, and the mean of that
    "one each": (("correct", "wrong"), 0.5),
    "three ways": (("correct", "partly", "wrong"), 1 / 3),
    "two against two": (("correct", "correct", "wrong", "wrong"), 0.5),
    "one cannot tell": (("correct", "cannot_tell"), 1.0),
    "partly or wrong": (("partly", "wrong"), 0.0),
}


@pytest.mark.parametrize(("said_by_people", "mean"), VOTES.values(), ids=VOTES)
def test_disputed_answers_stay_in_the_estimate(said_by_people: tuple[str, ...], mean: float) -> None:
    """By their mean vote: 60 agreed answers and 30 disputed ones are 90 labels of the estimate, and 60 labels."""
    agreed = peoples_votes(range(1, 61))
    disputed = [
        vote(value, f"p{number}", item=f"disputed {task}", task_id=task, answers=[f"{task}-0"])
        for task in range(61, 91)
        for number, value in enumerate(said_by_people)
    ]
    judged = [said("j1", task, kind_judge(task)) for task in range(1, TASKS + 1)]
    (found,) = calibrate(results_of([*agreed, *disputed]), judged, facts(), alphas={}, draws=0)

    assert (found.labels, found.disputed) == (60, 30)
    assert found.estimate is not None and found.estimate.labelled == 90
    assert found.estimate.human.value == pytest.approx((40 + 30 * mean) / 90)


def test_a_judge_who_likes_long_answers_is_found() -> None:
    """Its wrong answers that it calls right are long; where length has no part there is no bias."""
    biased = kind(length=lambda task: 1000 if not right(task) and task % 2 == 0 else 10 + task % 3).length
    fair = kind(length=lambda task: 10 + task * task % 7).length

    assert biased is not None and biased.low > 0.5
    assert fair is not None and fair.low < 0 < fair.high


def test_grades_are_held_against_grades() -> None:
    """From 1 to 5 by people, from 0 to 1 by a judge that gives one grade more than they do."""
    votes = [
        vote(
            1 + task % 4,
            "anna",
            item=f"i{task}",
            task_id=task,
            kind="rate",
            field="logic",
            answers=[f"{task}-0"],
        )
        for task in range(1, 41)
    ]
    judged = [said("j", task, "", scores={"logic": (1 + task % 4) / 4}) for task in range(1, 41)]
    (found,) = calibrate(results_of(votes), judged, facts(), alphas={}, draws=0)

    assert found.lead is not None and found.lead.value == pytest.approx(0.25)
    assert found.confusion == {str(grade): {str(grade + 1): 10} for grade in range(1, 5)}
    assert (found.sensitivity, found.specificity) == (None, None)
    assert found.estimate is not None and found.estimate.human.value == pytest.approx(0.375)


def test_what_a_judge_could_not_tell_is_no_value() -> None:
    """Nor is what people could not tell."""
    unsure = said("j", 1, "cannot_tell", status="undecided")

    assert (said_of(unsure, "decision"), worth("decision", "cannot_tell")) == (None, None)
    assert [worth("decision", label) for label in ("correct", "partly", "wrong")] == [1, 0, 0]
    assert [worth("logic", grade) for grade in (1, 3, 5)] == [0, 0.5, 1]


def test_a_judge_of_other_fields_is_not_held_against_these() -> None:
    """People decided, and the judge rated: nothing to compare."""
    judged: list[Assessment] = [said("j", 1, "", scores={"logic": 1.0})]

    assert calibrate(results_of(peoples_votes(range(1, 9))), judged, facts(), alphas={}) == []


def test_drift_between_two_ways_of_judging() -> None:
    """The kind judge calls 20 of 120 right that the other does not."""
    judged = [
        each
        for task in range(1, TASKS + 1)
        for each in (
            said("j1", task, kind_judge(task)),
            said("j2", task, "correct" if right(task) else "wrong"),
        )
    ]
    (found,) = drift(judged, draws=0)

    assert (found.a, found.b, found.field, found.answers) == ("j1", "j2", "decision", 120)
    assert found.agreement["percent"].value == pytest.approx(100 / 120)
    assert found.lead is not None and found.lead.value == pytest.approx(20 / 120)
    assert found.lead.low > 0
    assert drift(judged[::2], draws=0) == []


def test_position_of_what_is_preferred() -> None:
    """Anna prefers what stands first, boris the better one; ties and unknown orders do not count."""

    def prefers(item: int, value: str, judge: str, shown: str) -> Any:
        answers = [f"{item}-0", f"{item}-x"]
        return vote(
            value, judge, item=f"i{item}", kind="pair", field="preference", shown=shown, answers=answers
        )

    votes = [prefers(n, "ab"[n % 2], "anna", ("ab", "ba")[n % 2]) for n in range(10)]
    votes += [prefers(n, "a", "boris", ("ab", "ba")[n % 2]) for n in range(10)]
    votes += [prefers(10, "tie", "anna", "ab"), prefers(11, "a", "anna", "")]
    together, anna, boris = position_bias(votes)

    assert (together.judge, together.first.value, together.first.n) == ("", 0.75, 20)
    assert (anna.judge, anna.first.value, anna.first.n) == ("anna", 1, 10)
    assert (boris.judge, boris.first.value, boris.first.n) == ("boris", 0.5, 10)


def test_tasks_of_equal_content_have_labels_of_their_own() -> None:
    """Their answers have one key: what people and the judge say of one is not said of the other."""
    tasks = {1: ("correct", "correct"), 2: ("wrong", "correct"), 3: ("wrong", "wrong")}
    people = [
        vote(own, item=f"i{task}", task_id=task, answers=["one-key"]) for task, (own, _) in tasks.items()
    ]
    judged = [said("j", task, label, answer="one-key") for task, (_, label) in tasks.items()]
    answers: dict[KeyedRow, AnswerFacts] = {("one-key", task): AnswerFacts(task, 10) for task in tasks}
    (found,) = calibrate(results_of(people), judged, answers, alphas={}, draws=0)
    drifted = drift([*judged, *(said("k", task, "wrong", answer="one-key") for task in tasks)], draws=0)

    assert (found.labels, found.blind) == (3, 3)
    assert found.confusion == {"correct": {"correct": 1}, "wrong": {"correct": 1, "wrong": 1}}
    assert drifted[0].answers == 3
