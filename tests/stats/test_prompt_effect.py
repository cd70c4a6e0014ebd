"""The effect of prompts: exact for pure shifts, zero without an effect, unbiased in between."""

from __future__ import annotations

import doctest
import random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats import prompt_effect as module
from benchwright.stats.prompt_effect import PromptEffect, prompt_effect, range_quantile

RATE = st.integers(0, 8).map(lambda eighths: eighths / 8)  # sums of these are exact
TABLES = st.integers(2, 5).flatmap(
    lambda prompts: st.lists(st.lists(RATE, min_size=prompts, max_size=prompts), min_size=2, max_size=8)
)
SHIFTS = st.lists(st.integers(-4, 4).map(lambda eighths: eighths / 8), min_size=2, max_size=6)


def of(rows: list[list[float]]) -> PromptEffect:
    """Return the effect in a table with a row per task and a column per prompt."""
    return prompt_effect({f"p{at}": list(column) for at, column in enumerate(zip(*rows, strict=True))})


def near(first: PromptEffect, second: PromptEffect) -> bool:
    """Return whether two effects are equal except for rounding, which a root would magnify near zero."""
    figures = [(each.span, each.chance**2, each.sd**2) for each in (first, second)]
    return figures[0] == pytest.approx(figures[1], abs=1e-12)


@given(SHIFTS, st.lists(RATE, min_size=2, max_size=6))
def test_a_plain_shift_is_found_exactly(shifts: list[float], tasks: list[float]) -> None:
    """If each prompt shifts all tasks equally there is no noise: sd is that of the shifts, and chance
    explains none."""
    effect = of([[task + shift for shift in shifts] for task in tasks])

    assert (effect.sd, effect.span, effect.chance) == pytest.approx(
        (stdev(shifts), max(shifts) - min(shifts), 0.0)
    )


@given(TABLES, st.randoms(use_true_random=False))
def test_the_tasks_own_difficulty_and_order_play_no_part(
    rows: list[list[float]], dice: random.Random
) -> None:
    """A constant added to all rates of a task, and another order of tasks, change nothing."""
    moved = [[rate + shift / 8 for rate in row] for shift, row in enumerate(rows)]
    dice.shuffle(moved)

    assert near(of(rows), of(moved))


@given(TABLES)
def test_the_range_is_that_of_the_means(rows: list[list[float]]) -> None:
    """Lowest and highest are the prompts with these means; no figure is negative."""
    effect = of(rows)
    means = {f"p{at}": fmean(column) for at, column in enumerate(zip(*rows, strict=True))}

    assert (effect.low, effect.high) == pytest.approx((min(means.values()), max(means.values())))
    assert (means[effect.lowest], means[effect.highest]) == pytest.approx((effect.low, effect.high))
    assert min(effect.span, effect.chance, effect.sd) >= 0


@given(TABLES)
def test_the_deviation_is_never_more_than_the_means_show(rows: list[list[float]]) -> None:
    """The sampling error is subtracted from the spread of the means."""
    means = [fmean(column) for column in zip(*rows, strict=True)]

    assert of(rows).sd <= stdev(means) + 1e-9


def simulated(sd: float, *, runs: int, seed: int) -> list[PromptEffect]:
    """Simulate effects of 10 prompts with this deviation on 40 tasks, 4 answers to each."""
    dice, effects = random.Random(seed), []
    for _ in range(runs):
        shifts = [dice.gauss(0, sd) for _ in range(10)]
        rows = [
            [sum(dice.random() < base + shift for _ in range(4)) / 4 for shift in shifts]
            for base in (dice.uniform(0.3, 0.7) for _ in range(40))
        ]
        effects.append(of(rows))
    return effects


def test_the_variance_is_unbiased() -> None:
    """The mean estimate over many runs is the true variance; at 0.1 the truncation at 0 has no effect."""
    estimates = [effect.sd**2 for effect in simulated(0.1, runs=150, seed=7)]
    error = stdev(estimates) / len(estimates) ** 0.5

    assert abs(fmean(estimates) - 0.1**2) < 3 * error < 0.0015


def test_prompts_of_no_effect_stay_below_the_bound_19_times_in_20() -> None:
    """Without an effect, the range exceeds `chance` in about one run of twenty."""
    passed = [effect.span > effect.chance for effect in simulated(0.0, runs=300, seed=11)]

    assert 0.02 <= fmean(passed) <= 0.09


def test_a_real_effect_passes_the_bound() -> None:
    """Prompts ten points apart are detected with 40 tasks."""
    passed = [effect.span > effect.chance for effect in simulated(0.1, runs=20, seed=3)]

    assert passed == [True] * 20


@pytest.mark.parametrize(
    ("draws", "expected"), [(2, 2.772), (3, 3.314), (5, 3.858), (10, 4.474), (20, 5.012)]
)
def test_range_quantiles_are_those_of_the_tables(draws: int, expected: float) -> None:
    """The last row, infinite degrees of freedom, of any table of the studentized range at 5 %."""
    assert range_quantile(0.95, draws) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(
    "rates", [{}, {"a": [0.1, 0.2]}, {"a": [0.1], "b": [0.2]}, {"a": [0.1, 0.2], "b": [0.3]}]
)
def test_what_is_not_a_crossed_design_is_refused(rates: dict[str, list[float]]) -> None:
    """At least two prompts and two tasks are needed, without gaps."""
    with pytest.raises(ValueError, match=r"prompts|crossed") as caught:
        prompt_effect(rates)

    assert str(caught.value)


def test_the_example_holds() -> None:
    """Executes the example of the documentation."""
    result = doctest.testmod(module)

    assert (result.failed, result.attempted > 0) == (0, True)
