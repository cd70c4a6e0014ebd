"""The paired difference compared with scipy and with explicit matrices, and at the edges."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchwright.stats.paired import paired_difference

SHARES = st.integers(0, 10).map(lambda i: i / 10)
TASKS = st.lists(st.tuples(SHARES, SHARES), min_size=2, max_size=40)
BITS = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=2, max_size=60)


def found(pairs, **options):
    return paired_difference([a for a, _ in pairs], [b for _, b in pairs], **options)


def random_pairs(seed, tasks, step=10):
    rng = np.random.default_rng(seed)
    return [(a / step, b / step) for a, b in rng.integers(0, step + 1, (tasks, 2)).tolist()]


@given(BITS)
def test_of_zeros_and_ones_is_bonett_and_price(pairs):
    """For 0/1 estimates: proportions with one task added to each discordant count, N + 2 tasks."""
    total = len(pairs) + 2
    more, fewer = (sum(a > b for a, b in pairs) + 1) / total, (sum(a < b for a, b in pairs) + 1) / total
    se = sqrt((more + fewer - (more - fewer) ** 2) / total)
    half = stats.t.ppf(0.975, len(pairs) - 1) * se
    expected = (max(-1.0, more - fewer - half), min(1.0, more - fewer + half), se)

    actual = found(pairs)

    assert expected == pytest.approx((actual.low, actual.high, actual.se), abs=1e-9)


def test_with_many_tasks_is_the_paired_t_test():
    """The added pieces of a task vanish: value, p and interval are those of scipy's paired t test."""
    pairs = random_pairs(3, 4000)
    pairs = [(min(1.0, a + 0.1), b) for a, b in pairs]
    expected = stats.ttest_rel([a for a, _ in pairs], [b for _, b in pairs])
    interval = expected.confidence_interval()

    actual = found(pairs)

    assert (actual.low, actual.high, actual.df) == pytest.approx(
        (interval.low, interval.high, 3999), abs=1e-3
    )
    assert actual.p == pytest.approx(expected.pvalue, rel=0.05, abs=1e-6)


def cr2(pairs, clusters):
    """Return the standard error of a plain mean by CR2, and Bell and McCaffrey's degrees, with N by N
    matrices."""
    d = np.array([a - b for a, b in pairs])
    n = len(d)
    design = np.ones((n, 1))
    hat = design @ design.T / n
    residuals = d - d.mean()
    total, vectors = 0.0, []
    for name in dict.fromkeys(clusters):
        rows = np.array([each == name for each in clusters])
        block = np.eye(rows.sum()) - hat[np.ix_(rows, rows)]
        values, basis = np.linalg.eigh(block)
        root = basis @ np.diag(values**-0.5) @ basis.T
        total += float(np.ones(rows.sum()) @ root @ residuals[rows]) ** 2
        vectors.append((np.eye(n) - hat)[:, rows] @ root @ np.ones(rows.sum()) / n)
    gram = np.array(vectors) @ np.array(vectors).T
    return sqrt(total) / n, np.trace(gram) ** 2 / float((gram**2).sum())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_clusters_are_cr2_with_bell_and_mccaffrey(seed):
    """Closed forms equal the matrix definitions: degrees exactly, the error except for the added pieces."""
    rng = np.random.default_rng(seed)
    clusters = [f"g{number}" for number in rng.geometric(0.25, 400).clip(1, 12)]
    se, df = cr2(pairs := random_pairs(seed, 400), clusters)

    actual = found(pairs, clusters=clusters)

    assert (actual.df, actual.se) == (pytest.approx(df, rel=1e-6), pytest.approx(se, rel=0.03))


def test_even_clusters_have_one_degree_less_than_their_number():
    """Eight clusters of five: seven degrees of freedom."""
    actual = found(random_pairs(5, 40), clusters=[f"g{task // 5}" for task in range(40)])

    assert (actual.df, actual.clusters, actual.tasks) == (pytest.approx(7), 8, 40)


def test_one_task_a_cluster_is_no_clusters_at_all():
    """Naming each task as a separate group changes nothing."""
    pairs = random_pairs(6, 30)

    assert found(pairs) == found(pairs, clusters=[str(task) for task in range(30)])


def test_tasks_that_go_together_widen_the_interval():
    """Ten repositories, each won by one model, are less evidence than a hundred tasks."""
    winners = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1]
    pairs = [(float(one), float(1 - one)) for one in winners for _ in range(10)]
    clusters = [f"repository {task // 10}" for task in range(100)]
    apart, together = found(pairs), found(pairs, clusters=clusters)

    assert (apart.p < 0.001, together.p > 0.05) == (True, True)


@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("tasks", "width"), [(40, 0.0681), (164, 0.0168), (1361, 0.0020)])
def test_no_difference_anywhere_still_has_an_interval(tasks, width, value):
    """The models are equal on all tasks: the interval is about ± 2.8 tasks, and p is 1."""
    actual = found([(value, value)] * tasks)

    assert (actual.low, actual.high, actual.p) == (
        pytest.approx(-width, abs=1e-4),
        pytest.approx(width, abs=1e-4),
        1.0,
    )


def test_no_difference_allows_what_the_rule_of_three_allows():
    """Up to about 3 of 164 tasks could differ unseen: the interval reaches nearly that far."""
    actual = found([(1.0, 1.0)] * 164)

    assert 0.5 * 3 / 164 < actual.high < 3.7 / 164


def test_the_same_difference_everywhere_still_has_a_width():
    """Equal differences by chance are not certainty."""
    actual = found([(0.5, 0.4)] * 40)

    assert (0.08 < actual.low < 0.1 < actual.high < 0.12, actual.p < 0.001) == (True, True)


def test_the_best_against_the_worst_stays_on_the_scale():
    """All tasks are won: the interval ends at 1."""
    actual = found([(1.0, 0.0)] * 24)

    assert (0.7 < actual.low < 0.95, actual.high) == (True, 1.0)


@given(TASKS)
def test_the_interval_holds_the_difference_and_has_a_width(pairs):
    """-1 <= low <= value <= high <= 1 with low < high, for any estimates."""
    actual = found(pairs)

    assert -1 <= actual.low <= actual.value <= actual.high <= 1 and actual.low < actual.high


@given(TASKS)
def test_swapping_the_models_mirrors_it(pairs):
    """b against a has the negated interval and the same p value."""
    here, there = found(pairs), found([(b, a) for a, b in pairs])

    assert (-here.high, -here.low, here.p) == pytest.approx((there.low, there.high, there.p), abs=1e-9)


@given(TASKS)
def test_p_and_interval_agree(pairs):
    """p is below 0.05 exactly if the 95 % interval excludes zero."""
    actual = found(pairs)

    assert (actual.p < 0.05) == (not actual.low <= 0 <= actual.high) or abs(actual.p - 0.05) < 1e-6


@given(TASKS, st.randoms(use_true_random=False))
def test_the_order_of_tasks_does_not_matter(pairs, random):
    """The same tasks in another order give the same figures."""
    clusters = [f"g{index % 3}" for index in range(len(pairs))]
    rows = list(zip(pairs, clusters, strict=True))
    shuffled = random.sample(rows, len(rows))
    here = found(pairs, clusters=clusters)
    there = found([row[0] for row in shuffled], clusters=[row[1] for row in shuffled])

    assert (here.low, here.high, here.df) == pytest.approx((there.low, there.high, there.df), abs=1e-9)


def test_wins_are_counted_without_rounding_noise():
    """0.1 + 0.2 against 0.3 is a tie."""
    actual = found([(0.1 + 0.2, 0.3), (1.0, 0.0), (0.2, 0.3), (0.0, 0.1)])

    assert (actual.a_more, actual.b_more) == (1, 2)


def test_mcnemar_is_given_for_zeros_and_ones_only():
    """It does not apply to ten answers per task, or to clusters."""
    bits = [(1.0, 0.0)] * 6 + [(1.0, 1.0)] * 10
    shares = [(0.9, 0.0)] * 6 + [(1.0, 1.0)] * 10
    clusters = [f"g{task % 4}" for task in range(16)]

    actual = [found(bits).mcnemar, found(shares).mcnemar, found(bits, clusters=clusters).mcnemar]

    assert actual == [0.03125, None, None]


def test_the_detectable_difference_is_about_three_errors():
    """2.8 standard errors with many tasks, so always more than half the interval."""
    actual = found(random_pairs(8, 164))

    assert actual.detectable == pytest.approx(2.82 * actual.se, rel=0.01)


def test_more_confidence_is_wider():
    """The 80 % interval is inside the 95 % one, which is inside the 99 % one."""
    low, mid, high = (found(random_pairs(9, 50), confidence=c) for c in (0.8, 0.95, 0.99))

    assert high.low < mid.low < low.low < low.high < mid.high < high.high


@pytest.mark.parametrize(
    ("a", "b", "options", "words"),
    [
        ([1.0], [0.0], {}, "at least two tasks"),
        ([], [], {}, "at least two tasks"),
        ([1.0, 0.0], [0.0], {}, "an estimate for each"),
        ([1.0, 0.0], [0.0, 0.0], {"clusters": ["x"]}, "each task a cluster"),
        ([1.0, 0.0], [0.0, 0.0], {"clusters": ["x", "x"]}, "at least two clusters"),
        ([1.0, 1.1], [0.0, 0.0], {}, r"a\[1\] is 1.1"),
        ([1.0, 1.0], [float("nan"), 0.0], {}, r"b\[0\] is nan"),
        ([1.0, 1.0], [0.0, 0.0], {"confidence": 95}, "confidence must be between"),
    ],
)
def test_what_cannot_be_compared_is_refused(a, b, options, words):
    """Different lengths, too few tasks, and values outside [0, 1] are errors."""
    with pytest.raises(ValueError, match=words):
        paired_difference(a, b, **options)
