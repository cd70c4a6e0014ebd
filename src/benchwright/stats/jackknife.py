"""The jackknife over clusters of tasks: the sampling error of figures computed from counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt

from benchwright.stats.intervals import t_quantile

Table = tuple[float, ...]  # counts, in an order that the function of them knows


def cluster_tables(cells: Iterable[tuple[str, Table]]) -> list[Table]:
    """The sum of the tables of each cluster, from the table and the cluster of each task."""
    sums: dict[str, Table] = {}
    for name, table in cells:
        had = sums.get(name)
        sums[name] = table if had is None else tuple(a + b for a, b in zip(had, table, strict=True))
    return list(sums.values())


def jackknife_half(
    tables: Sequence[Table], function: Callable[[Table], float], *, confidence: float = 0.95
) -> float:
    """Half the width of a t interval for `function` of the summed tables, one table a cluster.

    Each cluster in turn is left out (Quenouille 1956, Tukey 1958); the standard error is the root of
    (G-1)/G times the sum of squares about their mean. It sees whatever hangs together within a cluster, and
    that one wrong answer spoils two classes. It is 0 where nothing differs, so it is for widening an interval
    that has a width of its own. A cluster without which the function has no value (it raises
    ZeroDivisionError) is not left out. Equal tables are looked at once.
    """
    total = tuple(map(fsum, zip(*tables, strict=True)))
    found: list[tuple[float, int]] = []
    for table, count in Counter(tables).items():
        try:
            value = function(tuple(whole - part for whole, part in zip(total, table, strict=True)))
        except ZeroDivisionError:
            continue
        found.append((value, count))
    groups = sum(count for _, count in found)
    if groups < 2:
        return 0.0
    mean = fsum(value * count for value, count in found) / groups
    spread = fsum(count * (value - mean) ** 2 for value, count in found)
    return t_quantile(0.5 + confidence / 2, groups - 1) * sqrt(spread * (groups - 1) / groups)
