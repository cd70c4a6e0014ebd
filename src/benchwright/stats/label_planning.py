"""The number of human labels that an interval of a given width needs, with the help of a model judge.

The width is that of PPI++ at its optimal lam, from the variances and covariance of people's labels and the
judge's values: as in a pilot, or as implied by the judge's assumed accuracy. See `stats.ppi`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from benchwright.records import Record
from benchwright.stats.intervals import t_quantile

FEWEST = 10  # labels, below which no plan is made: nothing is known of how they vary


class LabelVariance(Record, frozen=True, kw_only=True):
    """Variances and covariance of human labels and judge values, over answers."""

    human: float  # variance
    judge: float
    together: float  # covariance

    def width(self, labels: int, items: int, *, confidence: float = 0.95) -> float:
        """The width of the interval with this many labels among this many answers, with the judge."""
        rest = items - labels
        gain = self.together**2 / self.judge * rest / items if self.judge > 0 and self.together > 0 else 0.0
        return _width(self.human - min(gain, self.human), labels, confidence)

    def width_alone(self, labels: int, *, confidence: float = 0.95) -> float:
        """The width without the judge."""
        return _width(self.human, labels, confidence)


def _width(variance: float, labels: int, confidence: float) -> float:
    """The width with the two added pseudo-labels, as in `predicted_mean`: half a piece each."""
    number = labels + 1
    spread = (labels * variance + 0.5) / number
    return 2 * t_quantile(0.5 + confidence / 2, max(1, labels - 1)) * sqrt(spread / number)


class LabelPlan(Record, frozen=True, kw_only=True):
    """The number of labels for the required width: with the judge, and by people alone.

    `labels` is None if labelling all `items` is not enough; `least` is the width then.
    """

    width: float
    items: int
    labels: int | None
    labels_alone: int | None
    least: float
    spread: LabelVariance


def plan_labels(spread: LabelVariance, *, width: float, items: int, confidence: float = 0.95) -> LabelPlan:
    """The fewest labels whose interval is at most this wide.

    Raises ValueError for a width that is not between 0 and 1, or fewer than FEWEST items.

    >>> variance = assumed_variance(0.6, sensitivity=0.9, specificity=0.7)
    >>> plan_labels(variance, width=0.2, items=500).labels
    65
    """
    if not 0 < width < 1:
        raise ValueError(f"the width must be between 0 and 1, not {width}")
    if items < FEWEST:
        raise ValueError(f"a plan needs at least {FEWEST} answers, not {items}")
    widths = [spread.width(labels, items, confidence=confidence) for labels in range(FEWEST, items + 1)]
    alone = [spread.width_alone(labels, confidence=confidence) for labels in range(FEWEST, items + 1)]
    return LabelPlan(
        width=width,
        items=items,
        labels=_first(widths, width),
        labels_alone=_first(alone, width),
        least=widths[-1],
        spread=spread,
    )


def _first(widths: Sequence[float], wished: float) -> int | None:
    return next((at + FEWEST for at, width in enumerate(widths) if width <= wished), None)


def assumed_variance(share: float, *, sensitivity: float, specificity: float) -> LabelVariance:
    """The variances for an assumed share of correct answers, sensitivity and specificity of the judge.

    Raises ValueError for a share outside 0 to 1.
    """
    for value in (share, sensitivity, specificity):
        if not 0 <= value <= 1:
            raise ValueError(f"a share must be between 0 and 1, not {value}")
    judged_share = share * sensitivity + (1 - share) * (1 - specificity)
    human = share * (1 - share)
    return LabelVariance(
        human=human, judge=judged_share * (1 - judged_share), together=human * (sensitivity + specificity - 1)
    )


def observed_variance(human: Sequence[float], judge: Sequence[float]) -> LabelVariance:
    """The variances in a pilot. Raises ValueError for fewer than FEWEST labels, or lists of different
    lengths.
    """
    n = len(human)
    if n < FEWEST or len(judge) != n:
        raise ValueError(
            f"a pilot needs at least {FEWEST} answers labelled by people and by the judge, not {n}"
        )
    ours, theirs = fsum(human) / n, fsum(judge) / n
    return LabelVariance(
        human=fsum((y - ours) ** 2 for y in human) / (n - 1),
        judge=fsum((f - theirs) ** 2 for f in judge) / (n - 1),
        together=fsum((y - ours) * (f - theirs) for y, f in zip(human, judge, strict=True)) / (n - 1),
    )
