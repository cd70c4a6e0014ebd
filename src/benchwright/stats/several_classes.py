"""Metrics of predicted labels with more than two classes: exact match, recalls, F1, with intervals.

An answer without a class is wrong for every task, and a false positive of none. Alternatives are compared
in docs/design/14-codecorrectness.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, sqrt

from benchwright.records import Metric
from benchwright.stats.intervals import Interval, Table, cluster_tables, jackknife_half_width, mean_interval
from benchwright.stats.metrics import as_metric
from benchwright.stats.two_classes import LabelPredictions, clusters_of, mean_share


def multiclass_metrics(
    tasks: Sequence[LabelPredictions], *, classes: Sequence[str], confidence: float = 0.95
) -> dict[str, Metric]:
    """exact_match, balanced_accuracy, macro_f1 and invalid, each with its interval.

    Balanced accuracy and macro-F1 are means over the classes that tasks have; where all tasks are of one,
    they are left out.

    >>> tasks = [LabelPredictions(gold=name, said=("b",)) for name in "abc"]
    >>> round(multiclass_metrics(tasks, classes="abc")["macro_f1"].value, 3)  # F1 of b is 1/2
    0.167
    """
    _check(tasks, classes)
    samples = min(len(task.said) for task in tasks)

    def mean(values: list[float]) -> Metric:
        return as_metric(mean_share(tasks, values, draws=samples, confidence=confidence), samples)

    found = {"exact_match": mean([task.share(task.gold) for task in tasks])}
    present = [name for name in classes if any(task.gold == name for task in tasks)]
    if len(present) > 1:
        recalls = [_recall(tasks, name, samples, confidence) for name in present]
        scores = [class_f1(tasks, name, confidence=confidence) for name in present]
        tables, size = _tables(tasks, present), len(present)
        found["balanced_accuracy"] = as_metric(
            _mean_of(recalls, tables, len(tasks), lambda table: _mean_recall(table, size), confidence),
            samples,
        )
        found["macro_f1"] = as_metric(
            _mean_of(scores, tables, len(tasks), lambda table: _macro_f1(table, size), confidence), samples
        )
    found["invalid"] = mean([task.share(None) for task in tasks])
    return found


def class_f1(tasks: Sequence[LabelPredictions], name: str, *, confidence: float = 0.95) -> Interval:
    """F1 = 2TP / (2TP + FP + FN) of one class among all tasks; `n` is the number of tasks of the class.

    TP / (TP + FP + FN) is a plain share J, of the tasks that are of the class or predicted to be. So it has
    Wilson's interval, and F1 = 2J / (1 + J) rises with it (the two are Dice's and Jaccard's coefficients).
    """
    concerned = [task for task in tasks if task.gold == name or name in task.said]
    samples = min((len(task.said) for task in concerned), default=1)
    right = [task.share(name) if task.gold == name else 0.0 for task in concerned]
    # A task of the class has weight 1; another one has the share of answers that chose the class.
    weight = fsum(1.0 if task.gold == name else task.share(name) for task in concerned)
    of_class = sum(task.gold == name for task in concerned)
    if not concerned:
        return Interval(value=0.0, low=0.0, high=1.0, n=0)
    share = mean_interval(
        right, samples_per_task=samples, confidence=confidence, clusters=clusters_of(concerned)
    )
    value = fsum(right) / weight
    # With several answers a task the share is a ratio: its limits keep the distance that the mean's have.
    low, high = value + share.low - share.value, value + share.high - share.value
    return Interval(value=_f1(value), low=_f1(max(0.0, low)), high=_f1(min(1.0, high)), n=of_class)


def confusion_counts(
    tasks: Sequence[LabelPredictions], *, classes: Sequence[str]
) -> dict[str, dict[str | None, int]]:
    """Answers by true class, then by predicted class; None: no class."""
    return {
        gold: {
            predicted: sum(task.said.count(predicted) for task in tasks if task.gold == gold)
            for predicted in (*classes, None)
        }
        for gold in classes
    }


def _f1(share: float) -> float:
    return 2 * share / (1 + share)


def _recall(tasks: Sequence[LabelPredictions], name: str, samples: int, confidence: float) -> Interval:
    mine = [task for task in tasks if task.gold == name]
    return mean_share(mine, [task.share(name) for task in mine], draws=samples, confidence=confidence)


def _mean_of(
    parts: Sequence[Interval],
    tables: Sequence[Table],
    tasks: int,
    function: Callable[[Table], float],
    confidence: float,
) -> Interval:
    """The mean of the classes' figures, with the wider of two intervals on either side.

    Zou and Donner's (2008) takes the parts as independent and has a width where all answers are right. The
    jackknife sees that a wrong answer spoils two classes and that a cluster's tasks hang together.
    """
    value = fsum(part.value for part in parts) / len(parts)
    fall = sqrt(fsum((part.value - part.low) ** 2 for part in parts)) / len(parts)
    rise = sqrt(fsum((part.high - part.value) ** 2 for part in parts)) / len(parts)
    half = jackknife_half_width(tables, function, confidence=confidence)
    return Interval(
        value=value, low=max(0.0, value - max(fall, half)), high=min(1.0, value + max(rise, half)), n=tasks
    )


def _tables(tasks: Sequence[LabelPredictions], present: Sequence[str]) -> list[Table]:
    """For each cluster by class: its tasks, the recognised ones, and those wrongly predicted as it."""
    names = clusters_of(tasks) or [str(place) for place in range(len(tasks))]
    return cluster_tables((name, _cells(task, present)) for name, task in zip(names, tasks, strict=True))


def _cells(task: LabelPredictions, present: Sequence[str]) -> Table:
    cells: list[float] = []
    for name in present:
        predicted, mine = task.share(name), task.gold == name
        cells += [float(mine), predicted if mine else 0.0, 0.0 if mine else predicted]
    return tuple(cells)


def _mean_recall(table: Table, size: int) -> float:
    return fsum(table[3 * at + 1] / table[3 * at] for at in range(size)) / size


def _macro_f1(table: Table, size: int) -> float:
    def score(at: int) -> float:
        actual, right, wrongly = table[3 * at : 3 * at + 3]
        return 2 * right / (actual + right + wrongly)

    return fsum(map(score, range(size))) / size


def _check(tasks: Sequence[LabelPredictions], classes: Sequence[str]) -> None:
    if not tasks:
        raise ValueError("no tasks to score")
    for place, task in enumerate(tasks):
        if task.gold not in classes or not task.said or not {*task.said} <= {*classes, None}:
            raise ValueError(f"task {place}: {task.gold!r} and {task.said} are not of {', '.join(classes)}")
