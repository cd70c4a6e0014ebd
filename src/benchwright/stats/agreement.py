"""Agreement between judges beyond chance: five coefficients, each with an interval over items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

from benchwright.records import Record
from benchwright.stats.intervals import t_quantile, wilson
from benchwright.stats.optional_imports import numpy

Label = int | float | str
Table = Sequence[Sequence[Label | None]]

MOST_LABELS = 100  # more labels are not a scale, and their table of pairs needs much memory


class RatingTable:
    """Judgements as counts. `labels` is the scale in its order: the labels given, or the possible ones.

    `counts` has a row for each judged item and a column for each label. Raises ValueError for rows of
    different lengths, a label outside the scale, or labels without an order.
    """

    def __init__(self, np: Any, table: Table, scale: Sequence[Label] | None = None) -> None:
        widths = {len(row) for row in table}
        if len(widths) > 1:
            raise ValueError(f"rows have {min(widths)} to {max(widths)} judges: use None for gaps")
        self.judges = widths.pop() if widths else 0
        self.rows = [row for row in table if row.count(None) < len(row)]
        self.labels = _labels(self.rows, scale)
        self.place = {label: place for place, label in enumerate(self.labels)}
        shape = (len(self.rows), len(self.labels))
        cells = [
            at * shape[1] + self.place[value]
            for at, row in enumerate(self.rows)
            for value in row
            if value is not None
        ]
        flat = np.bincount(np.array(cells, dtype=np.int64), minlength=shape[0] * shape[1])
        self.counts = flat.astype(float).reshape(shape)
        self.sizes = self.counts.sum(axis=1)

    @property
    def judgements(self) -> int:
        """The number of judgements, without gaps."""
        return int(self.sizes.sum())

    @property
    def shared(self) -> int:
        """The number of items with at least two judgements."""
        return int((self.sizes >= 2).sum())


def _labels(rows: Table, scale: Sequence[Label] | None) -> list[Label]:
    given = {value for row in rows for value in row if value is not None}
    if len(given) > MOST_LABELS:
        raise ValueError(f"too many labels: {len(given)}, at most {MOST_LABELS}")
    if scale is not None:
        if outside := given.difference(scale):
            raise ValueError(f"{min(map(repr, outside))} is not on the scale {list(scale)}")
        return list(scale)
    if any(isinstance(value, str) for value in given) and not all(isinstance(v, str) for v in given):
        raise ValueError("labels are both numbers and texts: give the scale")
    return sorted(given)


SEED, DRAWS = 20_261_122, 2000
_BLOCK = 256  # draws at a time
_MAX_LOST = 0.05  # of the resamples may be without a figure; beyond that there is no interval

MeasurementLevel = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]


class Agreement(Record, frozen=True, kw_only=True):
    """One coefficient: 1 is perfect agreement, 0 is chance. `why`: the reason if there is no value."""

    name: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    items: int = 0  # that at least two judges have judged
    judgements: int = 0  # of all items that anybody judged
    why: str = ""


class _Coefficient(NamedTuple):
    """`rows` computes the numbers of each item; `disagreement` the observed and expected one from their
    means.
    """

    name: str
    rows: Callable[[Any, RatingTable], Any]
    disagreement: Callable[[Any, RatingTable, Any, int], tuple[Any, Any]]
    refusal: Callable[[RatingTable], str] = lambda rated: ""


def krippendorff_alpha(
    table: Table, level: MeasurementLevel = "nominal", *, scale: Sequence[Label] | None = None, **how: Any
) -> Agreement:
    """Krippendorff's alpha (2019, chapter 12): any number of judges, gaps allowed, from two judgements on.

    "ordinal" weighs two labels by how many judgements lie between them, "interval" by the square of their
    difference, for which labels have to be numbers. Raises ValueError for labels that are none.

    >>> krippendorff_alpha([(1, 1), (2, 2), (1, 2), (1, None)]).value
    0.4444444444444444
    """
    return _coefficient(_alpha(level), table, scale, **how)


def cohen_kappa(
    table: Table, weights: Weights = "none", *, scale: Sequence[Label] | None = None, **how: Any
) -> Agreement:
    """Cohen's kappa (1960) of two judges, or weighted (1968) by the places of labels on the scale.

    Raises ValueError for more or fewer than two columns.

    >>> cohen_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("a", "a")]).value
    0.5
    """
    if any(len(row) != 2 for row in table):
        raise ValueError("Cohen's kappa needs two judges: use Krippendorff's alpha for more")
    return _coefficient(_cohen(weights), table, scale, **how)


def fleiss_kappa(table: Table, *, scale: Sequence[Label] | None = None, **how: Any) -> Agreement:
    """Fleiss' kappa (1971): equally many judgements of each item, no matter whose.

    >>> fleiss_kappa([("a", "a", "b"), ("b", "b", "b")]).value
    0.25
    """
    return _coefficient(_FLEISS, table, scale, **how)


def gwet_ac1(table: Table, *, scale: Sequence[Label] | None = None, **how: Any) -> Agreement:
    """Gwet's AC1 (2008): stays near the share of agreement if nearly all judgements have one label.

    Chance depends on the number of possible labels: give the `scale` if one of them does not occur.
    """
    return _coefficient(_AC1, table, scale, **how)


def percent_agreement(table: Table, *, scale: Sequence[Label] | None = None, **how: Any) -> Agreement:
    """The share of equal pairs of judgements on an item, averaged over items; not corrected for chance."""
    return _coefficient(_PERCENT, table, scale, **how)


def _coefficient(
    coefficient: _Coefficient,
    table: Table,
    scale: Sequence[Label] | None,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    confidence: float = 0.95,
) -> Agreement:
    """The coefficient with its interval; a resample has as many items as the data, with replacement."""
    np = numpy("agreement of judges")
    rated = RatingTable(np, table, scale)
    known: dict[str, Any] = {"name": coefficient.name, "items": rated.shared, "judgements": rated.judgements}
    if why := _too_little(rated) or coefficient.refusal(rated):
        return Agreement(**known, why=why)
    rows = coefficient.rows(np, rated)
    at = coefficient.disagreement(np, rated, rows.mean(axis=0)[None, :], len(rows))
    observed, expected = (float(each[0]) for each in at)
    if expected <= 0:
        label = rated.labels[int(rated.counts.sum(axis=0).argmax())]
        return Agreement(**known, why=f"all judgements are {label!r}: chance agreement is undefined")
    value = 1 - observed / expected
    blocks = _resampled(np, rows, draws, seed) if draws else ()
    drawn = [_values(np, coefficient.disagreement(np, rated, means, len(rows))) for means in blocks]
    low, high, why = _limits(np, drawn, rated.shared, confidence)
    if low is not None and observed == 0:
        low = min(low, 1 - (1 - wilson(rated.shared, rated.shared, confidence=confidence).low) / expected)
    return Agreement(**known, value=value, low=low, high=high, why=why)


def _too_little(rated: RatingTable) -> str:
    if not rated.rows:
        return "no judgements"
    if rated.judges < 2:
        return "only one judge"
    return "" if rated.shared else "no item has two judges"


def _resampled(np: Any, rows: Any, draws: int, seed: int) -> Iterator[Any]:
    """Blocks of means over resampled items: the number of each kind of row.

    Items with equal rows are interchangeable and there are few kinds, so this takes a tenth of the time.
    """
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _BLOCK):
        drawn = rng.multinomial(len(rows), counts / len(rows), size=min(_BLOCK, draws - start))
        yield drawn @ kinds / len(rows)


def _values(np: Any, disagreement: tuple[Any, Any]) -> Any:
    """The coefficient of each resample; NaN if chance agreement is undefined."""
    observed, expected = disagreement
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def _limits(
    np: Any, drawn: Sequence[Any], items: int, confidence: float
) -> tuple[float | None, float | None, str]:
    """The expanded percentile interval (Hesterberg 2015): the plain one is too narrow for few items."""
    if not drawn:
        return None, None, ""
    if items < 2:
        return None, None, "an interval needs at least two items"
    values = np.concatenate(drawn)
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - _MAX_LOST) * len(values):
        return None, None, "too many resamples have only one label: judge more items"
    stretched = sqrt(items / (items - 1)) * t_quantile(0.5 + confidence / 2, items - 1)
    tail = NormalDist().cdf(-stretched)
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high), ""


# Krippendorff's alpha: rows are the coincidences that each item adds (of its pairs of judgements, each
# weighing 1 / (judgements - 1)).


def _alpha(level: MeasurementLevel) -> _Coefficient:
    if level not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"unknown level {level!r}: expected nominal, ordinal or interval")

    def disagreement(np: Any, rated: RatingTable, means: Any, items: int) -> tuple[Any, Any]:
        number = len(rated.labels)
        pairs = means.reshape(-1, number, number) * items
        totals = pairs.sum(axis=2)
        apart = _observed_disagreement(np, rated, totals, level)
        whole = totals.sum(axis=1)
        observed = (pairs * apart).sum(axis=(1, 2)) / np.maximum(whole, 1)
        chance = (totals[:, :, None] * totals[:, None, :] * apart).sum(axis=(1, 2))
        return observed, chance / np.maximum(whole * (whole - 1), 1)

    return _Coefficient(f"alpha_{level}", _coincidences, disagreement)


def _coincidences(np: Any, rated: RatingTable) -> Any:
    counts = rated.counts[rated.sizes >= 2]
    pairs = counts[:, :, None] * counts[:, None, :]
    places = range(counts.shape[1])
    pairs[:, places, places] -= counts
    return (pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(len(counts), -1)


def _observed_disagreement(np: Any, rated: RatingTable, totals: Any, level: MeasurementLevel) -> Any:
    """The squared distances of labels, as shares of the largest."""
    if level == "nominal":
        return (1 - np.eye(len(rated.labels)))[None]
    if level == "ordinal":  # the rank of a label is the midpoint of its judgements among all
        stands = totals.cumsum(axis=1) - totals / 2
    else:
        if any(isinstance(label, str) for label in rated.labels):
            raise ValueError("the interval level needs numeric labels")
        stands = np.array(rated.labels, dtype=float)[None]
    squares = (stands[:, :, None] - stands[:, None, :]) ** 2
    largest = squares.max(axis=(1, 2), keepdims=True)
    return squares / np.where(largest > 0, largest, 1)


# Cohen's kappa: each row is the cell of an item in the table of two judges.


def _cohen(weights: Weights) -> _Coefficient:
    if weights not in ("none", "linear", "quadratic"):
        raise ValueError(f"unknown weights {weights!r}: expected none, linear or quadratic")

    def disagreement(np: Any, rated: RatingTable, means: Any, items: int) -> tuple[Any, Any]:
        number = len(rated.labels)
        cells = means.reshape(-1, number, number)
        chance = cells.sum(axis=2)[:, :, None] * cells.sum(axis=1)[:, None, :]
        steps = np.abs(np.subtract.outer(np.arange(number), np.arange(number))) / max(1, number - 1)
        apart = {"none": steps > 0, "linear": steps, "quadratic": steps**2}[weights]
        return (cells * apart).sum(axis=(1, 2)), (chance * apart).sum(axis=(1, 2))

    name = "cohen" if weights == "none" else f"cohen_{weights}"
    return _Coefficient(name, _cells, disagreement)


def _cells(np: Any, rated: RatingTable) -> Any:
    number = len(rated.labels)
    both = [(one, other) for one, other in rated.rows if one is not None and other is not None]
    cells = np.zeros((len(both), number * number))
    for at, (one, other) in enumerate(both):
        cells[at, rated.place[one] * number + rated.place[other]] = 1
    return cells


# Fleiss' kappa, AC1 and the share of agreement: rows are how far an item's judgements agree, whether it was
# judged twice, and its labels' shares with whether it was judged.


def _shares(np: Any, rated: RatingTable) -> Any:
    sizes = rated.sizes
    twice = sizes >= 2
    same = (rated.counts * (rated.counts - 1)).sum(axis=1) / np.maximum(sizes * (sizes - 1), 1)
    return np.column_stack([np.where(twice, 1 - same, 0), twice, rated.counts / sizes[:, None]])


def _twice_shares(np: Any, rated: RatingTable) -> Any:
    return _shares(np, rated)[rated.sizes >= 2]


def _expected_disagreement(np: Any, means: Any) -> Any:
    """The share of differing pairs of judgements of an item, over items with two judgements."""
    return np.where(means[:, 1] > 0, means[:, 0] / np.maximum(means[:, 1], 1e-300), np.nan)


def _fleiss(np: Any, rated: RatingTable, means: Any, items: int) -> tuple[Any, Any]:
    return _expected_disagreement(np, means), 1 - (means[:, 2:] ** 2).sum(axis=1)


def _ac1(np: Any, rated: RatingTable, means: Any, items: int) -> tuple[Any, Any]:
    shares = means[:, 2:]
    labels = shares.shape[1]
    return _expected_disagreement(np, means), 1 - (shares * (1 - shares)).sum(axis=1) / max(1, labels - 1)


def _percent(np: Any, rated: RatingTable, means: Any, items: int) -> tuple[Any, Any]:
    return _expected_disagreement(np, means), np.ones(len(means))


def _has_unequal_counts(rated: RatingTable) -> str:
    few, many = int(rated.sizes.min()), int(rated.sizes.max())
    if few == many:
        return ""
    return f"Fleiss' kappa needs equal numbers of judgements per item, not {few} to {many}: use alpha"


def _one_label(rated: RatingTable) -> str:
    return "" if len(rated.labels) > 1 else f"the only label is {rated.labels[0]!r}: give the whole scale"


_FLEISS = _Coefficient("fleiss", _shares, _fleiss, _has_unequal_counts)
_AC1 = _Coefficient("ac1", _shares, _ac1, _one_label)
_PERCENT = _Coefficient("percent", _twice_shares, _percent)
