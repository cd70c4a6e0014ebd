"""Holm's correction by its definition; ranges of ranks by tests, by resampling, with ties, reproducible."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchwright.stats.ranks import (
    PairedTest,
    RankRange,
    bootstrap_ranks,
    holm,
    ranks_by_tests,
    resampled_means,
)

PS = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def step_down(ps: list[float], alpha: float) -> set[int]:
    """Holm's own procedure: the smallest p against alpha / m, the next against alpha / (m - 1), …"""
    rejected: set[int] = set()
    for step, index in enumerate(sorted(range(len(ps)), key=lambda position: ps[position])):
        if ps[index] * (len(ps) - step) > alpha:
            break
        rejected.add(index)
    return rejected


def test_known_values():
    """0.01, 0.02, 0.03, 0.04 become 0.04, 0.06, 0.06, 0.06."""
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])


@given(PS, st.sampled_from([0.01, 0.05, 0.2]))
def test_rejects_what_the_procedure_rejects(ps, alpha):
    """An adjusted value is at most alpha exactly if the step-down procedure rejects."""
    actual = {index for index, p in enumerate(holm(ps)) if p <= alpha}

    assert step_down(ps, alpha) == actual


@given(PS)
def test_between_the_raw_value_and_bonferroni(ps):
    """Never below the raw p value, never above Bonferroni's."""
    adjusted = holm(ps)

    assert all(p <= a <= min(1.0, len(ps) * p) for p, a in zip(ps, adjusted, strict=True))


@given(PS)
def test_keeps_the_order_of_the_values(ps):
    """A smaller p value never gets a larger adjusted one."""
    adjusted = holm(ps)
    pairs = sorted(zip(ps, adjusted, strict=True))

    assert [a for _, a in pairs] == sorted(adjusted)


def test_order_of_the_tests_does_not_matter():
    """Each value keeps its adjusted one in any order."""
    expected = dict(zip([0.001, 0.02, 0.04], holm([0.001, 0.02, 0.04]), strict=True))

    assert all(holm(list(order)) == [expected[p] for p in order] for order in permutations(expected))


@pytest.mark.parametrize("ps", [[], [0.04]])
def test_none_and_one_are_left_alone(ps):
    """With a single test there is nothing to correct."""
    assert holm(ps) == ps


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_no_p_value_is_refused_by_position(bad):
    """A value outside [0, 1] is reported with its position."""
    with pytest.raises(ValueError, match="p value 1 is"):
        holm([0.5, bad])


def pairs(models, p):
    """Return all comparisons of models in the order of their positions, with p values by pair."""
    return [PairedTest(i, j, 0.1, p.get((i, j), 1.0)) for i, j in combinations(range(models), 2)]


def estimates(*rates, tasks=164, seed=1):
    rng = np.random.default_rng(seed)
    return [(rng.binomial(10, rate, tasks) / 10).tolist() for rate in rates]


def test_nothing_significant_leaves_every_rank_open():
    """Each of four models could have any rank."""
    assert ranks_by_tests(pairs(4, {}), 4) == [RankRange(1, 4)] * 4


def test_everything_significant_pins_every_rank():
    """Each of four models has one rank."""
    sure = dict.fromkeys(combinations(range(4), 2), 1e-06)

    assert ranks_by_tests(pairs(4, sure), 4) == [RankRange(rank, rank) for rank in (1, 2, 3, 4)]


def test_the_direction_of_the_lead_decides():
    """A negative lead puts the second model above the first."""
    actual = ranks_by_tests([PairedTest(0, 1, -0.2, 0.001)], 2)

    assert actual == [RankRange(2, 2), RankRange(1, 1)]


def test_two_that_tie_share_their_ranks():
    """The last of three is separated from two that are not separated from each other."""
    actual = ranks_by_tests(pairs(3, {(0, 2): 0.001, (1, 2): 0.001}), 3)

    assert actual == [RankRange(1, 2), RankRange(1, 2), RankRange(3, 3)]


def test_each_corrects_for_the_comparisons_of_one_model():
    """p = 0.02 among two comparisons of a model is significant; among the six of four models it is not."""
    found = pairs(4, {(0, 1): 0.012})

    assert [ranks_by_tests(found, 4, family=f)[0] for f in ("each", "all")] == [
        RankRange(1, 3),
        RankRange(1, 4),
    ]


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_all_is_never_narrower_than_each(ps):
    """Ranges for all models together are wider than ranges for each alone."""
    found = [PairedTest(i, j, 0.1, p) for (i, j), p in zip(combinations(range(4), 2), ps, strict=True)]
    each, together = ranks_by_tests(found, 4), ranks_by_tests(found, 4, family="all")

    assert all(t.best <= e.best <= e.worst <= t.worst for e, t in zip(each, together, strict=True))


def test_confidence_moves_the_line():
    """At 99 % a p value of 0.03 does not separate."""
    found = pairs(2, {(0, 1): 0.03})

    assert [ranks_by_tests(found, 2, confidence=c)[0] for c in (0.95, 0.99)] == [
        RankRange(1, 1),
        RankRange(1, 2),
    ]


def test_one_model_has_the_only_rank():
    """There is no comparison."""
    assert ranks_by_tests([], 1) == [RankRange(1, 1)]


@pytest.mark.parametrize(("best", "worst", "text"), [(1, 1, "1"), (2, 4, "2–4")])
def test_a_range_as_text(best, worst, text):
    """One rank is written as one number."""
    assert str(RankRange(best, worst)) == text


def test_bootstrap_of_models_far_apart():
    """Three models far apart keep their ranks in nearly all draws."""
    assert bootstrap_ranks(estimates(0.9, 0.5, 0.1)) == [RankRange(1, 1), RankRange(2, 2), RankRange(3, 3)]


def test_bootstrap_of_the_same_answers_shares_the_ranks():
    """In every draw both have ranks 1 and 2."""
    one = estimates(0.5)[0]

    assert bootstrap_ranks([one, one]) == [RankRange(1, 2)] * 2


def test_bootstrap_is_reproducible():
    """The same seed gives the same draws to the last bit, another seed others."""
    values = estimates(0.5, 0.52, 0.54, tasks=40)
    first, again, other = (
        np.concatenate(list(resampled_means(values, draws=300, seed=seed))) for seed in (5, 5, 6)
    )

    assert ((first == again).all(), (first == other).all()) == (True, False)


def test_draws_do_not_depend_on_the_size_of_a_block():
    """The number of draws is the requested one for any size of a block."""
    values = estimates(0.5, 0.6, tasks=20)

    assert [len(np.concatenate(list(resampled_means(values, draws=d)))) for d in (1, 256, 700)] == [
        1,
        256,
        700,
    ]


def test_means_spread_as_scipy_resamples_them():
    """Standard deviation and quantiles are those of scipy's bootstrap of a mean."""
    values = estimates(0.3, tasks=60)
    oracle = stats.bootstrap(
        (values[0],), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(4)
    )

    means = np.concatenate(list(resampled_means(values, draws=20_000)))[:, 0]

    low, high = np.quantile(means, [0.025, 0.975])
    expected = (oracle.standard_error, oracle.confidence_interval.low, oracle.confidence_interval.high)
    assert expected == pytest.approx((means.std(ddof=1), low, high), abs=0.003)


def test_models_are_drawn_on_the_same_tasks():
    """The draws are paired: two models with equal estimates never differ."""
    one = estimates(0.5)[0]
    means = np.concatenate(list(resampled_means([one, one], draws=200)))

    assert (means[:, 0] == means[:, 1]).all()


def test_clusters_are_drawn_whole():
    """For two clusters that differ completely a draw has mean 0, 1/2 or 1."""
    values = [[0.0] * 10 + [1.0] * 10]
    clusters = ["a"] * 10 + ["b"] * 10
    means = np.concatenate(list(resampled_means(values, clusters=clusters, draws=500)))

    assert set(means[:, 0].tolist()) == {0.0, 0.5, 1.0}


@pytest.mark.parametrize(("values", "draws"), [([], 10), ([[]], 10), ([[0.5]], 0)])
def test_nothing_to_draw_is_refused(values, draws):
    """No model, no task and no draw are errors."""
    with pytest.raises(ValueError, match="ranks need at least one"):
        list(resampled_means(values, draws=draws))
