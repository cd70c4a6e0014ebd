"""Agreement of predicted labels with true ones, as functions of a confusion table of two classes.

An answer that holds no label is a third kind of prediction, "none", which no task has. So it is wrong for
every task, and the table has two rows (the truth) and three columns (what was said).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple


class Confusion(NamedTuple):
    """Counts or shares, by truth and prediction: `first_as_second` are tasks of the first class said to be of
    the second."""

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

    which without any "none" is the classical (TP TN - FP FN) / sqrt(…). 0 where one label is always said,
    since then the formula has no value and the predictions tell nothing.

    >>> matthews(Confusion(6, 2, 0, 1, 3, 0)) == (6 * 3 - 2 * 1) / (7 * 8 * 5 * 4) ** 0.5
    True
    """
    size = table.first + table.second
    said_first = table.first_as_first + table.second_as_first
    said_second = table.first_as_second + table.second_as_second
    said_none = table.first_as_none + table.second_as_none
    right = table.first_as_first + table.second_as_second
    spread_said = size**2 - said_first**2 - said_second**2 - said_none**2
    spread_true = size**2 - table.first**2 - table.second**2
    if min(spread_said, spread_true) <= 1e-12 * size**2:
        return 0.0
    shared = right * size - said_first * table.first - said_second * table.second
    return shared / sqrt(spread_said * spread_true)
