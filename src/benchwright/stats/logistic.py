"""Logistic regression with cross-validation, from the standard library, for dense and sparse features.

Nothing is random, so the same table gives the same predictions everywhere.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Sequence
from heapq import nsmallest
from math import exp, fsum, log1p, sqrt
from operator import mul

from benchwright.records import Record

RIDGE = 1.0  # penalty on a standardised coefficient, in units of one row
ROUNDS = 30
HALVINGS = 12
_FAR = 35.0  # beyond it a probability is 0 or 1 in double precision

Column = list[float]


class Logistic(Record, frozen=True, kw_only=True):
    """A fitted model: mean, deviation and weight of each column, and the intercept."""

    means: list[float]
    deviations: list[float]
    weights: list[float]
    intercept: float

    def probability(self, row: Sequence[float]) -> float:
        """The probability that a row belongs to the class fitted as True."""
        terms = (
            weight * (value - mean) / deviation
            for weight, value, mean, deviation in zip(
                self.weights, row, self.means, self.deviations, strict=True
            )
        )
        return _sigmoid(self.intercept + fsum(terms))


def fit(rows: Sequence[Sequence[float]], truth: Sequence[bool], *, ridge: float = RIDGE) -> Logistic:
    """The ridge-penalised maximum of the likelihood, by Newton's method with halved steps.

    log L(w) - ridge/2 |w|², the intercept unpenalised (le Cessie and van Houwelingen 1992). The penalty
    makes the maximum unique and finite also where the classes can be separated.
    """
    if not rows or len(rows) != len(truth):
        raise ValueError("a fit needs at least one row, and a class for each")
    columns = [list(column) for column in zip(*rows, strict=True)]
    means = [fsum(column) / len(rows) for column in columns]
    deviations = [_deviation(column, mean) for column, mean in zip(columns, means, strict=True)]
    scaled = [
        [(value - mean) / deviation for value in column]
        for column, mean, deviation in zip(columns, means, deviations, strict=True)
    ]
    weights = _maximise([*scaled, [1.0] * len(rows)], [float(each) for each in truth], ridge)
    return Logistic(means=means, deviations=deviations, weights=weights[:-1], intercept=weights[-1])


def cross_validated(
    rows: Sequence[Sequence[float]],
    truth: Sequence[bool],
    *,
    folds: int = 5,
    groups: Sequence[str] | None = None,
) -> list[float]:
    """For each row, the probability by a model fitted on the other folds.

    Rows of one group, such as a repository, are in one fold: else the model would know related rows.
    """
    places = assign_folds(truth, folds=folds, groups=groups)
    result = [0.0] * len(rows)
    for fold in range(folds):
        known = [at for at, place in enumerate(places) if place != fold]
        model = fit([rows[at] for at in known], [truth[at] for at in known])
        for at, place in enumerate(places):
            if place == fold:
                result[at] = model.probability(rows[at])
    return result


def assign_folds(truth: Sequence[bool], *, folds: int, groups: Sequence[str] | None = None) -> list[int]:
    """The fold of each row: by class in turn, or by group, the largest first, into the emptiest fold.

    Rows within a class, and groups of equal size, are ordered by a hash, because data sets are often
    sorted.
    """
    names = [str(at) for at in range(len(truth))] if groups is None else list(groups)
    members: dict[tuple[bool, str], list[int]] = {}
    for at, name in enumerate(names):
        members.setdefault((truth[at] if groups is None else False, name), []).append(at)
    if len(members) < folds:
        # Cards and manifests of data sets contain this text.
        raise ValueError(f"{len(members)} groups cannot be put into {folds} folds")
    result, filled = [0] * len(truth), [0] * folds
    for key in sorted(members, key=lambda key: (key[0], -len(members[key]), _scrambled(key[1]))):
        fold = min(range(folds), key=lambda each: (filled[each], each))
        filled[fold] += len(members[key])
        for at in members[key]:
            result[at] = fold
    return result


def _scrambled(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def _deviation(column: Column, mean: float) -> float:
    """The standard deviation; 1 for a constant column, whose scaled values are then 0."""
    spread = sqrt(fsum((value - mean) ** 2 for value in column) / len(column))
    return spread if spread > 1e-12 * (1 + abs(mean)) else 1.0


def _maximise(columns: list[Column], truth: Column, ridge: float) -> list[float]:
    penalties = [ridge] * (len(columns) - 1) + [1e-9]
    weights = [0.0] * len(columns)
    height = _penalised_likelihood(columns, truth, weights, penalties)
    for _ in range(ROUNDS):
        step = _newton(columns, truth, weights, penalties)
        size = 1.0
        for _ in range(HALVINGS):
            tried = [weight + size * change for weight, change in zip(weights, step, strict=True)]
            reached = _penalised_likelihood(columns, truth, tried, penalties)
            if reached > height:
                break
            size /= 2
        if reached - height <= 1e-9 * (1 + abs(height)):
            break
        weights, height = tried, reached
    return weights


def _linear(columns: list[Column], weights: list[float]) -> Column:
    total = [0.0] * len(columns[0])
    for column, weight in zip(columns, weights, strict=True):
        total = [old + weight * value for old, value in zip(total, column, strict=True)]
    return total


def _penalised_likelihood(
    columns: list[Column], truth: Column, weights: list[float], penalties: list[float]
) -> float:
    """The penalised log-likelihood: Σ y z - log(1 + e^z), less half the penalty."""
    linear = _linear(columns, weights)
    gain = fsum(y * z - max(z, 0.0) - log1p(exp(-abs(z))) for y, z in zip(truth, linear, strict=True))
    return gain - 0.5 * fsum(penalty * w * w for penalty, w in zip(penalties, weights, strict=True))


def _newton(
    columns: list[Column], truth: Column, weights: list[float], penalties: list[float]
) -> list[float]:
    """The step (X'WX + ridge)⁻¹ (X'(y - p) - ridge w). Column by column: `map` runs at the speed of C."""
    chances = [_sigmoid(z) for z in _linear(columns, weights)]
    rest = [y - p for y, p in zip(truth, chances, strict=True)]
    spread = [p * (1 - p) for p in chances]
    gradient = [
        sum(map(mul, column, rest)) - penalty * weight
        for column, penalty, weight in zip(columns, penalties, weights, strict=True)
    ]
    weighted = [list(map(mul, column, spread)) for column in columns]
    matrix = [[sum(map(mul, left, right)) for right in columns] for left in weighted]
    for place, penalty in enumerate(penalties):
        matrix[place][place] += penalty + 1e-9
    return solve(matrix, gradient)


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination with pivots.

    >>> solve([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])
    [1.0, 2.0]
    """
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(size):
        best = max(range(place, size), key=lambda at: abs(rows[at][place]))
        rows[place], rows[best] = rows[best], rows[place]
        pivot = rows[place]
        for row in rows[place + 1 :]:
            factor = row[place] / pivot[place]
            row[place:] = [a - factor * b for a, b in zip(row[place:], pivot[place:], strict=True)]
    result = [0.0] * size
    for place in reversed(range(size)):
        known = fsum(rows[place][at] * result[at] for at in range(place + 1, size))
        result[place] = (rows[place][size] - known) / rows[place][place]
    return result


def _sigmoid(z: float) -> float:
    if z >= 0:
        return 1 / (1 + exp(-min(z, _FAR)))
    small = exp(max(z, -_FAR))
    return small / (1 + small)


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
    predictions = [False] * len(rows)
    for fold in sorted(set(folds)):
        known = [at for at in range(len(rows)) if folds[at] != fold]
        chosen = _selected_features(counts, fold, [truth[at] for at in known])
        vectors = {at: [chosen[n] for n in rows[at] if n in chosen] for at in range(len(rows))}
        weights = _fit_weights([vectors[at] for at in known], [truth[at] for at in known], size=len(chosen))
        for at in range(len(rows)):
            if folds[at] == fold:
                predictions[at] = _linear_score(weights, vectors[at]) >= 0
    return predictions


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


def _selected_features(
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


def _fit_weights(rows: Sequence[Present], truth: Sequence[bool], *, size: int) -> array[float]:
    """Weights with the intercept last, by stochastic dual coordinate ascent in a fixed order
    (Shalev-Shwartz and Zhang 2013, section 6.2)."""
    weights = array("d", bytes(8 * (size + 1)))
    shares = [0.0] * len(rows)
    order = sorted(range(len(rows)), key=lambda at: (at * 2654435761) % 4294967296)  # labels well mixed
    for _ in range(EPOCHS):
        for at in order:
            row, sign = rows[at], 1.0 if truth[at] else -1.0
            pull = 1 / (1 + exp(max(-35.0, min(35.0, sign * _linear_score(weights, row)))))
            step = (pull - shares[at]) / max(1.0, 0.25 + 2 * STRENGTH)
            shares[at] += step
            change = STRENGTH * step * sign
            each = change / sqrt(len(row)) if row else 0.0
            for place in row:
                weights[place] += each
            weights[-1] += change
    return weights


def _linear_score(weights: array[float], row: Present) -> float:
    """The linear score: all features of a row together weigh as much as the intercept."""
    total = sum([weights[place] for place in row])
    return weights[-1] + (total / sqrt(len(row)) if row else 0.0)
