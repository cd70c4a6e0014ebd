"""Preference between two sides at equal length, as in the style control of LMArena.

P(a is preferred) = 1 / (1 + exp(-(s + w·d))), where d = (length a - length b) / (length a + length b). Fitted
by Newton's method with a ridge of `RIDGE` on both, so that one that length explains wholly has an end.
Source: Li, Angelopoulos, Chiang, "Does style matter?", LMSYS blog, 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

RIDGE = 0.5
_NEWTON_STEPS = 50


def relative_difference(a: int, b: int) -> float:
    """The difference of two lengths divided by their sum, from -1 to 1; 0 if both are 0."""
    return (a - b) / (a + b) if a + b else 0.0


def at_equal_length(values: Sequence[float], differences: Sequence[float]) -> tuple[float, float]:
    """The share of preferences for a that is left at equal lengths, and the weight of length.

    `values` are 1 where a is preferred, 0.5 for a tie, 0 where b is.

    >>> round(at_equal_length([1, 0, 1, 0], [0.5, -0.5, 0.5, -0.5])[0], 3)
    0.5
    """
    strength = weight = 0.0
    for _ in range(_NEWTON_STEPS):
        shares = [_share(strength + weight * d) for d in differences]
        rest = [value - share for value, share in zip(values, shares, strict=True)]
        slopes = [share * (1 - share) for share in shares]
        g0, g1 = sum(rest) - RIDGE * strength, sum(map(_times, rest, differences)) - RIDGE * weight
        h00, h01 = sum(slopes) + RIDGE, sum(map(_times, slopes, differences))
        h11 = sum(slope * d * d for slope, d in zip(slopes, differences, strict=True)) + RIDGE
        det = h00 * h11 - h01 * h01
        strength += (h11 * g0 - h01 * g1) / det
        weight += (h00 * g1 - h01 * g0) / det
    return _share(strength), weight


def _share(logit: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, logit))))


def _times(a: float, b: float) -> float:
    return a * b
