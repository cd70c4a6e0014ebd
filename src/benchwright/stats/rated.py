"""A table of judgements: a row for each item, a column for each judge, None for missing judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Label = int | float | str
Table = Sequence[Sequence[Label | None]]

MOST_LABELS = 100  # beyond that it is no scale, and the counts of pairs of labels take memory for nothing


class Rated:
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
