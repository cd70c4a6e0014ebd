"""Metrics of labels: confusion tables by hand, and known properties of the intervals."""

from __future__ import annotations

import doctest
from math import sqrt

import pytest
from classes_cases import CASES, coverage
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchwright.stats import two_classes
from benchwright.stats.intervals import wilson
from benchwright.stats.two_classes import (
    Confusion,
    LabelPredictions,
    balanced_accuracy,
    class_metrics,
    confusion,
    grouped,
    macro_f1,
    majority,
    matthews,
)
from kit.needs import need_module

COUNTS = st.integers(0, 40)
TABLES = st.builds(Confusion, *([COUNTS] * 6)).filter(lambda table: table.first > 0 and table.second > 0)


@pytest.mark.parametrize(
    ("table", "balanced", "f1", "correlation"),
    [
        # 8 of 10 and 3 of 5; F1 of the first 16/20, of the second 6/10; (8*3 - 2*2)/sqrt(10*5*10*5)
        (Confusion(8, 2, 0, 2, 3, 0), 0.7, 0.7, 20 / 50),
        # two without a label: 6 of 10 and 3 of 5, F1 12/(6+2+10) and 6/(3+2+5), R_K with s=15, c=9, p=8,5,2
        (Confusion(6, 2, 2, 2, 3, 0), 0.6, (12 / 18 + 6 / 10) / 2, (135 - 105) / sqrt((225 - 93) * 100)),
        (Confusion(10, 0, 0, 0, 5, 0), 1.0, 1.0, 1.0),
        (Confusion(0, 10, 0, 5, 0, 0), 0.0, 0.0, -1.0),
        (Confusion(10, 0, 0, 5, 0, 0), 0.5, (20 / 25) / 2, 0.0),
        (Confusion(0, 0, 10, 0, 0, 5), 0.0, 0.0, 0.0),
    ],
)
def test_known_tables(table: Confusion, balanced: float, f1: float, correlation: float) -> None:
    """Good, bad, constant and silent answers."""
    found = (balanced_accuracy(table), macro_f1(table), matthews(table))

    assert found == pytest.approx((balanced, f1, correlation))


@given(TABLES)
@settings(deadline=None)  # the first call imports numpy
def test_matthews_is_the_correlation_of_two_indicators(table: Confusion) -> None:
    """If all answers have a label it is Pearson's correlation of truth and prediction as 0 and 1."""
    correlation = need_module("numpy").corrcoef
    whole = table._replace(first_as_none=0, second_as_none=0)
    assume(whole.first > 0 and whole.second > 0)
    assume(0 < whole.first_as_first + whole.second_as_first < whole.first + whole.second)
    counts = [int(count) for count in whole]
    truth = [1] * (counts[0] + counts[1]) + [0] * (counts[3] + counts[4])
    said = [1] * counts[0] + [0] * counts[1] + [1] * counts[3] + [0] * counts[4]

    assert correlation(truth, said)[0][1] == pytest.approx(matthews(whole), abs=1e-9)


@given(TABLES)
@settings(deadline=None)
def test_classes_may_change_places(table: Confusion) -> None:
    """No metric prefers one class."""
    swapped = Confusion(table[4], table[3], table[5], table[1], table[0], table[2])
    found = [
        function(each) for each in (table, swapped) for function in (balanced_accuracy, macro_f1, matthews)
    ]

    assert found[:3] == pytest.approx(found[3:])


@given(TABLES, st.integers(2, 9))
@settings(deadline=None)
def test_only_shares_count(table: Confusion, times: int) -> None:
    """Multiplying all counts changes nothing."""
    larger = Confusion(*(count * times for count in table))
    found = [
        function(each) for each in (table, larger) for function in (balanced_accuracy, macro_f1, matthews)
    ]

    assert found[:3] == pytest.approx(found[3:])


@given(TABLES)
@settings(deadline=None)
def test_values_stay_in_their_range(table: Confusion) -> None:
    """From 0 to 1, and the correlation from -1."""
    inside = [
        0 <= balanced_accuracy(table) <= 1,
        0 <= macro_f1(table) <= 1,
        abs(matthews(table)) <= 1 + 1e-12,
    ]

    assert inside == [True] * 3


@given(TABLES.filter(lambda table: table.first_as_first > 0))
@settings(deadline=None)
def test_a_label_is_never_worse_than_none(table: Confusion) -> None:
    """Removing a right answer's label decreases balanced accuracy and F1."""
    silent = table._replace(first_as_first=table.first_as_first - 1, first_as_none=table.first_as_none + 1)
    fell = [balanced_accuracy(silent) < balanced_accuracy(table), macro_f1(silent) < macro_f1(table)]

    assert fell == [True, True]


LABELS = ("success", "failed")
SAID = st.sampled_from([*LABELS, None])
TASKS = st.lists(
    st.builds(LabelPredictions, gold=st.sampled_from(LABELS), said=st.tuples(SAID)), min_size=1, max_size=30
)


def tasks_of(*cells: int) -> list[LabelPredictions]:
    """Return tasks with one answer each: counts as in a confusion table."""
    kinds = [(gold, said) for gold in LABELS for said in (*LABELS, None)]
    return [
        LabelPredictions(gold=gold, said=(said,))
        for (gold, said), count in zip(kinds, cells, strict=True)
        for _ in range(count)
    ]


def test_values_are_those_of_the_table() -> None:
    """An answer without a label counts as wrong."""
    table = Confusion(30, 8, 2, 5, 14, 1)
    found = {name: metric.value for name, metric in class_metrics(tasks_of(*table), labels=LABELS).items()}

    expected = {
        "exact_match": 44 / 60,
        "balanced_accuracy": balanced_accuracy(table),
        "mcc": matthews(table),
        "macro_f1": macro_f1(table),
        "invalid": 3 / 60,
    }
    assert expected == pytest.approx(found)


def test_shares_have_wilson_s_interval() -> None:
    """With enough successes and failures, exact match and the invalid rate have exactly it."""
    found = class_metrics(tasks_of(30, 4, 6, 5, 10, 5), labels=LABELS)
    intervals = [(metric.low, metric.high) for metric in (found["exact_match"], found["invalid"])]

    expected = [(each.low, each.high) for each in (wilson(40, 60), wilson(11, 60))]
    assert expected == [pytest.approx(each) for each in intervals]


def test_balanced_accuracy_has_newcombe_s_interval() -> None:
    """Half the sum of two independent shares: the distances of Wilson's limits, squared and added."""
    found = class_metrics(tasks_of(30, 10, 0, 8, 12, 0), labels=LABELS)["balanced_accuracy"]
    first, second = wilson(30, 40), wilson(12, 20)
    low = 0.675 - ((first.value - first.low) ** 2 + (second.value - second.low) ** 2) ** 0.5 / 2
    high = 0.675 + ((first.high - first.value) ** 2 + (second.high - second.value) ** 2) ** 0.5 / 2

    assert (found.value, found.low, found.high) == pytest.approx((0.675, low, high))


@pytest.mark.parametrize(
    "cells", [(20, 0, 0, 0, 20, 0), (0, 20, 0, 20, 0, 0), (20, 0, 0, 20, 0, 0), (1, 0, 0, 0, 1, 0)]
)
def test_no_interval_is_without_width(cells: tuple[int, ...]) -> None:
    """Even if all answers are right, all wrong, or all the same."""
    metrics = class_metrics(tasks_of(*cells), labels=LABELS)
    widths = {name: metric.high - metric.low > 0.01 for name, metric in metrics.items()}

    assert widths == dict.fromkeys(metrics, True)


@given(TASKS)
@settings(deadline=None)
def test_intervals_hold_their_value_and_stay_in_range(tasks: list[LabelPredictions]) -> None:
    """For any answers; n is the number of tasks."""
    metrics = class_metrics(tasks, labels=LABELS)
    lowest = {"mcc": -1.0}
    inside = {
        name: lowest.get(name, 0.0) <= each.low <= each.value + 1e-12 and each.value - 1e-12 <= each.high <= 1
        for name, each in metrics.items()
    }

    assert inside == dict.fromkeys(metrics, True)
    assert {metric.n for metric in metrics.values()} == {len(tasks)}


@given(TASKS)
@settings(deadline=None)
def test_the_order_of_tasks_does_not_matter(tasks: list[LabelPredictions]) -> None:
    """The values are equal to the last bit."""
    assert class_metrics(tasks, labels=LABELS) == class_metrics(tasks[::-1], labels=LABELS)


@pytest.mark.parametrize("gold", LABELS)
def test_one_class_alone_has_no_comparison_of_two(gold: str) -> None:
    """A metric without a value is left out."""
    tasks = [LabelPredictions(gold=gold, said=(said,)) for said in (*LABELS, None)]

    assert list(class_metrics(tasks, labels=LABELS)) == ["exact_match", "invalid"]


def test_several_answers_to_a_task_are_one_task() -> None:
    """Ten equal answers are hardly more than one: the interval is that of this number of tasks."""
    once = class_metrics(tasks_of(12, 4, 2, 5, 10, 3), labels=LABELS)
    tasks = [LabelPredictions(gold=task.gold, said=task.said * 10) for task in tasks_of(12, 4, 2, 5, 10, 3)]
    many = class_metrics(tasks, labels=LABELS)

    values = {name: (metric.value, metric.low, metric.high, metric.n) for name, metric in once.items()}
    assert values == {
        name: pytest.approx((metric.value, metric.low, metric.high, metric.n))
        for name, metric in many.items()
    }
    assert {metric.samples for metric in many.values()} == {10}


def test_differing_answers_to_a_task_are_averaged() -> None:
    """A task answered right once in two counts half."""
    tasks = [
        LabelPredictions(gold="success", said=("success", None)),
        LabelPredictions(gold="failed", said=("failed",) * 2),
    ]
    found = {name: metric.value for name, metric in class_metrics(tasks, labels=LABELS).items()}

    assert (found["exact_match"], found["balanced_accuracy"], found["invalid"]) == (0.75, 0.75, 0.25)


@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_truth(case: str) -> None:
    """About 95 times in 100, for each kind of model; the design note has a table of more runs."""
    found = coverage(case, tasks=80, runs=300)
    low = {name: share for name, share in found.items() if share < 90}

    assert low == {}


@pytest.mark.parametrize(
    ("tasks", "word"),
    [
        ([], "no tasks"),
        ([LabelPredictions(gold="maybe", said=("success",))], "task 0 has the class 'maybe'"),
        ([LabelPredictions(gold="failed", said=())], "task 0: answers must be"),
        ([LabelPredictions(gold="failed", said=("pass",))], "task 0: answers must be"),
    ],
)
def test_what_is_no_prediction_is_refused(tasks: list[LabelPredictions], word: str) -> None:
    """The error has the place."""
    with pytest.raises(ValueError, match=word):
        class_metrics(tasks, labels=LABELS)


def test_the_table_counts_answers() -> None:
    """The order is that of the labels, with "none" last."""
    assert Confusion(3, 1, 2, 0, 4, 5) == confusion(tasks_of(3, 1, 2, 0, 4, 5), labels=LABELS)


@pytest.mark.parametrize(
    ("cells", "label", "value"),
    [
        ((1, 2, 3, 1, 0, 0), "success", 6 / 7),
        ((1, 0, 0, 3, 0, 0), "failed", 0.75),
        ((2, 0, 0, 2, 0, 0), "failed", 0.5),
    ],
)
def test_the_majority_is_of_the_truth(cells: tuple[int, ...], label: str, value: float) -> None:
    """The answers have no effect on it."""
    found, share = majority(tasks_of(*cells))

    assert (found, share.value, share.n) == (label, value, sum(cells))


def test_groups_may_overlap() -> None:
    """A task counts in each of its groups, and in none if it has none."""
    tasks = tasks_of(1, 0, 0, 1, 1, 0)
    groups = dict(grouped(tasks, [["b", "a", "a"], ["b"], []]))

    assert {"a": [tasks[0]], "b": tasks[:2]} == groups


def test_the_examples_hold() -> None:
    """Executes the examples of the docstrings."""
    result = doctest.testmod(two_classes)

    assert (result.failed, result.attempted) == (0, 5)
