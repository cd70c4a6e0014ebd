"""pass@k of judged answers, with its notes."""

from __future__ import annotations

import pytest

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome
from benchwright.stats.metrics import crossed_metrics, pass_metrics
from benchwright.tracks.functions.completion import PassAtK, notes_on_coverage

PASSING = PassAtK()


def _answers(passed: int, judged: int, variant: str = "") -> list[JudgedAnswer]:
    outcomes = [Outcome.passed] * passed + [Outcome.wrong] * (judged - passed)
    return [JudgedAnswer(outcome, variant) for outcome in outcomes]


def test_metrics_are_those_of_the_counts() -> None:
    """With one prompt it is pass@k of pooled answers, with several the mean over prompts; each k is over the
    tasks with enough answers."""
    one = {"a": _answers(1, 2), "b": _answers(2, 3)}
    several = {"a": [*_answers(2, 2, "x"), *_answers(0, 2, "y")]}

    pooled = PASSING.metrics({}, one, (1, 2))

    assert (list(pooled), pooled.pop("pass^2").value) == (["pass@1", "pass@2", "pass^2"], (0 + 1 / 3) / 2)
    assert PASSING.metrics({}, one, (3, 4)).keys() == {"pass@3", "pass^3"}
    assert PASSING.metrics({}, one, (3,))["pass@3"] == pass_metrics([(3, 2)], (3,))["pass@3"]
    assert pooled == pass_metrics([(2, 1), (3, 2)], (1, 2))
    assert PASSING.metrics({}, several, (1, 2)) == crossed_metrics({"a": [(2, 2), (2, 0)]}, (1, 2))
    assert PASSING.metrics({}, {}, (1,)) == {}
    notes = PASSING.notes({}, one, (1, 2, 3, 4))
    assert "pass@3 is over 1 of 2 tasks: the others have fewer than 3 answers (a)" in notes
    assert "pass@4 is not given: a task has at most 3 answers" in notes


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pass@1", 0.375),
        ("pass@2", 0.5),
        ("pass@4", 1.0),
        ("pass@5", None),
        ("pass^2", 0.25),
        ("pass^4", 0.0),
        ("pass^5", None),
    ],
)
def test_a_task_s_value_is_the_mean_over_its_prompts(name: str, value: float | None) -> None:
    """Prompts with too few answers are left out; without any prompt there is no value."""
    answers = [*_answers(3, 4, "x"), *_answers(0, 2, "y")]

    assert PASSING.task_value(name, answers) == value


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([(10, 3)] * 2 + [(10, 0)] * 22, "only 2 of 24 tasks have any right answer"),
        ([(10, 9)] * 7 + [(10, 10)] * 100, "only 7 of 107 tasks have any wrong answer"),
        ([(2, 1)] + [(2, 0)] * 3, "only 1 of 4 tasks have any right answer"),
    ],
)
def test_few_tasks_carry_the_score(counts: list[tuple[int, int]], words: str) -> None:
    """The interval then covers less often than its nominal level, and the note states the coverage."""
    (note,) = notes_on_coverage(counts)

    assert note.startswith(words) and "some 90 % of cases" in note


@pytest.mark.parametrize(
    "counts",
    [
        [(10, 0)] * 24,
        [(10, 10)] * 24,
        [(10, 5)] * 4,
        [(10, 3)] * 8 + [(10, 0)] * 16,
        [(1, 1)] * 2 + [(1, 0)] * 22,
    ],
)
def test_elsewhere_nothing_is_said(counts: list[tuple[int, int]]) -> None:
    """At the edge, if all tasks are informative, from eight tasks on, and with one answer each."""
    assert notes_on_coverage(counts) == []
