"""Metrics of several classes: compared with two classes and with counting by hand, and their coverage."""

from __future__ import annotations

import doctest

import pytest
from clustered_cases import CLASSES, NAMES, coverage
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats import several_classes
from benchwright.stats.several_classes import class_f1, confusion_counts, multiclass_metrics
from benchwright.stats.two_classes import LabelPredictions, class_metrics

TASKS = st.lists(
    st.builds(
        lambda gold, said, cluster: LabelPredictions(gold=gold, said=(said,), cluster=cluster),
        st.sampled_from(CLASSES),
        st.sampled_from([*CLASSES, None]),
        st.sampled_from(["", "a", "b"]),
    ),
    min_size=1,
    max_size=40,
)


def test_the_example_holds() -> None:
    """Executes the example of the documentation."""
    result = doctest.testmod(several_classes)

    assert (result.failed, result.attempted > 0) == (0, True)


@given(TASKS)
def test_figures_are_those_of_counting(tasks: list[LabelPredictions]) -> None:
    """Macro-F1 and balanced accuracy from the counts, over existing classes; intervals include them."""
    found = multiclass_metrics(tasks, classes=CLASSES)
    table = confusion_counts(tasks, classes=CLASSES)
    present = [name for name in CLASSES if sum(table[name].values())]
    recalls = [table[name][name] / sum(table[name].values()) for name in present]
    said = {name: sum(row[name] for row in table.values()) for name in CLASSES}
    scores = [2 * table[name][name] / (said[name] + sum(table[name].values())) for name in present]

    assert found["exact_match"].value == pytest.approx(
        sum(table[name][name] for name in CLASSES) / len(tasks)
    )
    assert found["invalid"].value == pytest.approx(sum(row[None] for row in table.values()) / len(tasks))
    assert ("macro_f1" in found) == (len(present) > 1)
    if len(present) > 1:
        assert found["macro_f1"].value == pytest.approx(sum(scores) / len(scores))
        assert found["balanced_accuracy"].value == pytest.approx(sum(recalls) / len(recalls))
    assert all(0 <= each.low <= each.value <= each.high <= 1 for each in found.values())


@given(st.lists(st.tuples(st.sampled_from(CLASSES[:2]), st.sampled_from([*CLASSES[:2], None])), min_size=1))
def test_two_classes_have_the_figures_of_two_classes(pairs: list[tuple[str, str | None]]) -> None:
    """The values of both modules agree to the last digit."""
    tasks = [LabelPredictions(gold=gold, said=(said,)) for gold, said in pairs]
    several = multiclass_metrics(tasks, classes=CLASSES[:2])
    two = class_metrics(tasks, labels=CLASSES[:2])

    assert {name: two[name].value for name in several} == pytest.approx(
        {name: metric.value for name, metric in several.items()}
    )


def test_a_class_has_an_interval_even_where_all_is_right() -> None:
    """Three tasks of three: F1 is 1, and the interval is wide; that of an unseen class is the whole range."""
    tasks = [LabelPredictions(gold="build", said=("build",))] * 3
    found = class_f1(tasks, "build")

    assert (found.value, found.high, found.n) == (1.0, 1.0, 3)
    assert found.low < 0.65
    assert (class_f1(tasks, "success").low, class_f1(tasks, "success").high) == (0.0, 1.0)


def test_further_answers_count_as_shares() -> None:
    """Two answers, one right: recall 1/2, and F1 = 2 * 1/2 / (2 * 1/2 + 1/2)."""
    tasks = [
        LabelPredictions(gold="build", said=("build", "success")),
        LabelPredictions(gold="success", said=("success",)),
    ]

    assert class_f1(tasks, "build").value == pytest.approx(2 * 0.5 / (1 + 0.5))
    assert class_f1(tasks, "success").value == pytest.approx(2 * 1 / (2 + 0.5))


@pytest.mark.parametrize(
    "task",
    [
        LabelPredictions(gold="x", said=("build",)),
        LabelPredictions(gold="build", said=("x",)),
        LabelPredictions(gold="build", said=()),
    ],
)
def test_strangers_are_refused(task: LabelPredictions) -> None:
    """An unknown class, and a task without an answer."""
    with pytest.raises(ValueError, match="task 0"):
        multiclass_metrics([task], classes=CLASSES)
    with pytest.raises(ValueError, match="no tasks"):
        multiclass_metrics([], classes=CLASSES)


@pytest.mark.parametrize("skill", ["skill 0.3", "skill 0.6", "skill 0.9"])
def test_their_intervals_hold_the_truth(skill: str) -> None:
    """At least 90 % of 120 seeded runs of 100 tasks in four classes, one of them with five tasks in a
    hundred."""
    found = coverage(skill, tasks=100, runs=120)

    assert min(found[name] for name in NAMES) >= 90
