"""Ranges of ranks: by tests, by resampling, with ties, reproducible."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchwright.stats.ranks import PairedTest, RankRange, bootstrap_ranks, ranks_by_tests, resampled_means


def pairs(models, p):
    """All comparisons of models that stand in the order of their positions, with p values by pair."""
    return [PairedTest(i, j, 0.1, p.get((i, j), 1.0)) for i, j in combinations(range(models), 2)]


def estimates(*rates, tasks=164, seed=1):
    rng = np.random.default_rng(seed)
    return [(rng.binomial(10, rate, tasks) / 10).tolist() for rate in rates]


def test_nothing_significant_leaves_every_rank_open():
    """Each of four models could be anywhere."""
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
    """p = 0.02 among two comparisons of a model holds; among the six of four models it does not."""
    found = pairs(4, {(0, 1): 0.012})

    assert [ranks_by_tests(found, 4, family=f)[0] for f in ("each", "all")] == [
        RankRange(1, 3),
        RankRange(1, 4),
    ]


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_all_is_never_narrower_than_each(ps):
    """What holds for all models together is wider than what holds for each alone."""
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
    """There is nothing to compare it with."""
    assert ranks_by_tests([], 1) == [RankRange(1, 1)]


@pytest.mark.parametrize(("best", "worst", "text"), [(1, 1, "1"), (2, 4, "2–4")])
def test_a_range_as_text(best, worst, text):
    """One rank is written as one number."""
    assert str(RankRange(best, worst)) == text


def test_bootstrap_of_models_far_apart():
    """Three models far apart keep their ranks in nearly all draws."""
    assert bootstrap_ranks(estimates(0.9, 0.5, 0.1)) == [RankRange(1, 1), RankRange(2, 2), RankRange(3, 3)]


def test_bootstrap_of_the_same_answers_shares_the_ranks():
    """Equal means in every draw: both have ranks 1 and 2."""
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
    """As many draws come as were asked for, whatever blocks they come in."""
    values = estimates(0.5, 0.6, tasks=20)

    assert [len(np.concatenate(list(resampled_means(values, draws=d)))) for d in (1, 256, 700)] == [
        1,
        256,
        700,
    ]


def test_means_spread_as_scipy_resamples_them():
    """The draws' standard deviation and quantiles are those of scipy's bootstrap of a mean."""
    values = estimates(0.3, tasks=60)
    oracle = stats.bootstrap(
        (values[0],), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(4)
    )

    means = np.concatenate(list(resampled_means(values, draws=20_000)))[:, 0]

    low, high = np.quantile(means, [0.025, 0.975])
    expected = (oracle.standard_error, oracle.confidence_interval.low, oracle.confidence_interval.high)
    assert expected == pytest.approx((means.std(ddof=1), low, high), abs=0.003)


def test_models_are_drawn_on_the_same_tasks():
    """The draws are paired: two models with equal estimates never differ, whatever is drawn."""
    one = estimates(0.5)[0]
    means = np.concatenate(list(resampled_means([one, one], draws=200)))

    assert (means[:, 0] == means[:, 1]).all()


def test_clusters_are_drawn_whole():
    """Of two clusters that differ wholly a draw has mean 0, 1/2 or 1 and nothing between."""
    values = [[0.0] * 10 + [1.0] * 10]
    clusters = ["a"] * 10 + ["b"] * 10
    means = np.concatenate(list(resampled_means(values, clusters=clusters, draws=500)))

    assert set(means[:, 0].tolist()) == {0.0, 0.5, 1.0}


@pytest.mark.parametrize(("values", "draws"), [([], 10), ([[]], 10), ([[0.5]], 0)])
def test_nothing_to_draw_is_refused(values, draws):
    """No model, no task or no draw is an error."""
    with pytest.raises(ValueError, match="ranks need at least one"):
        list(resampled_means(values, draws=draws))
