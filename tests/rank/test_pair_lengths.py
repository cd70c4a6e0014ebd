"""A preference that follows length shows as one, and is apart from a preference for a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.rank.pair_lengths import PairOutcome, length_facts

LIKES_LENGTH = [PairOutcome(1.0, 10)] * 6 + [PairOutcome(0.0, -5)] * 4
LIKES_A = [PairOutcome(1.0, 10)] * 6 + [PairOutcome(1.0, -5)] * 4


@pytest.mark.parametrize(
    ("outcomes", "longer", "balanced"),
    [
        (LIKES_LENGTH, 1.0, 0.5),  # nothing of the model is left
        (LIKES_A, 0.6, 1.0),  # length changes nothing
        ([PairOutcome(0.0, 3)] * 4 + [PairOutcome(1.0, -3)] * 4, 0.0, 0.5),  # likes the shorter one
        ([PairOutcome(1.0, 3)] * 9 + [PairOutcome(0.0, -3)], 1.0, 0.5),  # nine in ten are longer
        ([PairOutcome(1.0, 3), PairOutcome(0.5, -3)], 1.0, 0.75),  # a tie is half a point
        ([PairOutcome(1.0, 3)] * 5, 1.0, None),  # b is never longer
        ([PairOutcome(1.0, 0)] * 5, None, None),  # equally long
        ([PairOutcome(0.5, 3)] * 5 + [PairOutcome(0.5, -3)], None, 0.5),
        ([], None, None),
    ],
)
def test_length_and_preference(
    outcomes: list[PairOutcome], longer: float | None, balanced: float | None
) -> None:
    found = length_facts(outcomes)

    assert (found.longer_preferred and found.longer_preferred.value) == longer
    assert found.balanced == balanced


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(-9, 9)), max_size=30))
def test_the_two_sides_mirror_each_other(pairs: list[tuple[float, int]]) -> None:
    """To name the runs the other way round changes no share of the longer one."""
    there = length_facts(PairOutcome(*pair) for pair in pairs)
    back = length_facts(PairOutcome(1 - points, -difference) for points, difference in pairs)

    assert (there.longer_preferred, there.a_longer.pairs) == (back.longer_preferred, back.b_longer.pairs)
    assert (there.balanced is None) == (back.balanced is None)
    assert there.balanced is None or there.balanced == pytest.approx(1 - (back.balanced or 0))
