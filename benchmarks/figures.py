"""The arithmetic of a comparison: medians, ranges, ratios within a round, fixed and marginal cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A median with the smallest and the largest value."""

    median: float
    low: float
    high: float

    def text(self, digits: int = 2) -> str:
        return f"{self.median:.{digits}f} ({self.low:.{digits}f}–{self.high:.{digits}f})"


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """Cost per run, and cost of one more execution."""

    fixed_s: float
    marginal_ms: float


def spread(values: Iterable[float]) -> Spread:
    """Return median and range of at least one value."""
    ordered = sorted(values)
    return Spread(median=median(ordered), low=ordered[0], high=ordered[-1])


def paired_ratio(peer: Sequence[float], ours: Sequence[float]) -> Spread:
    """Return the peer's cost divided by ours, round by round, with its spread.

    The ratio of two medians would mix rounds: a load that slows both halves of one round cancels only inside
    that round.
    """
    return spread(theirs / own for theirs, own in zip(peer, ours, strict=True))


def split(small_s: float, large_s: float, *, small: int, large: int) -> Split:
    """Return fixed and marginal cost from two runs of different size: the line through two points.

    marginal = (C_large − C_small) / (large − small), fixed = C_small − small · marginal.
    """
    if large <= small:
        raise ValueError("the larger run must have more executions")
    marginal = (large_s - small_s) / (large - small)
    return Split(fixed_s=small_s - small * marginal, marginal_ms=1000 * marginal)
