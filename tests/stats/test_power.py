"""Detectable differences, compared with simulations."""

from __future__ import annotations

import numpy as np
import power_cases
import pytest
from power_cases import claimed_after, power

from benchwright.stats.paired import paired_difference
from benchwright.stats.power import (
    FEWEST,
    Differences,
    detectable,
    detectable_after,
    detectable_before,
    is_significant,
)
from kit.examples import examples


def test_figures_at_the_sizes_of_known_benchmarks() -> None:
    """With ten answers, in points: about 23 at 24 tasks, 8 at 164, 3 at 1,361."""
    actual = [round(100 * (detectable_before(tasks, 10) or 1)) for tasks in (24, 164, 1361)]

    assert actual == [23, 8, 3]


@pytest.mark.parametrize("tasks", [5, 6, 8, 12, 24, 25, 50, 100, 164])
@pytest.mark.parametrize("samples", [1, 2, 10])
def test_what_is_claimed_is_found_four_times_in_five(tasks: int, samples: int) -> None:
    """With the test itself, on tasks as assumed: 80 % within four points; otherwise no claim is made."""
    claimed = detectable_before(tasks, samples)
    if claimed is None:
        assert (tasks, samples) in {(5, 1), (5, 2)}
        return
    actual = power(tasks, samples, claimed, runs=examples(700))

    assert 76 <= actual <= 84


@pytest.mark.parametrize("tasks", range(1, FEWEST))
def test_below_five_tasks_nothing_is_found(tasks: int) -> None:
    """This holds for any number of answers and any difference, even all against none."""
    assert detectable_before(tasks, 10**6) is None
    assert tasks < 2 or not is_significant(tasks, tasks, tasks, tasks)
    assert tasks < 2 or paired_difference([1.0] * tasks, [0.0] * tasks).detectable is None


def test_five_tasks_of_one_answer_show_nothing() -> None:
    """Even if one model solves all of them and the other none, the interval includes zero."""
    assert (detectable_before(5, 1), paired_difference([1.0] * 5, [0.0] * 5).low < 0) == (None, True)


def test_more_of_anything_finds_less() -> None:
    """More tasks and more answers make smaller differences detectable."""
    shown = [detectable_before(tasks, samples) for tasks, samples in [(8, 1), (8, 10), (24, 10), (25, 10)]]
    shown += [detectable_before(tasks, 10) for tasks in (50, 164, 656)]

    assert all(each is not None for each in shown)
    assert shown == sorted(shown, key=lambda each: -(each or 0))


def test_four_times_the_tasks_find_half() -> None:
    """With many tasks, as in every mean."""
    few, many = detectable_before(1000, 5), detectable_before(4000, 5)

    assert few is not None and many is not None
    assert 1.97 < few / many < 2.03


@pytest.mark.parametrize(("tasks", "samples"), [(0, 1), (1, 0), (-1, 5)])
def test_what_is_no_design(tasks: int, samples: int) -> None:
    """No figure is returned."""
    with pytest.raises(ValueError, match="at least one task and one answer"):
        detectable_before(tasks, samples)


@pytest.mark.parametrize("seed", range(20))
def test_the_test_written_out_is_the_test(seed: int) -> None:
    """Three sums give the same verdict as all estimates."""
    rng = np.random.default_rng(seed)
    tasks, n = int(rng.integers(2, 30)), int(rng.integers(1, 11))
    a, b = rng.binomial(n, 0.8, tasks) / n, rng.binomial(n, rng.random(), tasks) / n
    d = a - b
    found = is_significant(float(d.sum()), float(abs(d).sum()), float((d**2).sum()), tasks)

    assert bool(found) == (paired_difference(a.tolist(), b.tolist()).low > 0)


@pytest.mark.parametrize("deviation", [3.0, 1.0])
@pytest.mark.parametrize("samples", [1, 10])
@pytest.mark.parametrize("tasks", [24, 50])
def test_what_a_comparison_says_it_could_have_found(tasks: int, samples: int, deviation: float) -> None:
    """For any tasks, from their observed differences: 80 % within four points."""
    claimed = claimed_after(tasks, samples, runs=30, deviation=deviation)

    assert claimed is not None
    assert 76 <= power(tasks, samples, claimed, runs=examples(700), deviation=deviation) <= 84


@pytest.mark.parametrize("likeness", [0.5, 0.9, 0.97])
def test_models_that_are_alike_show_smaller_differences(
    likeness: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The more alike two models are, the less they differ by chance: 80 % within five points."""
    monkeypatch.setattr(power_cases, "CORRELATION", likeness)
    claimed = claimed_after(24, 10, runs=16, deviation=2.2)

    assert claimed is not None
    assert 75 <= power(24, 10, claimed, runs=examples(500), deviation=2.2) <= 85


def test_a_comparison_of_close_models_claims_no_more_than_its_interval() -> None:
    """Nine of 24 tasks differ, by a fifth at most: a lead of 24 points, which is always detected, is not
    reported as the limit."""
    d = [-0.2, -0.1, -0.1, *[0.0] * 15, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2]
    found = paired_difference([0.5 + each for each in d], [0.5] * 24)

    assert found.detectable is not None and 0.09 < found.detectable < 0.14


def test_a_comparison_does_not_say_its_p_value_again() -> None:
    """It depends on how tasks differ; the leading model has no effect."""
    d = np.array([0.1, -0.2, 0.0, 0.4, 0.0, -0.1, 0.3, 0.0] * 3)

    assert detectable_after(np, d, piece=0.5) == detectable_after(np, -d, piece=0.5)


def test_where_no_task_differs_something_could_have_been_found() -> None:
    """Two models are alike on 40 tasks: a lead of some points would have been detected."""
    found = paired_difference([1.0] * 40, [1.0] * 40)

    assert found.detectable is not None and 0.05 < found.detectable < 0.3


def test_clusters_use_the_measured_error() -> None:
    """They are not independent tasks: Student's quantiles times the error, as for a normal mean."""
    a = [0.1 * (place % 7) for place in range(40)]
    b = [0.1 * (place % 5) for place in range(40)]
    found = paired_difference(a, b, clusters=[str(place // 4) for place in range(40)])

    assert found.detectable == detectable(found.se, found.df)


def test_detectable_with_normal_quantiles() -> None:
    """With many degrees of freedom it is (1.96 + 0.84) times the standard error."""
    assert detectable(0.01, 10**6) == pytest.approx(0.01 * (1.959964 + 0.841621), rel=1e-4)


@pytest.mark.parametrize(
    "changed", [{"se": -1.0}, {"df": 0.5}, {"power": 0.4}, {"power": 1.0}, {"confidence": 1.0}]
)
def test_detectable_refuses_what_means_nothing(changed: dict[str, float]) -> None:
    """No number is returned."""
    with pytest.raises(ValueError, match=r"must be|is at least"):
        detectable(**{"se": 0.1, "df": 5.0, **changed})


def test_the_mean_of_differences() -> None:
    """They are weighted by their shares."""
    assert Differences([-1.0, 0.0, 1.0], [0.25, 0.25, 0.5]).mean == 0.25
