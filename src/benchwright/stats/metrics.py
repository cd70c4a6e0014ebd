"""Metrics of a report from counts of correct answers, with one prompt per task or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

from benchwright.records import Metric, TaskId
from benchwright.stats.intervals import Interval, mean_interval
from benchwright.stats.passk import pass_at_k, pass_hat_k

# Metrics of a report from counts of correct answers.

Counts = Mapping[TaskId, tuple[int, int]] | Sequence[tuple[int, int]]


def mean_metric(
    values: Sequence[float],
    *,
    draws: float,
    samples: int,
    confidence: float = 0.95,
    clusters: Sequence[str] | None = None,
) -> Metric:
    """The mean over tasks of values from 0 to 1, each based on `samples` answers.

    Each value is based on `draws` independent 0/1 draws, and tasks of one cluster are treated together: see
    `mean_interval`. If tasks have different numbers of draws, their harmonic mean is used, see
    `effective_draws`.
    """
    found = mean_interval(values, samples_per_task=draws, confidence=confidence, clusters=clusters)
    return as_metric(found, samples)


def graded_metric(values: Sequence[float], *, samples: int, confidence: float = 0.95) -> Metric:
    """The mean over tasks of graded values, such as points as a share of the maximum.

    A grade is not a 0/1 draw: equal grades tell more than as many draws do. How much more shows in the
    tasks' own spread, which bounds the interval, and at most as many draws as there are tasks are assumed
    behind each value; its width is never zero.
    """
    return mean_metric(values, draws=len(values), samples=samples, confidence=confidence)


def as_metric(interval: Interval, samples: int) -> Metric:
    """An interval over tasks as a metric."""
    return Metric(value=interval.value, low=interval.low, high=interval.high, n=interval.n, samples=samples)


def pass_metrics(counts: Counts, ks: Iterable[int], *, confidence: float = 0.95) -> dict[str, Metric]:
    """pass@k with its interval for each k, from (n, c) of each task: n answers, c of them correct.

    A sequence names its tasks by position, from 0. Each k must be at most the smallest n.

    At k = n a task's estimate is 0 or 1 ("any of n right"): the chance within a task can no longer be
    seen, and the interval is that of a plain proportion over tasks. Answers beyond k steady the number.
    """
    counts_by_task: dict[TaskId, tuple[int, int]] = {}
    counts_by_task.update(counts if isinstance(counts, Mapping) else enumerate(counts))
    if not counts_by_task:
        raise ValueError("no tasks to score")
    wanted = list(ks)
    _refuse_short(counts_by_task, wanted)
    return {f"pass@{k}": _metric(list(counts_by_task.values()), k, confidence) for k in wanted}


def _metric(counts: list[tuple[int, int]], k: int, confidence: float) -> Metric:
    """A metric over tasks that may have different numbers of answers."""
    samples = min(n for n, _ in counts)
    values = [pass_at_k(n, c, k) for n, c in counts]
    draws = effective_draws([n // k for n, _ in counts])
    return mean_metric(values, draws=draws, samples=samples, confidence=confidence)


def effective_draws(draws: Sequence[int]) -> float:
    """The equal number of draws per task that is equivalent to these different numbers.

    With d draws, a task of chance p varies by p(1-p)/d, so the mean over N tasks varies by at least p(1-p)
    Σ(1/d) / N²: as if each had the harmonic mean of them.
    """
    return len(draws) / fsum(1 / each for each in draws)


def _refuse_short(counts_by_task: Mapping[TaskId, tuple[int, int]], ks: list[int]) -> None:
    task, (smallest, _) = min(counts_by_task.items(), key=lambda item: item[1][0])
    short = [k for k in ks if k > smallest]
    if not short:
        return
    raise ValueError(
        f"pass@{short[0]} needs {short[0]} answers to each task, but task {task} has {smallest}. "
        f"hint: ask for k up to {smallest}, or collect at least {max(short)} answers to each task"
    )


# pass@k if each task was asked with several prompts: a crossed design of tasks and prompts.

# For each task: (answers, correct answers) to each of its prompts.
Cells = Mapping[TaskId, Sequence[tuple[int, int]]]
Estimate = Callable[[int, int, int], float]  # from n answers, c of them right, and k
ESTIMATES: Mapping[str, Estimate] = {"pass@": pass_at_k, "pass^": pass_hat_k}


def crossed_metrics(cells: Cells, ks: Iterable[int], *, confidence: float = 0.95) -> dict[str, Metric]:
    """pass@k, and pass^k for k above 1, with intervals over tasks; a task's value is a mean over its prompts.

    So it stays the chance that k answers to one prompt, drawn at random from the prompts, hold a right one,
    or no wrong one.
    Pooling a task's answers would mix prompts within one draw of k: that is another quantity, and a higher
    one, since a task that one wording in ten solves would count as solved.

    The task is the unit of the interval, as everywhere. Behind a task's value stand n // k separate groups
    of k for each prompt. Groups of different prompts vary no more in the mean than as many of one prompt
    with the mean chance would, so counting them all as equal errs on the wide side.
    """
    if not cells or not all(cells.values()):
        raise ValueError("at least one task is needed, each with an answer to at least one prompt")
    tasks, wanted = list(cells.values()), list(ks)
    return {
        f"{name}{k}": _crossed_metric(tasks, k, confidence, estimate)
        for name, estimate in ESTIMATES.items()
        for k in wanted
        if k > 1 or estimate is pass_at_k
    }


def task_value(cells: Sequence[tuple[int, int]], k: int, estimate: Estimate = pass_at_k) -> float:
    """The mean over a task's prompts of the unbiased pass@k of each, or of another estimate."""
    return fsum(estimate(n, c, k) for n, c in cells) / len(cells)


def _crossed_metric(
    tasks: list[Sequence[tuple[int, int]]], k: int, confidence: float, estimate: Estimate
) -> Metric:
    values = [min(1.0, task_value(cells, k, estimate)) for cells in tasks]
    groups = effective_draws([sum(n // k for n, _ in cells) for cells in tasks])
    samples = min(sum(n for n, _ in cells) for cells in tasks)
    return mean_metric(values, draws=groups, samples=samples, confidence=confidence)
