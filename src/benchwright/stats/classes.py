"""Metrics of predicted labels with their intervals: exact match, balanced accuracy, MCC, macro-F1, invalid.

The task is the unit, as everywhere. What was compared, and how often each interval holds the truth, is in
docs/design/14-codecorrectness.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from benchwright.records import Metric, Record
from benchwright.stats.confusion import Confusion, balanced_accuracy, macro_f1, matthews
from benchwright.stats.intervals import Interval, mean_interval
from benchwright.stats.score import as_metric, mean_metric


class Predicted(Record, frozen=True, kw_only=True):
    """A task's true label, and what the answers to it said, at least one; None where one holds no label."""

    gold: str
    said: tuple[str | None, ...]


class Model(NamedTuple):
    """The five shares that make up a confusion table, each with its interval: see `_parameters`."""

    prevalence: Interval  # of the first class
    first_right: Interval
    second_right: Interval
    first_none: Interval  # share of "none" among the first class's wrong answers
    second_none: Interval

    def table(self, values: Sequence[float]) -> Confusion:
        """The table of shares that five such values give."""
        prevalence, right, other_right, none, other_none = values
        first, second = prevalence, 1 - prevalence
        wrong, other_wrong = 1 - right, 1 - other_right
        return Confusion(
            first * right,
            first * wrong * (1 - none),
            first * wrong * none,
            second * other_wrong * (1 - other_none),
            second * other_right,
            second * other_wrong * other_none,
        )


def class_metrics(
    tasks: Sequence[Predicted], *, labels: tuple[str, str], confidence: float = 0.95
) -> dict[str, Metric]:
    """exact_match, balanced_accuracy, mcc, macro_f1 and invalid, each with its interval.

    An answer without a label is wrong everywhere. Balanced accuracy, MCC and macro-F1 compare two classes;
    where no task is of one of them they have no value and are left out.

    >>> tasks = [Predicted(gold="success", said=("success",)), Predicted(gold="failed", said=(None,))]
    >>> round(class_metrics(tasks, labels=("success", "failed"))["balanced_accuracy"].value, 3)
    0.5
    """
    _check(tasks, labels)
    samples = min(len(task.said) for task in tasks)

    def mean(values: list[float]) -> Metric:
        return mean_metric(values, draws=samples, samples=samples, confidence=confidence)

    metrics = {"exact_match": mean([_share(task, task.gold) for task in tasks])}
    if {task.gold for task in tasks} == set(labels):
        model = _parameters(tasks, labels, samples, confidence)
        for name, function in _OF_TABLES.items():
            metrics[name] = as_metric(square_and_add(model, function), samples)
    metrics["invalid"] = mean([_share(task, None) for task in tasks])
    return metrics


_OF_TABLES: Mapping[str, Callable[[Confusion], float]] = {
    "balanced_accuracy": balanced_accuracy,
    "mcc": matthews,
    "macro_f1": macro_f1,
}


def confusion(tasks: Sequence[Predicted], *, labels: tuple[str, str]) -> Confusion:
    """The counts of answers by true label and what was said."""
    first, second = labels
    cells = [
        sum(task.said.count(said) for task in tasks if task.gold == gold)
        for gold in (first, second)
        for said in (first, second, None)
    ]
    return Confusion(*map(float, cells))


def majority(tasks: Sequence[Predicted], *, confidence: float = 0.95) -> tuple[str, Metric]:
    """The commonest true label and the exact match of always saying it; of equals, the first by name."""
    golds = [task.gold for task in tasks]
    label = min(set(golds), key=lambda name: (-golds.count(name), name))
    values = [float(gold == label) for gold in golds]
    return label, mean_metric(values, draws=1, samples=1, confidence=confidence)


def square_and_add(model: Model, function: Callable[[Confusion], float]) -> Interval:
    """An interval for a function of independent shares, from the interval of each share.

    Each share in turn is moved to its limits, the others left; the falls of the function's value, squared,
    added and rooted, are the distance to the lower limit, the rises to the upper one. For a difference of
    two shares this is Newcombe's method 10 (1998), for any sum Zou and Donner's MOVER (2008). It needs no
    random numbers and has a width where every answer is right.
    """
    values = [share.value for share in model]
    centre = function(model.table(values))
    falls, rises = [], []
    for place, share in enumerate(model):
        moved = [
            function(model.table([*values[:place], limit, *values[place + 1 :]])) - centre
            for limit in (share.low, share.high)
        ]
        falls.append(min(0.0, *moved) ** 2)
        rises.append(max(0.0, *moved) ** 2)
    lowest = -1.0 if function is matthews else 0.0
    return Interval(
        value=centre,
        low=max(lowest, centre - sqrt(fsum(falls))),
        high=min(1.0, centre + sqrt(fsum(rises))),
        n=model.prevalence.n,
    )


def _parameters(
    tasks: Sequence[Predicted], labels: tuple[str, str], samples: int, confidence: float
) -> Model:
    """Prevalence, the share recognised of each class, and the share of "none" in what was not.

    Given the tasks these are independent binomial shares, so each may be moved alone. The last two are of
    the wrong answers only: of all answers they would hang together with the share that is right.
    """
    first, second = ([task for task in tasks if task.gold == label] for label in labels)

    def mean(values: list[float], draws: int) -> Interval:
        return mean_interval(values, samples_per_task=draws, confidence=confidence)

    return Model(
        prevalence=mean([float(task.gold == labels[0]) for task in tasks], 1),
        first_right=mean([_share(task, labels[0]) for task in first], samples),
        second_right=mean([_share(task, labels[1]) for task in second], samples),
        first_none=_none_of_wrong(first, confidence),
        second_none=_none_of_wrong(second, confidence),
    )


def _none_of_wrong(tasks: Sequence[Predicted], confidence: float) -> Interval:
    """The share of "none" in the wrong answers, each task with one counting as one draw."""
    wrong = [1 - _share(task, task.gold) for task in tasks]
    count = sum(share > 0 for share in wrong)
    if not count:
        return Interval(value=0.0, low=0.0, high=0.0, n=0)
    ratio = fsum(_share(task, None) for task in tasks) / fsum(wrong)
    return mean_interval([min(1.0, ratio)] * count, samples_per_task=1, confidence=confidence)


def _share(task: Predicted, label: str | None) -> float:
    return task.said.count(label) / len(task.said)


def _check(tasks: Sequence[Predicted], labels: tuple[str, str]) -> None:
    if not tasks:
        raise ValueError("there are no tasks to score")
    for place, task in enumerate(tasks):
        if task.gold not in labels:
            raise ValueError(f"task {place} is of the class {task.gold!r}, and the classes are {labels}")
        if not task.said or any(said is not None and said not in labels for said in task.said):
            raise ValueError(f"task {place} needs answers that are one of {labels} or None, not {task.said}")


def grouped(
    tasks: Sequence[Predicted], names: Sequence[Sequence[str]]
) -> Iterator[tuple[str, list[Predicted]]]:
    """The tasks of each group, by name; `names` holds for each task the groups that it belongs to."""
    groups: dict[str, list[Predicted]] = {}
    for task, of_task in zip(tasks, names, strict=True):
        for name in dict.fromkeys(of_task):
            groups.setdefault(name, []).append(task)
    yield from sorted(groups.items())
