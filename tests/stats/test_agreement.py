"""Coefficients of agreement: by hand, against two libraries, bounds, symmetries and coverage of intervals."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from benchmarks.calibration import COEFFICIENTS, agreement_held
from benchwright.stats.agreement import (
    Agreement,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)

GRADES = (1, 2, 3, 4, 5)
CLOSE = 1e-9
Coefficient = Callable[..., Agreement]
ALL: dict[str, Coefficient] = {
    "percent": percent_agreement,
    "nominal": krippendorff_alpha,
    "ordinal": lambda table, **how: krippendorff_alpha(table, "ordinal", **how),
    "interval": lambda table, **how: krippendorff_alpha(table, "interval", **how),
    "fleiss": fleiss_kappa,
    "ac1": gwet_ac1,
    "cohen": cohen_kappa,
    "linear": lambda table, **how: cohen_kappa(table, "linear", **how),
    "quadratic": lambda table, **how: cohen_kappa(table, "quadratic", **how),
}
TABLES = st.lists(st.tuples(st.sampled_from(GRADES), st.sampled_from(GRADES)), min_size=2, max_size=30)


def drawn(seed: int, *, items: int = 40, judges: int = 4, gaps: float = 0.3) -> list[list[int | None]]:
    """Draw grades of judges who mostly agree, with gaps."""
    rng = Random(seed)
    rows: list[list[int | None]] = []
    for _ in range(items):
        true = rng.choice(GRADES)
        row = [true if rng.random() < 0.6 else rng.choice(GRADES) for _ in range(judges)]
        rows.append([None if rng.random() < gaps else value for value in row])
    return rows


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(10))
def test_alpha_is_that_of_krippendorff(seed: int, level: Any) -> None:
    """Data have gaps and are on all levels."""
    table = drawn(seed)
    matrix = np.array([[np.nan if value is None else value for value in row] for row in table])

    expected = krippendorff.alpha(reliability_data=matrix.T, level_of_measurement=level)
    assert krippendorff_alpha(table, level, draws=0).value == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_statsmodels(seed: int, weights: Any) -> None:
    """Cohen's kappa, plain and weighted."""
    table = drawn(seed, judges=2, gaps=0)
    cells = np.zeros((5, 5))
    for one, other in table:
        assert one is not None and other is not None
        cells[one - 1, other - 1] += 1

    expected = cohens_kappa(cells, wt=None if weights == "none" else weights, return_results=False)
    assert cohen_kappa(table, weights, scale=GRADES, draws=0).value == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_kappa_is_that_of_statsmodels(seed: int) -> None:
    """Four judges."""
    table = drawn(seed, gaps=0)

    expected = fleiss_of_statsmodels(aggregate_raters(np.array(table))[0])
    assert fleiss_kappa(table, draws=0).value == pytest.approx(expected, abs=CLOSE)


def test_by_hand() -> None:
    """Ten items, eight alike; one judge says yes nine times, the other seven."""
    table = [("y", "y")] * 7 + [("n", "n")] + [("y", "n")] * 2

    assert percent_agreement(table, draws=0).value == pytest.approx(0.8)
    # chance: 0.9 × 0.7 + 0.1 × 0.3 = 0.66
    assert cohen_kappa(table, draws=0).value == pytest.approx((0.8 - 0.66) / 0.34)
    # yes in 16 of 20, so chance is 0.8² + 0.2² = 0.68
    assert fleiss_kappa(table, draws=0).value == pytest.approx((0.8 - 0.68) / 0.32)
    # of 20 × 19 pairs of judgements 2 × 16 × 4 differ; of those within an item 4 of 20
    assert krippendorff_alpha(table, draws=0).value == pytest.approx(1 - 0.2 / (128 / 380))
    # chance: 2 × 0.8 × 0.2 = 0.32
    assert gwet_ac1(table, draws=0).value == pytest.approx((0.8 - 0.32) / 0.68)


def test_ac1_with_gaps_by_hand() -> None:
    """An item with one judgement counts for the frequency of labels, not for agreement."""
    table = [("a", "a", None), ("a", "b", "b"), ("b", None, None)]
    agree = (1 + 1 / 3) / 2
    share = (1 + 1 / 3 + 0) / 3
    chance = 2 * share * (1 - share)

    assert gwet_ac1(table, draws=0).value == pytest.approx((agree - chance) / (1 - chance))


def test_rare_labels_do_not_spoil_ac1() -> None:
    """The known paradox: 95 of 100 alike, and kappa near 0; AC1 stays near the share of agreement."""
    table = [("y", "y")] * 95 + [("y", "n")] * 3 + [("n", "y")] * 2
    kappa, ac1 = cohen_kappa(table, draws=0).value, gwet_ac1(table, draws=0).value

    assert kappa is not None and kappa < 0
    assert ac1 is not None and ac1 > 0.94


@given(TABLES, st.permutations(GRADES))
def test_names_of_labels_do_not_matter(table: list[tuple[int, int]], order: list[int]) -> None:
    """Nominal coefficients are invariant under renaming."""
    renamed = [tuple(order[value - 1] for value in row) for row in table]

    for name in ("percent", "nominal", "fleiss", "ac1", "cohen"):
        ours, theirs = (ALL[name](each, draws=0).value for each in (table, renamed))
        assert ours == pytest.approx(theirs, abs=CLOSE)


@given(TABLES)
def test_judges_and_direction_do_not_matter(table: list[tuple[int, int]]) -> None:
    """Neither the order of judges nor the direction of the scale has an effect."""
    for name, coefficient in ALL.items():
        value = coefficient(table, scale=GRADES, draws=0).value
        swapped = coefficient([row[::-1] for row in table], scale=GRADES, draws=0).value
        turned = coefficient([tuple(6 - v for v in row) for row in table], scale=GRADES, draws=0).value
        assert (value is None, name) == (swapped is None, name) == (turned is None, name)
        if value is not None:
            assert value == pytest.approx(swapped, abs=CLOSE)
            assert value == pytest.approx(turned, abs=CLOSE)


@given(TABLES)
def test_bounds(table: list[tuple[int, int]]) -> None:
    """The maximum is 1, for perfect agreement only; each interval includes its figure at 1."""
    alike = all(one == other for one, other in table)
    for name, coefficient in ALL.items():
        found = coefficient(table, scale=GRADES, draws=50)
        if found.value is not None:
            assert (found.value > 1 - CLOSE) == alike, name
            assert found.value <= 1
        if found.low is not None and found.high is not None:
            assert found.low <= found.high <= 1 + CLOSE


@given(TABLES, st.integers(2, 4))
def test_items_doubled_change_no_figure_but_alpha(table: list[tuple[int, int]], times: int) -> None:
    """Kappas are functions of shares; alpha corrects for few judgements, and comes nearer to Fleiss' kappa."""
    for name in ("percent", "fleiss", "ac1", "cohen", "linear", "quadratic"):
        once, often = ALL[name](table, draws=0).value, ALL[name](table * times, draws=0).value
        assert once == pytest.approx(often, abs=CLOSE)
    alpha, many, limit = (
        each.value
        for each in (
            krippendorff_alpha(table, draws=0),
            krippendorff_alpha(table * times, draws=0),
            fleiss_kappa(table, draws=0),
        )
    )
    if alpha is not None and many is not None and limit is not None:
        assert limit - CLOSE <= many <= alpha + CLOSE


@pytest.mark.parametrize(
    ("coefficient", "table", "why"),
    [
        ("nominal", [], "no judgements"),
        ("nominal", [(None, None)], "no judgements"),
        ("nominal", [(1,), (2,)], "only one judge"),
        ("nominal", [(1, None), (None, 2)], "no item has two judges"),
        ("cohen", [(1, None), (None, 2)], "no item has two judges"),
        ("nominal", [(1, 1), (1, 1)], "all judgements are 1: chance agreement is undefined"),
        ("cohen", [(1, 1), (1, 1)], "all judgements are 1: chance agreement is undefined"),
        ("fleiss", [(1, 1), (1, 1)], "all judgements are 1: chance agreement is undefined"),
        ("ac1", [("a", "a")], "the only label is 'a': give the whole scale"),
        (
            "fleiss",
            [(1, 1, 2), (1, 2, None)],
            "Fleiss' kappa needs equal numbers of judgements per item, not 2 to 3: use alpha",
        ),
    ],
)
def test_no_figure_says_why(coefficient: str, table: list[Any], why: str) -> None:
    """The figure is None, never NaN."""
    found = ALL[coefficient](table)

    assert (found.value, found.low, found.high, found.why) == (None, None, None, why)


def test_one_label_of_a_scale_is_agreement_for_ac1() -> None:
    """Others were possible, so using the same label is agreement."""
    assert gwet_ac1([("a", "a")] * 5, scale=("a", "b"), draws=0).value == 1


@pytest.mark.parametrize(
    ("coefficient", "table", "how", "message"),
    [
        ("nominal", [(1, 2), (1,)], {}, "rows have 1 to 2 judges"),
        ("nominal", [(1, 7)], {"scale": GRADES}, "7 is not on the scale"),
        ("nominal", [(1, "a")], {}, "numbers and texts"),
        ("interval", [("a", "b")], {}, "needs numeric labels"),
        ("cohen", [(1, 2, 3)], {}, "needs two judges"),
        ("nominal", [(each, each) for each in range(101)], {}, "too many labels: 101"),
    ],
)
def test_what_is_no_table_is_refused(coefficient: str, table: Any, how: Any, message: str) -> None:
    """The error states the fault."""
    with pytest.raises(ValueError, match=message):
        ALL[coefficient](table, **how)


@pytest.mark.parametrize(
    "call", [lambda: krippendorff_alpha([(1, 1)], "ratio"), lambda: cohen_kappa([(1, 1)], "cubic")]
)
def test_unknown_ways_are_refused(call: Callable[[], Agreement]) -> None:
    """A typing error does not select another coefficient."""
    with pytest.raises(ValueError, match=r"'(ratio|cubic)': expected"):
        call()


def test_the_same_seed_gives_the_same_interval() -> None:
    """Another seed gives another one."""
    table = drawn(1)

    assert krippendorff_alpha(table) == krippendorff_alpha(table)
    assert krippendorff_alpha(table) != krippendorff_alpha(table, seed=2)


def test_perfect_agreement_is_not_certain() -> None:
    """Of 20 equal items each resample gives 1, but Wilson's limit is lower."""
    found = percent_agreement([(1, 1)] * 10 + [(2, 2)] * 10)

    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(0.8389, abs=1e-4)


def test_a_single_item_has_no_interval() -> None:
    """The result states the reason."""
    found = percent_agreement([(1, 2)])

    assert (found.value, found.low, found.why) == (0, None, "an interval needs at least two items")


def test_a_label_given_once_leaves_too_many_resamples_without_a_figure() -> None:
    """Kappa needs two labels, and most resamples of three items lack one."""
    found = cohen_kappa([("a", "a"), ("a", "a"), ("b", "b")])

    assert (found.value, found.low) == (1, None)
    assert "judge more items" in found.why


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_intervals_hold_the_true_agreement(name: str) -> None:
    """Of 200 tables of 60 items 91 to 99 %: 95 with room for chance."""
    assert 0.91 <= agreement_held(name, runs=200, seed=1) <= 0.99
