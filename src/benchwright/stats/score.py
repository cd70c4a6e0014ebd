"""From counts of right answers to the metrics of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchwright.records import Metric, TaskId
from benchwright.stats.intervals import mean_interval
from benchwright.stats.passk import pass_at_k

Counts = Mapping[TaskId, tuple[int, int]] | Sequence[tuple[int, int]]


def pass_metrics(counts: Counts, ks: Iterable[int], *, confidence: float = 0.95) -> dict[str, Metric]:
    """pass@k with its interval for each k, from (n, c) of each task: n answers, c of them right.

    A sequence names its tasks by position, from 0. Each k must be at most the smallest n.

    At k = n a task's estimate is 0 or 1 ("any of n right"): the chance within a task can no longer be
    seen, and the interval is that of a plain proportion over tasks. Answers beyond k steady the number.
    """
    named: dict[TaskId, tuple[int, int]] = {}
    named.update(counts if isinstance(counts, Mapping) else enumerate(counts))
    if not named:
        raise ValueError("there are no tasks to score")
    wanted = list(ks)
    _refuse_short(named, wanted)
    return {f"pass@{k}": _metric(list(named.values()), k, confidence) for k in wanted}


def _metric(counts: list[tuple[int, int]], k: int, confidence: float) -> Metric:
    """One number; where tasks have different n, the smallest speaks for all, which widens the interval."""
    samples = min(n for n, _ in counts)
    values = [pass_at_k(n, c, k) for n, c in counts]
    interval = mean_interval(values, samples_per_task=samples // k, confidence=confidence)
    return Metric(value=interval.value, low=interval.low, high=interval.high, n=interval.n, samples=samples)


def _refuse_short(named: Mapping[TaskId, tuple[int, int]], ks: list[int]) -> None:
    task, (smallest, _) = min(named.items(), key=lambda item: item[1][0])
    short = [k for k in ks if k > smallest]
    if not short:
        return
    raise ValueError(
        f"pass@{short[0]} needs {short[0]} answers to each task, but task {task} has {smallest}. "
        f"hint: ask for k up to {smallest}, or collect at least {max(short)} answers to each task"
    )
