"""Logistic regression on the presence of very many features, such as character n-grams of a text.

Implemented with the standard library, like `logistic.py`, and deterministic. A row is the list of its
features' numbers; its weight is shared among them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from math import exp, sqrt

Present = Sequence[int]  # the numbers of a row's features, each once
KEPT = 3000  # features a model is fitted on: those that differ most between the classes
LEAST = 3  # groups, such as repositories, in which a feature must occur to be one
EPOCHS = 8
STRENGTH = 10.0  # of a row against the penalty: C, as liblinear calls it


def cross_validated_presence(
    rows: Sequence[Present], truth: Sequence[bool], folds: Sequence[int], groups: Sequence[str]
) -> list[bool]:
    """For each row, the prediction of a model fitted on the other folds.

    Features are selected for each fold, from the rows that its model may see.
    """
    rows = _renumbered(rows, _common(rows, groups))
    size = 1 + max((row[-1] for row in rows if row), default=0)
    counts = {
        (fold, label): _count(
            [row for at, row in enumerate(rows) if (folds[at], truth[at]) == (fold, label)], size
        )
        for fold in sorted(set(folds))
        for label in (True, False)
    }
    said = [False] * len(rows)
    for fold in sorted(set(folds)):
        known = [at for at in range(len(rows)) if folds[at] != fold]
        chosen = _chosen(counts, fold, [truth[at] for at in known])
        vectors = {at: [chosen[n] for n in rows[at] if n in chosen] for at in range(len(rows))}
        weights = _fitted([vectors[at] for at in known], [truth[at] for at in known], size=len(chosen))
        for at in range(len(rows)):
            if folds[at] == fold:
                said[at] = _score(weights, vectors[at]) >= 0
    return said


def _common(rows: Sequence[Present], groups: Sequence[str]) -> dict[int, int]:
    """Features that occur in several groups, by position from 0: others say nothing about new groups."""
    of_group: dict[str, set[int]] = {}
    for row, name in zip(rows, groups, strict=True):
        of_group.setdefault(name, set()).update(row)
    times: Counter[int] = Counter()
    for mine in of_group.values():
        times.update(mine)
    least = min(LEAST, max(1, len(of_group) // 2))
    common = sorted(number for number, count in times.items() if count >= least)
    return {number: place for place, number in enumerate(common)}


def _renumbered(rows: Sequence[Present], places: dict[int, int]) -> list[array[int]]:
    return [array("I", sorted(places[number] for number in row if number in places)) for row in rows]


def _count(rows: Sequence[Present], size: int) -> array[int]:
    """The number of rows with each feature, in an array: a dict of a million numbers takes 100 MB."""
    times: Counter[int] = Counter()
    for row in rows:
        times.update(row)
    found = array("I", bytes(4 * size))
    for place, count in times.items():
        found[place] = count
    return found


def _chosen(
    counts: dict[tuple[int, bool], array[int]], left_out: int, truth: Sequence[bool]
) -> dict[int, int]:
    """The features that differ most between the classes outside a fold, by z score, as positions from 0."""
    first, second = max(1, sum(truth)), max(1, len(truth) - sum(truth))
    scored = []
    yes, no = (
        [each for (fold, label), each in counts.items() if fold != left_out and label is wanted]
        for wanted in (True, False)
    )
    for number, (a, b) in enumerate(
        zip(map(sum, zip(*yes, strict=True)), map(sum, zip(*no, strict=True)), strict=True)
    ):
        share = (a + b) / (first + second)
        spread = share * (1 - share) * (1 / first + 1 / second)
        if spread > 0:
            scored.append((-abs(a / first - b / second) / sqrt(spread), number))
    return {number: place for place, (_, number) in enumerate(nsmallest(KEPT, scored))}


def _fitted(rows: Sequence[Present], truth: Sequence[bool], *, size: int) -> array[float]:
    """Weights with the intercept last, by stochastic dual coordinate ascent in a fixed order
    (Shalev-Shwartz and Zhang 2013, section 6.2)."""
    weights = array("d", bytes(8 * (size + 1)))
    shares = [0.0] * len(rows)
    order = sorted(range(len(rows)), key=lambda at: (at * 2654435761) % 4294967296)  # labels well mixed
    for _ in range(EPOCHS):
        for at in order:
            row, sign = rows[at], 1.0 if truth[at] else -1.0
            pull = 1 / (1 + exp(max(-35.0, min(35.0, sign * _score(weights, row)))))
            step = (pull - shares[at]) / max(1.0, 0.25 + 2 * STRENGTH)
            shares[at] += step
            change = STRENGTH * step * sign
            each = change / sqrt(len(row)) if row else 0.0
            for place in row:
                weights[place] += each
            weights[-1] += change
    return weights


def _score(weights: array[float], row: Present) -> float:
    """The linear score: all features of a row together weigh as much as the intercept."""
    total = sum([weights[place] for place in row])
    return weights[-1] + (total / sqrt(len(row)) if row else 0.0)
