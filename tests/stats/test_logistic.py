"""The baseline classifier: maximum likelihood, folds without leaks, deterministic results."""

from __future__ import annotations

import doctest
import random
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.stats import logistic
from benchwright.stats.logistic import Logistic, assign_folds, cross_validated, fit, solve
from kit.examples import examples
from kit.needs import need_module

SMALL = st.floats(-5, 5, allow_nan=False)


def noisy(rows: int, seed: int = 5) -> tuple[list[list[float]], list[bool]]:
    """Draw rows of three columns; the first is related to the truth, the third is not."""
    rng = random.Random(seed)
    table = [[rng.gauss(0, 2), rng.gauss(1, 3), 7.0] for _ in range(rows)]
    return table, [rng.random() < 1 / (1 + exp(-row[0])) for row in table]


def test_the_fit_is_the_maximum_that_scipy_finds() -> None:
    """Another method maximises the same penalised likelihood."""
    optimize, np = need_module("scipy.optimize"), need_module("numpy")
    rows, truth = noisy(60)
    x, y = np.array(rows)[:, :2], np.array(truth, dtype=float)
    z = (x - x.mean(axis=0)) / x.std(axis=0)

    def depth(weights: list[float]) -> float:
        linear = z @ np.array(weights[:2]) + weights[2]
        likelihood = float((y * linear - np.logaddexp(0, linear)).sum())
        return 0.5 * (weights[0] ** 2 + weights[1] ** 2) - likelihood

    best = optimize.minimize(depth, [0.0, 0.0, 0.0], tol=1e-10).x
    found = fit(rows, truth)

    assert [*found.weights[:2], found.intercept] == pytest.approx(list(best), abs=1e-4)
    assert found.weights[2] == pytest.approx(0)


def test_no_column_leaves_the_share() -> None:
    """With constant columns the probability is the share of True."""
    model = fit([[1.0], [1.0], [1.0], [1.0]], [True, True, True, False])

    assert model.probability([1.0]) == pytest.approx(0.75, abs=1e-6)


def test_separable_classes_have_a_finite_fit() -> None:
    """The penalty bounds the weights; without it they would diverge."""
    model = fit([[float(value)] for value in range(20)], [value >= 10 for value in range(20)])

    assert (0 < model.weights[0] < 20, model.probability([0.0]) < 0.1, model.probability([19.0]) > 0.9) == (
        True,
    ) * 3


@given(st.lists(st.tuples(SMALL, SMALL, st.booleans()), min_size=1, max_size=25))
@settings(max_examples=examples(40), deadline=None)
def test_any_table_has_a_fit(rows: list[tuple[float, float, bool]]) -> None:
    """One class, one row and equal rows give probabilities too."""
    model = fit([[a, b] for a, b, _ in rows], [truth for _, _, truth in rows])
    inside = [0 <= model.probability([a, b]) <= 1 for a, b, _ in rows]

    assert all(inside)


@given(st.lists(st.booleans(), min_size=5, max_size=60), st.integers(2, 5))
@settings(deadline=None)
def test_folds_share_both_classes_evenly(truth: list[bool], folds: int) -> None:
    """The sizes of two folds differ by at most one, in total and in each class."""
    places = assign_folds(truth, folds=folds)
    counts = [
        [
            sum(place == fold and kind in (each, None) for place, each in zip(places, truth, strict=True))
            for fold in range(folds)
        ]
        for kind in (True, False)
    ]

    assert [max(each) - min(each) <= 1 for each in counts] == [True, True]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdefgh")), min_size=20, max_size=60))
@settings(deadline=None)
def test_a_group_is_never_split(rows: list[tuple[bool, str]]) -> None:
    """Otherwise rows of one repository would predict each other."""
    names = [name for _, name in rows]
    if len(set(names)) < 4:
        return
    places = assign_folds([truth for truth, _ in rows], folds=4, groups=names)

    assert len({*zip(names, places, strict=True)}) == len(set(names))


def test_too_few_groups_are_refused() -> None:
    """Two repositories cannot form five folds."""
    with pytest.raises(ValueError, match="2 groups cannot be put into 5 folds"):
        assign_folds([True] * 10, folds=5, groups=["a", "b"] * 5)


def test_a_prediction_does_not_know_its_own_row() -> None:
    """Inverting a row's truth does not change its predicted probability."""
    rows, truth = noisy(40)
    places = assign_folds(truth, folds=5, groups=[str(at) for at in range(40)])
    turned = [each != (at == 3) for at, each in enumerate(truth)]
    names = [str(at) for at in range(40)]
    before = cross_validated(rows, truth, groups=names)
    after = cross_validated(rows, turned, groups=names)
    same = [at for at in range(40) if before[at] == after[at]]

    assert same == [at for at in range(40) if places[at] == places[3]]


def test_it_finds_what_there_is_and_only_that() -> None:
    """Better than chance if the first column is related, about chance if the truth is drawn again."""
    rows, truth = noisy(400)
    blind = [random.Random(at).random() < 0.5 for at in range(400)]
    right = [
        sum(
            (chance >= 0.5) == each
            for chance, each in zip(cross_validated(rows, wanted), wanted, strict=True)
        )
        for wanted in (truth, blind)
    ]

    assert (right[0] > 290, 170 < right[1] < 230) == (True, True)


@given(
    st.lists(st.lists(SMALL, min_size=3, max_size=3), min_size=3, max_size=3),
    st.lists(SMALL, min_size=3, max_size=3),
)
@settings(deadline=None)
def test_linear_equations_are_solved(matrix: list[list[float]], wanted: list[float]) -> None:
    """A matrix with a dominant diagonal, multiplied by the solution."""
    for place in range(3):
        matrix[place][place] += 20
    right = [sum(a * b for a, b in zip(row, wanted, strict=True)) for row in matrix]

    assert solve(matrix, right) == pytest.approx(wanted, abs=1e-9)


def test_a_fit_of_nothing_is_refused() -> None:
    """An empty table, and one without a truth for each row, are errors."""
    for rows, truth in (([], []), ([[1.0]], [True, False])):
        with pytest.raises(ValueError, match="at least one row"):
            fit(rows, truth)


def test_probabilities_follow_the_formula() -> None:
    """Standardise, weigh, add, apply the sigmoid; extreme values neither overflow nor exceed 1."""
    model = Logistic(means=[2.0], deviations=[4.0], weights=[2.0], intercept=log(3))

    assert [model.probability([value]) for value in (2.0, 1e9, -1e9)] == pytest.approx([0.75, 1.0, 0.0])


def test_the_example_holds() -> None:
    """Executes the example of the docstring."""
    assert tuple(doctest.testmod(logistic)) == (0, 1)
