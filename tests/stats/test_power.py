"""What a comparison could find, against simulation and the formula's own limits."""

from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtr

from benchwright.stats.paired import paired_difference
from benchwright.stats.power import detectable, minimum_detectable_difference


def test_figures_at_the_sizes_of_known_benchmarks():
    """With ten answers: 8.5 points at 164 tasks, 2.9 at 1,361."""
    actual = [round(minimum_detectable_difference(tasks, 10), 3) for tasks in (24, 164, 1361)]

    assert actual == [0.231, 0.085, 0.029]


def test_formula_with_normal_quantiles():
    """With many tasks it is (1.96 + 0.84) times the standard error of a paired difference."""
    tasks, samples, rate, correlation, likeness = 10**6, 4, 0.3, 0.6, 0.4
    v = rate * (1 - rate)
    variance = 2 * likeness * v * (1 - correlation) + 2 * (1 - likeness) * v / samples
    expected = (1.959964 + 0.841621) * sqrt(variance / tasks)

    actual = minimum_detectable_difference(
        tasks, samples, rate=rate, correlation=correlation, likeness=likeness
    )

    assert expected == pytest.approx(actual, rel=1e-4)


def test_what_it_says_is_found_four_times_in_five():
    """Two models that differ by it, under its own assumption, are separated in 80 % of seeded runs."""
    rng, tasks, n, runs = np.random.default_rng(7), 164, 10, 600
    wanted = minimum_detectable_difference(tasks, n)
    found, lead = 0, []
    for _ in range(runs):
        base, own = rng.beta(0.5, 0.5, (1, tasks)), rng.beta(0.5, 0.5, (2, tasks))
        chances = np.where(rng.random((1, tasks)) < 0.5, base, own)  # a correlation of one half
        # A lead without a change of shape: the second model solves a share of its unsolved draws.
        chances[1] += (1 - chances[1]) * 2 * wanted
        right = rng.binomial(n, chances) / n
        found += paired_difference(right[1], right[0]).low > 0
        lead.append(float((chances[1] - chances[0]).mean()))

    assert (abs(np.mean(lead) - wanted) < 0.005, 74 <= 100 * found / runs <= 90) == (True, True)


def test_more_of_anything_finds_less():
    """More tasks, more answers and more agreement of the models all make smaller differences visible."""
    base = minimum_detectable_difference(164, 1)
    better = [
        minimum_detectable_difference(656, 1),
        minimum_detectable_difference(164, 10),
        minimum_detectable_difference(164, 1, correlation=0.9),
        minimum_detectable_difference(164, 1, rate=0.95),
        minimum_detectable_difference(164, 1, power=0.6),
        minimum_detectable_difference(164, 1, confidence=0.8),
    ]

    assert all(value < base for value in better)


def test_four_times_the_tasks_halve_it():
    """It falls with the root of the number of tasks."""
    ratio = minimum_detectable_difference(4000, 5) / minimum_detectable_difference(1000, 5)

    assert ratio == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("tasks", [1, 2, 3])
def test_with_next_to_no_tasks_it_is_everything(tasks):
    """It never promises to miss more than the whole scale."""
    assert minimum_detectable_difference(tasks, 1) == 1.0


def test_alike_models_on_alike_answers_leave_nothing_to_miss():
    """Perfect correlation and answers that never vary within a task give zero."""
    assert minimum_detectable_difference(100, 1, correlation=1.0, likeness=1.0) == 0.0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tasks": 0}, "at least one task"),
        ({"samples": 0}, "one answer"),
        ({"rate": 1.0}, "rate must lie between"),
        ({"rate": float("nan")}, "rate must lie between"),
        ({"correlation": 1.5}, "correlation must lie"),
        ({"likeness": -0.1}, "likeness must lie"),
        ({"power": 0.2}, "power must be"),
        ({"confidence": 95}, "confidence in"),
    ],
)
def test_impossible_inputs_are_refused(changed, words):
    """A figure that has no meaning gives an error instead of a number."""
    with pytest.raises(ValueError, match=words):
        minimum_detectable_difference(**{"tasks": 100, "samples": 5, **changed})


def test_detectable_is_the_sum_of_two_quantiles():
    """At 80 % power and 95 % confidence: 2.80 standard errors, more with few degrees of freedom."""
    actual = [round(detectable(1.0, df), 2) for df in (10**6, 23, 4)]

    assert actual == [2.80, 2.93, 3.72]


def test_detectable_rounds_degrees_down():
    """Fractional degrees of freedom, as clusters have them, are taken on the safe side."""
    assert detectable(0.1, 5.9) == detectable(0.1, 5)


@pytest.mark.parametrize(("se", "df"), [(-0.1, 5), (0.1, 0.5)])
def test_detectable_refuses_what_is_no_error(se, df):
    """A negative error, or less than one degree of freedom, is a slip."""
    with pytest.raises(ValueError, match="standard error is at least 0"):
        detectable(se, df)


def test_simulation_uses_the_correlation_it_claims():
    """Half of the tasks alike gives a correlation of chances of one half: the assumption as it is meant."""
    rng = np.random.default_rng(11)
    base, own = rng.beta(0.5, 0.5, (1, 200_000)), rng.beta(0.5, 0.5, (2, 200_000))
    chances = np.where(rng.random((1, 200_000)) < 0.5, base, own)
    share = chances[0].var() / 0.25

    assert (np.corrcoef(chances)[0, 1], share) == (pytest.approx(0.5, abs=0.01), pytest.approx(0.5, abs=0.01))


def test_power_of_the_normal_approximation():
    """At exactly the detectable difference a z test rejects with 80 %: the definition turned round."""
    z = detectable(1.0, 10**9)

    assert ndtr(z - 1.959964) == pytest.approx(0.8, abs=1e-4)
