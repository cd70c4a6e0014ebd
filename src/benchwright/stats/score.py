"""From counts of right answers to the metrics of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchwright.records import Metric, TaskId
from benchwright.stats.intervals import Interval, mean_interval
from benchwright.stats.passk import pass_at_k

Counts = Mapping[TaskId, tuple[int, int]] | Sequence[tuple[int, int]]


def mean_metric(values: Sequence[float], *, draws: int, samples: int, confidence: float = 0.95) -> Metric:
    """The mean over tasks of values in 0 to 1, made of so many `samples` a task.

    `draws` independent 0/1 draws stand behind each value, see `mean_interval`.
    """
    return as_metric(mean_interval(values, samples_per_task=draws, confidence=confidence), samples)


def graded_metric(values: Sequence[float], *, samples: int, confidence: float = 0.95) -> Metric:
    """The same of graded values, such as points as shares of the most that can be had.

    A grade is no 0/1 draw: grades that are all alike tell more than as many draws do. How much more shows in
    the tasks' own spread, so that bounds the interval, and at most as many draws as there are tasks are
    taken to stand behind each value; its width is never zero.
    """
    return mean_metric(values, draws=len(values), samples=samples, confidence=confidence)


def as_metric(interval: Interval, samples: int) -> Metric:
    """An interval over tasks as a figure of a report."""
    return Metric(value=interval.value, low=interval.low, high=interval.high, n=interval.n, samples=samples)


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
    return mean_metric(values, draws=samples // k, samples=samples, confidence=confidence)


def _refuse_short(named: Mapping[TaskId, tuple[int, int]], ks: list[int]) -> None:
    task, (smallest, _) = min(named.items(), key=lambda item: item[1][0])
    short = [k for k in ks if k > smallest]
    if not short:
        return
    raise ValueError(
        f"pass@{short[0]} needs {short[0]} answers to each task, but task {task} has {smallest}. "
        f"hint: ask for k up to {smallest}, or collect at least {max(short)} answers to each task"
    )
