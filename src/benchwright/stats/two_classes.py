"""Metrics of predicted labels with two classes: exact match, balanced accuracy, MCC, macro-F1, invalid.

The task is the unit, as everywhere, and tasks of one cluster are treated together. The methods that were
compared, and the coverage of each interval, are in docs/design/14-codecorrectness.md.

An answer that holds no label is a third kind of prediction, "none", which no task has. So it is wrong for
every task, and the table has two rows (the truth) and three columns (the answer).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from benchwright.records import Metric, Record
from benchwright.stats.intervals import Interval, Table, cluster_tables, jackknife_half_width, mean_interval
from benchwright.stats.metrics import as_metric


class Confusion(NamedTuple):
    """Counts or shares, by truth and prediction: `first_as_second` are tasks of the first class predicted
    as the second.
    """

    first_as_first: float
    first_as_second: float
    first_as_none: float
    second_as_first: float
    second_as_second: float
    second_as_none: float

    @property
    def first(self) -> float:
        """All of the first class."""
        return self.first_as_first + self.first_as_second + self.first_as_none

    @property
    def second(self) -> float:
        """All of the second class."""
        return self.second_as_first + self.second_as_second + self.second_as_none


def balanced_accuracy(table: Confusion) -> float:
    """The mean over the two classes of the share that was recognised (Brodersen et al. 2010, section 2).

    A constant answer gets 1/2, whatever the classes' shares.

    >>> balanced_accuracy(Confusion(90, 0, 0, 10, 0, 0))
    0.5
    """
    return (table.first_as_first / table.first + table.second_as_second / table.second) / 2


def macro_f1(table: Confusion) -> float:
    """The mean over the two classes of F1 = 2TP / (2TP + FP + FN) (van Rijsbergen 1979, chapter 7).

    "None" is a false negative of the true class and a false positive of neither. A class that is never
    recognised has F1 = 0.

    >>> round(macro_f1(Confusion(90, 0, 0, 10, 0, 0)), 3)
    0.474
    """
    first = _f1(table.first_as_first, wrongly=table.second_as_first, actual=table.first)
    second = _f1(table.second_as_second, wrongly=table.first_as_second, actual=table.second)
    return (first + second) / 2


def _f1(right: float, *, wrongly: float, actual: float) -> float:
    """TP + FN is all of the class, so 2TP + FP + FN is TP + FP + the class."""
    return 2 * right / (right + wrongly + actual) if right > 0 else 0.0


def matthews(table: Confusion) -> float:
    """Matthews' correlation of truth and prediction (Matthews 1975), with "none" as a class of prediction.

    With s tasks, c right ones, t_k tasks of class k and p_k predictions of it, it is Gorodkin's R_K (2004),

        (c s - Σ p_k t_k) / sqrt((s² - Σ p_k²) (s² - Σ t_k²))

    which without any "none" is the classical (TP TN - FP FN) / sqrt(…). 0 where one label is
    always predicted, since then the formula has no value and the predictions tell nothing.

    >>> matthews(Confusion(6, 2, 0, 1, 3, 0)) == (6 * 3 - 2 * 1) / (7 * 8 * 5 * 4) ** 0.5
    True
    """
    size = table.first + table.second
    predicted_first = table.first_as_first + table.second_as_first
    predicted_second = table.first_as_second + table.second_as_second
    predicted_none = table.first_as_none + table.second_as_none
    right = table.first_as_first + table.second_as_second
    spread_predicted = size**2 - predicted_first**2 - predicted_second**2 - predicted_none**2
    spread_true = size**2 - table.first**2 - table.second**2
    if min(spread_predicted, spread_true) <= 1e-12 * size**2:
        return 0.0
    shared = right * size - predicted_first * table.first - predicted_second * table.second
    return shared / sqrt(spread_predicted * spread_true)


class LabelPredictions(Record, frozen=True, kw_only=True):
    """A task's true label and the predicted labels of its answers, at least one; None: no label.

    Tasks of one `cluster`, such as versions of one test, are treated together; a task without a cluster is
    its own.
    """

    gold: str
    said: tuple[str | None, ...]
    cluster: str = ""

    def share(self, label: str | None) -> float:
        """The share of its answers with this label."""
        return self.said.count(label) / len(self.said)


def clusters_of(tasks: Sequence[LabelPredictions]) -> list[str] | None:
    """The cluster of each task; None if all tasks are independent."""
    names = [task.cluster or f"\0{place}" for place, task in enumerate(tasks)]
    return names if len(set(names)) < len(names) else None


def mean_share(
    tasks: Sequence[LabelPredictions], values: Sequence[float], *, draws: int, confidence: float = 0.95
) -> Interval:
    """The mean over tasks of a value, with its interval over clusters."""
    return mean_interval(values, samples_per_task=draws, confidence=confidence, clusters=clusters_of(tasks))


class ConfusionModel(NamedTuple):
    """The five shares that define a confusion table, each with its interval: see `_parameters`."""

    prevalence: Interval  # of the first class
    first_right: Interval
    second_right: Interval
    first_none: Interval  # share of "none" among the first class's wrong answers
    second_none: Interval

    def table(self, values: Sequence[float]) -> Confusion:
        """The table of shares given by five such values."""
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
    tasks: Sequence[LabelPredictions], *, labels: tuple[str, str], confidence: float = 0.95
) -> dict[str, Metric]:
    """exact_match, balanced_accuracy, mcc, macro_f1 and invalid, each with its interval.

    An answer without a label is wrong everywhere. Balanced accuracy, MCC and macro-F1 compare two classes;
    where no task is of one of them they have no value and are left out.

    >>> tasks = [
    ...     LabelPredictions(gold="success", said=("success",)),
    ...     LabelPredictions(gold="failed", said=(None,)),
    ... ]
    >>> round(class_metrics(tasks, labels=("success", "failed"))["balanced_accuracy"].value, 3)
    0.5
    """
    _check(tasks, labels)
    samples = min(len(task.said) for task in tasks)

    def mean(values: list[float]) -> Metric:
        return as_metric(mean_share(tasks, values, draws=samples, confidence=confidence), samples)

    metrics = {"exact_match": mean([task.share(task.gold) for task in tasks])}
    if {task.gold for task in tasks} == set(labels):
        model = _parameters(tasks, labels, samples, confidence)
        tables = _by_cluster(tasks, labels)
        for name, function in _OF_TABLES.items():
            found = _widened(squared_interval(model, function), tables, function, confidence)
            metrics[name] = as_metric(found, samples)
    metrics["invalid"] = mean([task.share(None) for task in tasks])
    return metrics


def _by_cluster(tasks: Sequence[LabelPredictions], labels: tuple[str, str]) -> list[Table]:
    """A table of shares for each cluster; empty if all tasks are independent."""
    names = clusters_of(tasks)
    if names is None:
        return []
    columns: tuple[str | None, ...] = (*labels, None)
    cells = (
        tuple(task.share(predicted) * (task.gold == gold) for gold in labels for predicted in columns)
        for task in tasks
    )
    return cluster_tables(zip(names, cells, strict=True))


def _widened(
    found: Interval, tables: Sequence[Table], function: Callable[[Confusion], float], confidence: float
) -> Interval:
    """The interval, at least as wide as the jackknife over clusters.

    Versions of one test have different labels, so the shares of both classes, which `squared_interval`
    assumes independent, may rise and fall together.
    """
    if not tables:
        return found
    half = jackknife_half_width(tables, lambda table: function(Confusion(*table)), confidence=confidence)
    lowest = -1.0 if function is matthews else 0.0
    return Interval(
        value=found.value,
        low=min(found.low, max(lowest, found.value - half)),
        high=max(found.high, min(1.0, found.value + half)),
        n=found.n,
    )


_OF_TABLES: Mapping[str, Callable[[Confusion], float]] = {
    "balanced_accuracy": balanced_accuracy,
    "mcc": matthews,
    "macro_f1": macro_f1,
}


def confusion(tasks: Sequence[LabelPredictions], *, labels: tuple[str, str]) -> Confusion:
    """The counts of answers by true and predicted label."""
    first, second = labels
    cells = [
        sum(task.said.count(predicted) for task in tasks if task.gold == gold)
        for gold in (first, second)
        for predicted in (first, second, None)
    ]
    return Confusion(*map(float, cells))


def majority(tasks: Sequence[LabelPredictions], *, confidence: float = 0.95) -> tuple[str, Metric]:
    """The most common true label, first by name among equals, and the exact match of always predicting it."""
    golds = [task.gold for task in tasks]
    label = min(set(golds), key=lambda name: (-golds.count(name), name))
    values = [float(gold == label) for gold in golds]
    return label, as_metric(mean_share(tasks, values, draws=1, confidence=confidence), 1)


def squared_interval(model: ConfusionModel, function: Callable[[Confusion], float]) -> Interval:
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
    tasks: Sequence[LabelPredictions], labels: tuple[str, str], samples: int, confidence: float
) -> ConfusionModel:
    """Prevalence, recall of each class, and the share of "none" among wrong answers.

    Given the tasks these are independent binomial shares, so each can be varied alone. The last two are
    shares of wrong answers only: as shares of all answers they would depend on recall.
    """
    first, second = ([task for task in tasks if task.gold == label] for label in labels)

    def right(of_class: Sequence[LabelPredictions], label: str) -> Interval:
        shares = [task.share(label) for task in of_class]
        return mean_share(of_class, shares, draws=samples, confidence=confidence)

    is_first = [float(task.gold == labels[0]) for task in tasks]
    return ConfusionModel(
        prevalence=mean_share(tasks, is_first, draws=1, confidence=confidence),
        first_right=right(first, labels[0]),
        second_right=right(second, labels[1]),
        first_none=_none_of_wrong(first, confidence),
        second_none=_none_of_wrong(second, confidence),
    )


def _none_of_wrong(tasks: Sequence[LabelPredictions], confidence: float) -> Interval:
    """The share of "none" among wrong answers; each task with one counts as one draw."""
    wrong = [1 - task.share(task.gold) for task in tasks]
    count = sum(share > 0 for share in wrong)
    if not count:
        return Interval(value=0.0, low=0.0, high=0.0, n=0)
    ratio = fsum(task.share(None) for task in tasks) / fsum(wrong)
    return mean_interval([min(1.0, ratio)] * count, samples_per_task=1, confidence=confidence)


def _check(tasks: Sequence[LabelPredictions], labels: tuple[str, str]) -> None:
    if not tasks:
        raise ValueError("no tasks to score")
    for place, task in enumerate(tasks):
        if task.gold not in labels:
            raise ValueError(f"task {place} has the class {task.gold!r}; the classes are {labels}")
        if not task.said or any(predicted is not None and predicted not in labels for predicted in task.said):
            raise ValueError(f"task {place}: answers must be one of {labels} or None, not {task.said}")


def grouped(
    tasks: Sequence[LabelPredictions], names: Sequence[Sequence[str]]
) -> Iterator[tuple[str, list[LabelPredictions]]]:
    """The tasks of each group, by name; `names` has the groups of each task."""
    groups: dict[str, list[LabelPredictions]] = {}
    for task, of_task in zip(tasks, names, strict=True):
        for name in dict.fromkeys(of_task):
            groups.setdefault(name, []).append(task)
    yield from sorted(groups.items())
