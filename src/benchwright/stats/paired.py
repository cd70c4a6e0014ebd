"""The paired difference of two models on the same tasks.

Its coverage, and the alternatives that were tried, are in docs/design/09-comparing.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import Any

from benchwright.records import Record
from benchwright.stats.association import mcnemar
from benchwright.stats.optional_imports import numpy, special
from benchwright.stats.power import detectable, detectable_after


class PairedDifference(Record, frozen=True, kw_only=True):
    """The mean of a - b over tasks, with its interval and its test, in shares."""

    value: float
    low: float
    high: float
    se: float  # of the mean as `paired_difference` adjusts it
    df: float
    p: float  # two-sided; below 1 - confidence exactly where the interval leaves zero out
    tasks: int
    clusters: int  # equal to `tasks` where each task stands for itself
    a_more: int  # tasks where a's estimate is the higher one
    b_more: int
    # The smallest true difference that such a comparison detects with power 80 %; None if it detects none.
    detectable: float | None
    mcnemar: float | None = None  # exact p, where all estimates are 0 or 1 and tasks are independent


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    *,
    clusters: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> PairedDifference:
    """The difference of two models' means over shared tasks, `a` minus `b`, with one estimate per task.

    A t interval around the mean of d = a - b, with two changes to the textbook's.

    1. Two pieces of task that were never asked are added, both of size u, one where d = +1 and one where
       d = -1. For 0/1 estimates u is 1 and this is Bonett and Price's interval (2012) for paired
       proportions. In general u says how far one task's d varies, as a share of what 0/1 answers would:

           u = (1 + Σ(d - mean)²) / (1 + Σ|d| - N mean²)

       which is 1 while no difference is known and near 1/n for n answers to tasks that are all alike.
       So the interval has a width where the models differ on no task or on one; the textbook's is
       then [0, 0], or covers 85 %.
    2. Standard errors are robust to clusters, by CR2 with Bell and McCaffrey's degrees of freedom
       (2002): the usual sandwich with G - 1 degrees covers 88 to 92 % with uneven clusters. For tasks
       that stand for themselves it is the textbook's s²/N with N - 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, for example 0.95, not {confidence}")
    np, student = numpy(), special()
    values = _checked(np, a, b, clusters)
    d = (values[0] - values[1]).round(12)  # 0.1 + 0.2 - 0.3 counts as 0
    sums, sizes = _cluster_sums(np, d, clusters)
    if len(sums) < 2:
        raise ValueError("a comparison needs tasks from at least two clusters")
    a_more, b_more = int((d > 0).sum()), int((d < 0).sum())
    bits = bool(((values == 0) | (values == 1)).all())
    piece = piece_size(d.tolist())
    mean, se = _adjusted(d, sums, sizes, piece=piece)
    df = round(_degrees(np, sizes / len(d)), 9)
    half = float(student.stdtrit(df, 0.5 + confidence / 2)) * se
    return PairedDifference(
        value=round(float(d.mean()), 12),
        low=max(-1.0, mean - half),
        high=min(1.0, mean + half),
        se=se,
        df=df,
        p=min(1.0, 2 * float(student.stdtr(df, -abs(mean) / se))),
        tasks=len(d),
        clusters=len(sums),
        a_more=a_more,
        b_more=b_more,
        detectable=(
            detectable_after(np, d, piece=piece)
            if len(sums) == len(d)
            else min(1.0, detectable(se, max(1.0, df), confidence=confidence))
        ),
        mcnemar=mcnemar(a_more, b_more) if bits and len(sums) == len(d) else None,
    )


def _cluster_sums(np: Any, d: Any, clusters: Sequence[str] | None) -> tuple[Any, Any]:
    """The sum of the differences in each cluster, and its number of tasks."""
    if clusters is None:
        return d, np.ones(len(d))
    numbers: dict[str, int] = {}
    index = [numbers.setdefault(name, len(numbers)) for name in clusters]
    return np.bincount(index, weights=d), np.bincount(index).astype(float)


def piece_size(d: Sequence[float]) -> float:
    """The size u of each of the two added pieces of a task."""
    plain = fsum(d) / len(d)
    spread = fsum((value - plain) ** 2 for value in d)
    return (1 + spread) / (1 + max(spread, fsum(map(abs, d)) - len(d) * plain**2))


def _adjusted(d: Any, sums: Any, sizes: Any, *, piece: float) -> tuple[float, float]:
    """The mean with the two added pieces, and its CR2 standard error; each piece is a cluster.

    The squared residual sum of a cluster is divided by 1 - leverage, and for a mean the leverage of a
    cluster is its share of the tasks (section 2 of Imbens and Kolesár 2016). The factor before it makes
    this Bonett and Price's error, which divides by N and not by N - 1, where each task is a cluster.
    """
    total = len(d) + 2 * piece
    mean = float(d.sum()) / total
    squares = float((((sums - sizes * mean) ** 2) / (1 - sizes / total)).sum())
    squares += piece**2 * ((1 - mean) ** 2 + (1 + mean) ** 2) / (1 - piece / total)
    return mean, sqrt((1 - 1 / total) * squares) / total


def _degrees(np: Any, shares: Any) -> float:
    """Bell and McCaffrey's degrees of freedom for a mean, from each cluster's share of the tasks.

    The trace formula for independent errors, written out: (Σ λ)² / Σ λ² of the matrix that has w_g on
    its diagonal and w_g w_h / sqrt((1 - w_g)(1 - w_h)) off it. For equal shares it is G - 1.
    """
    squares = shares**2
    ratio = squares / (1 - shares)
    beside = float(ratio.sum()) ** 2 - float((ratio**2).sum())
    return 1 / (float(squares.sum()) + beside)


def _checked(np: Any, a: Sequence[float], b: Sequence[float], clusters: Sequence[str] | None) -> Any:
    """Both models' estimates as an array with two rows, after checks."""
    if len(a) != len(b) or len(a) < 2 or (clusters is not None and len(clusters) != len(a)):
        message = "both models need an estimate for each of at least two tasks, and each task a cluster"
        raise ValueError(message)
    values = np.array([a, b], dtype=float)
    bad = np.argwhere(~((values >= 0) & (values <= 1)))  # also finds NaN
    if len(bad):
        (row, task), value = bad[0], float(values[tuple(bad[0])])
        raise ValueError(f"{'ab'[row]}[{task}] is {value}, but estimates must lie between 0 and 1")
    return values
