"""95 % confidence intervals of MERA's scores over the rows of a task set, which count as independent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.records import Metric
from benchwright.stats.metrics import graded_metric, mean_metric, pass_metrics
from benchwright.text.chrf import chrf_counts
from benchwright.tracks.strucom.measures import chrf_metric

Intervals = Mapping[str, tuple[float, float]]  # low and high by metric; not for metrics without an interval


def pass_intervals(counts: Sequence[tuple[int, int]], ks: Sequence[int]) -> Intervals:
    """Intervals of pass@k from (n, c) of each row.

    None for a k above the least n, because MERA counts such a row as 1, which estimates nothing.
    """
    least = min((n for n, _ in counts), default=0)
    return _bounds(pass_metrics(counts, [k for k in ks if k <= least])) if least else {}


def share_intervals(name: str, right: int, rows: int) -> Intervals:
    """The interval of the share of rows that are right."""
    values = [1.0] * right + [0.0] * (rows - right)
    return _bounds({name: mean_metric(values, draws=1, samples=1)}) if rows else {}


def grade_intervals(name: str, values: Sequence[float], *, scale: float = 1) -> Intervals:
    """The interval of a mean of values from 0 to 1, multiplied by `scale`."""
    return _bounds({name: graded_metric(values, samples=1)}, scale) if values else {}


def chrf_intervals(name: str, pairs: Sequence[tuple[str, str]]) -> Intervals:
    """The jackknife interval of chrF, from 0 to 100, of all rows together; none if all rows agree."""
    if not pairs:
        return {}
    found = chrf_metric([tuple(map(float, chrf_counts(*pair, words=0))) for pair in pairs])
    return _bounds({name: found}, 100) if found.low < found.high else {}


def _bounds(metrics: Mapping[str, Metric], scale: float = 1) -> Intervals:
    return {name: (scale * metric.low, scale * metric.high) for name, metric in metrics.items()}
