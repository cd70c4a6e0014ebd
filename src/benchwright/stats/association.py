"""Fisher's exact test of association in a two-by-two table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import exp, lgamma

_ROUNDING = 1e-7  # tables as likely as the one seen, but for rounding


def fisher_exact(table: Mapping[tuple[bool, bool], int]) -> float:
    """The two-sided p value of Fisher's exact test (1934): all tables at most as likely as the one seen.

    Counts by the two facts; one that is not there is 0. Raises ValueError for a count below 0.

    >>> fisher_exact({(True, True): 3, (False, False): 3})
    0.1
    """
    both, first, second, neither = (table.get(key, 0) for key in _CELLS)
    if min(both, first, second, neither) < 0:
        raise ValueError(f"counts must be at least 0, not {dict(table)}")
    return round(_two_sided(both, first, second, neither), 15)


_CELLS = ((True, True), (True, False), (False, True), (False, False))


@lru_cache(maxsize=1 << 16)
def _two_sided(both: int, first: int, second: int, neither: int) -> float:
    drawn, marked, whole = both + first, both + second, both + first + second + neither
    least, most = max(0, drawn + marked - whole), min(drawn, marked)
    logs = [_log_ways(marked, at) + _log_ways(whole - marked, drawn - at) for at in range(least, most + 1)]
    every = _log_ways(whole, drawn)
    seen = exp(logs[both - least] - every)
    chances = (exp(each - every) for each in logs)
    return min(1.0, sum(chance for chance in chances if chance <= seen * (1 + _ROUNDING)))


def _log_ways(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)
