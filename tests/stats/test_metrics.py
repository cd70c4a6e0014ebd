"""Metrics from counts."""

import random
from statistics import fmean

import pytest

from benchwright.records import Metric
from benchwright.stats.intervals import mean_interval
from benchwright.stats.metrics import graded_metric, pass_metrics
from benchwright.stats.passk import pass_at_k

COUNTS = {1: (10, 3), 2: (10, 0), "HumanEval/3": (10, 10), 4: (10, 1)}


def test_one_metric_for_each_k():
    """Names follow the requested ks, in their order."""
    actual = pass_metrics(COUNTS, [10, 1, 5])

    assert list(actual) == ["pass@10", "pass@1", "pass@5"]


def test_value_is_the_mean_over_tasks():
    """The value of each metric is the mean of the unbiased estimates."""
    expected = [fmean(pass_at_k(n, c, k) for n, c in COUNTS.values()) for k in (1, 5, 10)]

    assert expected == [metric.value for metric in pass_metrics(COUNTS, (1, 5, 10)).values()]


def test_metric_is_complete():
    """A metric has its interval, the number of tasks and the answers to each."""
    interval = mean_interval([0.3, 0.0, 1.0, 0.1], samples_per_task=10)
    expected = Metric(value=interval.value, low=interval.low, high=interval.high, n=4, samples=10)

    assert {"pass@1": expected} == pass_metrics(COUNTS, [1])


def test_sequence_and_mapping_agree():
    """Tasks may come without names."""
    assert pass_metrics(COUNTS, [1, 5]) == pass_metrics(list(COUNTS.values()), [1, 5])


def test_a_short_task_is_refused_by_name():
    """A k above the smallest n names that task and has a hint."""
    with pytest.raises(ValueError) as caught:
        pass_metrics({**COUNTS, "HumanEval/9": (4, 4)}, [1, 5, 10])

    assert str(caught.value) == (
        "pass@5 needs 5 answers to each task, but task HumanEval/9 has 4. "
        "hint: ask for k up to 4, or collect at least 10 answers to each task"
    )


def test_a_short_task_in_a_sequence_is_named_by_position():
    """Without names the position is used."""
    with pytest.raises(ValueError, match="task 2 has 1"):
        pass_metrics([(10, 1), (10, 2), (1, 1)], [10])


def test_no_tasks_are_refused():
    """No tasks is an error, not an empty table."""
    with pytest.raises(ValueError, match="no tasks"):
        pass_metrics({}, [1])


def test_unequal_answers_report_the_smallest():
    """With different n the smallest is reported, and a task's estimate uses all its answers."""
    actual = pass_metrics([(20, 5), (10, 5)], [1])["pass@1"]

    assert (actual.value, actual.samples) == (0.375, 10)


def test_all_wrong_has_an_upper_limit_above_zero():
    """The upper limit stays above zero."""
    actual = pass_metrics([(10, 0)] * 24, [1, 10])

    assert [(m.value, 0.05 < m.high < 0.2) for m in actual.values()] == [(0.0, True), (0.0, True)]


def test_at_k_equal_n_more_samples_do_not_narrow():
    """At k = n the estimate is 0/1 per task, so equal tasks count only by their number."""
    ten = pass_metrics([(10, 1)] * 20 + [(10, 0)] * 20, [10])["pass@10"]
    one = pass_metrics([(1, 1)] * 20 + [(1, 0)] * 20, [1])["pass@1"]

    assert (ten.low, ten.high) == (one.low, one.high)


def test_grades_that_are_alike_have_a_short_interval_and_never_none():
    """More tasks with equal grades narrow it; a single answer's spread is that of the tasks."""
    widths = [
        metric.high - metric.low for n in (10, 40, 160) for metric in [graded_metric([0.5] * n, samples=1)]
    ]

    assert widths == sorted(widths, reverse=True)
    assert 0 < widths[-1] < 0.02
    assert graded_metric([1.0] * 10, samples=1).low < 1


def test_grades_of_0_and_1_are_a_plain_proportion():
    """This holds for any number of answers."""
    assert graded_metric([1.0, 0.0, 1.0, 1.0], samples=3) == Metric(
        **{
            name: getattr(mean_interval([1.0, 0.0, 1.0, 1.0], samples_per_task=1), name)
            for name in ("value", "low", "high", "n")
        },
        samples=3,
    )


@pytest.mark.parametrize("shape", [(8, 3), (2, 2), (0.5, 0.5)])
def test_the_interval_of_grades_covers(shape):
    """About 95 of 100 seeded samples of forty tasks cover the mean that they were drawn from."""
    rng, (a, b) = random.Random(11), shape
    made = [graded_metric([rng.betavariate(a, b) for _ in range(40)], samples=1) for _ in range(400)]

    assert 0.92 <= sum(each.low <= a / (a + b) <= each.high for each in made) / 400 <= 0.98
