"""Holm's correction against its definition and against Bonferroni's."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.stats.holm import holm

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
    """An adjusted value is at most alpha exactly where the step-down procedure rejects."""
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
    """Each value keeps its adjusted one wherever it stands."""
    expected = dict(zip([0.001, 0.02, 0.04], holm([0.001, 0.02, 0.04]), strict=True))

    assert all(holm(list(order)) == [expected[p] for p in order] for order in permutations(expected))


@pytest.mark.parametrize("ps", [[], [0.04]])
def test_none_and_one_are_left_alone(ps):
    """Without a second test there is nothing to correct."""
    assert holm(ps) == ps


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_no_p_value_is_refused_by_position(bad):
    """What is not between 0 and 1 is named by its position."""
    with pytest.raises(ValueError, match="p value 1 is"):
        holm([0.5, bad])
