"""pass@k where each task was asked in several ways: a crossed design of tasks and prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from benchwright.records import Metric, TaskId
from benchwright.stats.passk import pass_at_k
from benchwright.stats.score import mean_metric

# Of each task: (answers, right answers) to each of its prompts.
Cells = Mapping[TaskId, Sequence[tuple[int, int]]]


def crossed_metrics(cells: Cells, ks: Iterable[int], *, confidence: float = 0.95) -> dict[str, Metric]:
    """pass@k with its interval over tasks; a task's value is the mean over its prompts of their pass@k.

    So it stays the chance that k answers to one prompt, drawn at random from the prompts, hold a right one.
    Pooling a task's answers would mix prompts within one draw of k: that is another quantity, and a higher
    one, since a task that one wording in ten solves would count as solved.

    The task is the unit of the interval, as everywhere. Behind a task's value stand n // k separate groups
    of k for each prompt. Groups of different prompts vary no more in the mean than as many of one prompt
    with the mean chance would, so counting them all as equal errs on the wide side.
    """
    if not cells or not all(cells.values()):
        raise ValueError("each task needs an answer to at least one prompt, and there must be a task")
    return {f"pass@{k}": _metric(list(cells.values()), k, confidence) for k in ks}


def task_value(cells: Sequence[tuple[int, int]], k: int) -> float:
    """The mean over a task's prompts of the unbiased pass@k of each."""
    return fsum(pass_at_k(n, c, k) for n, c in cells) / len(cells)


def _metric(tasks: list[Sequence[tuple[int, int]]], k: int, confidence: float) -> Metric:
    values = [min(1.0, task_value(cells, k)) for cells in tasks]
    groups = min(sum(n // k for n, _ in cells) for cells in tasks)
    samples = min(sum(n for n, _ in cells) for cells in tasks)
    return mean_metric(values, draws=groups, samples=samples, confidence=confidence)
