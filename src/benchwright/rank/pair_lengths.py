"""How far a judge's preference follows the length of answers: the longer one preferred, and both cases apart.

A judge that only likes longer text passes its proof, whose right and wrong answers are about equally long.
Dubois et al. (2024) and LMArena's style control fit a model of the difference in length; with the few pairs
of a comparison the share of each case says the same without one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from benchwright.records import Metric, Record
from benchwright.stats.intervals import wilson
from benchwright.stats.score import as_metric


class LengthCase(Record, frozen=True, kw_only=True):
    """Pairs in which one side is longer: how many, and the points of a, a win being one and a tie half."""

    pairs: int
    points: float

    @property
    def share(self) -> float:
        """The preference for a among them."""
        return self.points / self.pairs


class LengthFacts(Record, frozen=True, kw_only=True):
    """`longer_preferred`: of pairs of unequal length with a winner, how many the longer one won.

    `balanced` is the preference for a if either side were the longer one equally often; None where one
    never is.
    """

    longer_preferred: Metric | None
    a_longer: LengthCase
    b_longer: LengthCase
    balanced: float | None


class PairOutcome(NamedTuple):
    """A judged pair: the points of a, and how much longer a is, in characters."""

    points: float
    difference: int


def length_facts(outcomes: Iterable[PairOutcome]) -> LengthFacts:
    """What pairs say of length; those of equal length say nothing."""
    unequal = [each for each in outcomes if each.difference]
    decided = [each for each in unequal if each.points in (0.0, 1.0)]
    longer = sum((each.points == 1.0) == (each.difference > 0) for each in decided)
    a_longer, b_longer = (
        _case(each for each in unequal if (each.difference > 0) is side) for side in (True, False)
    )
    both = a_longer.pairs and b_longer.pairs
    return LengthFacts(
        longer_preferred=as_metric(wilson(longer, len(decided)), 1) if decided else None,
        a_longer=a_longer,
        b_longer=b_longer,
        balanced=(a_longer.share + b_longer.share) / 2 if both else None,
    )


def _case(outcomes: Iterable[PairOutcome]) -> LengthCase:
    points = [each.points for each in outcomes]
    return LengthCase(pairs=len(points), points=sum(points))
