"""What a comparison could find at all, to be said before a run is paid for. Standard library only."""

from __future__ import annotations

from math import sqrt

from benchwright.stats.quantiles import t_quantile

CORRELATION = 0.5  # of the two models' chances over tasks
LIKENESS = 0.5  # share of an answer's variance that is the task's: 1 would make all answers to a task alike


def minimum_detectable_difference(
    tasks: int,
    samples: int,
    *,
    rate: float = 0.5,
    correlation: float = CORRELATION,
    likeness: float = LIKENESS,
    power: float = 0.8,
    confidence: float = 0.95,
) -> float:
    """The smallest true difference of a rate that a paired comparison would find four times in five.

    Two models answer the same tasks, `samples` times each; a two-sided test at 5 % must reject. It is
    Miller's sample size (2024, arXiv 2411.00640, section 5, equation 9) solved for the difference, with
    Student's quantiles instead of normal ones:

        (t[1 - α/2] + t[power]) · sqrt((ω² + 2σ²/samples) / tasks)

    A 0/1 answer to a task drawn at random varies by v = rate · (1 - rate). A share `likeness` of v lies
    between tasks, the rest within one, so σ² = (1 - likeness) · v; the two models' chances go up and
    down together with `correlation`, so ω² = 2 · likeness · v · (1 - correlation).

    The defaults are an assumption, not a measurement: tasks whose chances spread as Beta(0.5, 0.5) do
    (many never solved, many always) and two models that agree halfway on what is hard. At rate 0.5 they
    give ω² = σ² = 1/8. After a run nothing needs to be assumed: `detectable` takes the measured error.

    For pass@k give `samples` as n // k, the separate groups of k that n answers hold. Tasks count as
    independent; where they come in clusters, give the number of clusters to stay on the safe side.

    >>> round(minimum_detectable_difference(164, 10), 3)
    0.085
    """
    _check(tasks, samples, rate=rate, correlation=correlation, likeness=likeness)
    if tasks == 1:
        return 1.0
    variance = rate * (1 - rate)
    between = 2 * likeness * variance * (1 - correlation)
    within = 2 * (1 - likeness) * variance / samples
    se = sqrt((between + within) / tasks)
    return min(1.0, detectable(se, tasks - 1, power=power, confidence=confidence))


def detectable(se: float, df: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """The difference that a test with this standard error finds with this power.

    It uses the error that was measured, never the difference that was: "observed power" computed from
    the latter only repeats the p value (Hoenig and Heisey 2001).
    """
    if se < 0 or df < 1:
        raise ValueError(f"a standard error is at least 0 and df at least 1, not {se} and {df}")
    if not (0.5 <= power < 1 and 0 < confidence < 1):
        raise ValueError(f"power must be in [0.5, 1) and confidence in (0, 1), not {power} and {confidence}")
    whole = int(df)  # rounding down keeps the figure on the safe side
    return (t_quantile(0.5 + confidence / 2, whole) + t_quantile(power, whole)) * se


def _check(tasks: int, samples: int, *, rate: float, correlation: float, likeness: float) -> None:
    if tasks < 1 or samples < 1:
        raise ValueError(f"at least one task and one answer are needed, not {tasks} and {samples}")
    if not 0 < rate < 1:
        raise ValueError(f"rate must lie between 0 and 1, not {rate}: at the edges nothing varies")
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation must lie between -1 and 1, not {correlation}")
    if not 0 <= likeness <= 1:
        raise ValueError(f"likeness must lie between 0 and 1, not {likeness}")
