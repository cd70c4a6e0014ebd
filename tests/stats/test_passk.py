"""pass@k compared with exact combinatorics."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.passk import pass_at_k, pass_hat_k


def by_enumeration(n: int, c: int, k: int) -> Fraction:
    """Return the share of all k-subsets of n answers with at least one of the first c, which are right."""
    subsets = list(combinations(range(n), k))
    return Fraction(sum(1 for subset in subsets if min(subset) < c), len(subsets))


@pytest.mark.parametrize("n", range(1, 13))
def test_equals_the_share_of_subsets_with_a_right_answer(n):
    """This holds for every c and k."""
    cases = [(c, k) for c in range(n + 1) for k in range(1, n + 1)]

    expected = [float(by_enumeration(n, c, k)) for c, k in cases]

    assert expected == [pass_at_k(n, c, k) for c, k in cases]


@given(st.data(), st.integers(1, 400))
def test_equals_the_formula_in_fractions(data, n):
    """The float is the exact fraction, rounded once."""
    c = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))

    expected = float(1 - Fraction(comb(n - c, k), comb(n, k)))

    assert expected == pass_at_k(n, c, k)


@given(st.data(), st.integers(2, 60))
def test_grows_with_right_answers_and_with_k(data, n):
    """One more right answer, or one more draw, never decreases the estimate."""
    c = data.draw(st.integers(0, n - 1))
    k = data.draw(st.integers(1, n - 1))

    here = pass_at_k(n, c, k)

    assert 0.0 <= here <= min(pass_at_k(n, c + 1, k), pass_at_k(n, c, k + 1)) <= 1.0


@given(st.integers(1, 12), st.data())
def test_is_unbiased(n, data):
    """The estimate's mean over binomial c is the probability that one of k draws is right."""
    k = data.draw(st.integers(1, n))
    p = data.draw(st.fractions(0, 1, max_denominator=20))
    weights = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]

    expected = float(1 - (1 - p) ** k)
    actual = float(sum(w * Fraction(pass_at_k(n, c, k)) for c, w in enumerate(weights)))

    assert expected == pytest.approx(actual, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (10, 3, 1, 0.3),
        (10, 3, 5, 0.9166666666666666),
        (10, 3, 10, 1.0),
        (10, 1, 5, 0.5),
        (10, 0, 10, 0.0),
        (1, 1, 1, 1.0),
        (200, 200, 100, 1.0),
    ],
)
def test_known_values(n, c, k, expected):
    """Values of the field's own code, to the last bit."""
    assert expected == pass_at_k(n, c, k)


def test_large_counts_do_not_overflow():
    """The binomials of ten thousand answers are never converted to floats."""
    actual = pass_at_k(10_000, 1, 5_000)

    assert actual == 0.5


@pytest.mark.parametrize(
    ("n", "c", "k", "words"),
    [
        (1, 0, 5, "pass@5 needs at least 5 answers per task, not 1"),
        (0, 0, 1, "pass@1 needs at least 1 answers per task, not 0"),
        (10, 3, 0, "k must be at least 1"),
        (10, 3, -2, "k must be at least 1"),
        (10, -1, 1, "between 0 and n = 10, not -1"),
        (10, 11, 1, "between 0 and n = 10, not 11"),
    ],
)
def test_impossible_counts_are_refused(n, c, k, words):
    """Too few answers and impossible counts are errors, never a silent 1.0."""
    with pytest.raises(ValueError) as caught:
        pass_at_k(n, c, k)

    assert words in str(caught.value)


@pytest.mark.parametrize("n", range(1, 10))
def test_all_pass_equals_the_share_of_subsets_without_a_wrong_answer(n):
    """For every c and k, pass^k is the share of k-subsets whose answers are all right."""
    for c in range(n + 1):
        for k in range(1, n + 1):
            subsets = list(combinations(range(n), k))
            right = sum(1 for subset in subsets if max(subset) < c)

            assert pass_hat_k(n, c, k) == float(Fraction(right, len(subsets)))


@given(st.integers(1, 12), st.data())
def test_all_pass_is_unbiased(n, data):
    """The estimate's mean over binomial c is the probability that k draws are all right."""
    k = data.draw(st.integers(1, n))
    p = data.draw(st.fractions(0, 1, max_denominator=20))
    weights = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]

    actual = float(sum(w * Fraction(pass_hat_k(n, c, k)) for c, w in enumerate(weights)))

    assert actual == pytest.approx(float(p**k), abs=1e-12)


def test_all_pass_refuses_what_has_no_answer():
    """The error has its name."""
    with pytest.raises(ValueError, match=r"pass\^5 needs at least 5 answers"):
        pass_hat_k(1, 0, 5)
