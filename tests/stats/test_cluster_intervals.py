"""Intervals of clustered tasks: width and coverage."""

from __future__ import annotations

import pytest
from clustered_cases import CASES, LABELS, NAMES, coverage
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.intervals import mean_interval, wilson
from benchwright.stats.two_classes import LabelPredictions, class_metrics, clusters_of, majority

BITS = st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=40)


@given(BITS)
def test_clusters_of_one_task_change_nothing(values: list[float]) -> None:
    """Byte for byte: sets without clusters are scored as before."""
    names = [str(place) for place in range(len(values))]
    alone = mean_interval(values, samples_per_task=1)

    assert mean_interval(values, samples_per_task=1, clusters=names) == alone


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=60, max_size=80))
def test_copies_of_a_task_tell_no_more_than_it(values: list[float]) -> None:
    """With each task twice in one cluster, the interval is within a twentieth of that of single tasks."""
    twice = [value for value in values for _ in range(2)]
    names = [str(place // 2) for place in range(len(twice))]
    once, doubled = (
        wilson(int(sum(values)), len(values)),
        mean_interval(twice, samples_per_task=1, clusters=names),
    )

    assert (doubled.value, doubled.n) == (pytest.approx(once.value), len(twice))
    assert doubled.high - doubled.low == pytest.approx(once.high - once.low, rel=0.05, abs=0.012)


@given(BITS, st.integers(1, 5))
def test_an_interval_lies_between_no_clusters_and_the_fewest(values: list[float], size: int) -> None:
    """It is never narrower than without clusters, and never wider than with each cluster as one task."""
    names = [str(place // size) for place in range(len(values))]
    found = mean_interval(values, samples_per_task=1, clusters=names)
    alone = mean_interval(values, samples_per_task=1)

    assert found.low <= alone.low + 1e-12
    assert found.high >= alone.high - 1e-12
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_one_cluster_is_one_task() -> None:
    """All versions of a test are one draw."""
    found = mean_interval([1.0] * 9, samples_per_task=1, clusters=["a"] * 9)
    alone = mean_interval([1.0], samples_per_task=1)

    assert (found.low, found.high, found.n) == (alone.low, alone.high, 9)


def test_tasks_without_a_name_are_alone() -> None:
    """Only names that two tasks share form clusters."""
    alone = [
        LabelPredictions(gold="success", said=("success",)),
        LabelPredictions(gold="failed", said=(None,), cluster="a"),
    ]

    assert clusters_of(alone) is None
    assert clusters_of([*alone, alone[1]]) == ["\0000", "a", "a"]


def test_all_figures_of_labels_widen_with_clusters() -> None:
    """Versions are right or wrong together: every interval is wider, except that of nothing."""
    tasks = [
        LabelPredictions(
            gold=LABELS[at % 2], said=(LABELS[(at + (at // 4 % 3 == 0)) % 2],), cluster=f"c{at // 4}"
        )
        for at in range(120)
    ]
    alone = [LabelPredictions(gold=task.gold, said=task.said) for task in tasks]
    wide, narrow = (class_metrics(each, labels=LABELS) for each in (tasks, alone))

    assert {name: metric.value for name, metric in wide.items()} == pytest.approx(
        {name: metric.value for name, metric in narrow.items()}
    )
    for name in ("exact_match", "balanced_accuracy", "mcc", "macro_f1"):
        assert wide[name].high - wide[name].low > 1.4 * (narrow[name].high - narrow[name].low), name
    assert wide["invalid"].high > narrow["invalid"].high
    assert majority(tasks)[1].value == 0.5


@pytest.mark.parametrize("case", CASES)
def test_intervals_over_clusters_hold_the_truth(case: str) -> None:
    """At least 90 % of 150 seeded runs of 100 tasks; the design note has a table of more runs."""
    found = coverage(case, tasks=100, runs=150)

    assert min(found[name] for name in NAMES) >= 90
