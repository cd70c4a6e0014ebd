"""The effect of the prompt's wording, from a crossed design: each task asked with each prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, sqrt
from statistics import NormalDist

from benchwright.records import Record

_NORMAL = NormalDist()
_STEP, _EDGE = 0.02, 9.0  # of the quadrature; beyond nine standard deviations nothing is left


class PromptEffect(Record, frozen=True, kw_only=True):
    """The effect of changing the prompt on the same tasks. Rates are between 0 and 1."""

    lowest: str  # name of the prompt with the lowest mean
    highest: str
    low: float  # the lowest mean
    high: float
    chance: float  # the range that prompts of no effect would exceed in one run of twenty
    sd: float  # standard deviation of the prompts' random effect
    prompts: int
    tasks: int

    @property
    def span(self) -> float:
        """Highest minus lowest mean: paired, since all means are over the same tasks."""
        return self.high - self.low


def prompt_effect(rates: Mapping[str, Sequence[float]]) -> PromptEffect:
    """The range of the prompts' means, the range that chance alone would give, and the effect's deviation.

    `rates` holds, by prompt, one rate a task, in the same order of tasks. With x[i,v] the rate of task i
    under prompt v, the model is x[i,v] = μ + task[i] + prompt[v] + rest[i,v], prompts drawn at random from
    all that people write. The rest holds sampling noise and what a wording does to one task alone. Then

        σ²(prompt) = max(0, (MS(prompt) - MS(rest)) / N)
        MS(prompt) = N · Σ_v (x̄[·,v] - x̄)² / (V - 1)
        MS(rest)   = Σ_iv (x[i,v] - x̄[i,·] - x̄[·,v] + x̄)² / ((N - 1)(V - 1))

    for N tasks and V prompts: the analysis-of-variance estimator of the two-way crossed random model
    (Searle, Casella and McCulloch 1992, Variance Components, chapter 4), that is, the variance of the
    prompts' means less what MS(rest) / N explains of it. Pairing by task takes the tasks' own difficulty
    out, which is most of the noise.

    The lowest and highest of ten means lie apart even if no prompt matters. `chance` is where that range
    stays in 95 % of runs: sqrt(MS(rest) / N) times the quantile of the range of V normal draws (Tukey's
    studentized range with its degrees of freedom, (N - 1)(V - 1), taken as infinite; at 10 prompts and
    20 tasks the exact figure is 1 % higher).

    >>> effect = prompt_effect({"a": [0.0, 0.5, 0.9], "b": [0.1, 0.6, 1.0]})
    >>> effect.highest, round(effect.span, 3), round(effect.sd, 3)
    ('b', 0.1, 0.071)
    """
    names, table = list(rates), [list(values) for values in rates.values()]
    _check(table)
    tasks, prompts = len(table[0]), len(table)
    means = [fsum(values) / tasks for values in table]
    rest = _rest(table, means)
    spread = fsum((mean - fsum(means) / prompts) ** 2 for mean in means) / (prompts - 1)
    low, high = min(range(prompts), key=means.__getitem__), max(range(prompts), key=means.__getitem__)
    return PromptEffect(
        lowest=names[low],
        highest=names[high],
        low=means[low],
        high=means[high],
        chance=range_quantile(0.95, prompts) * sqrt(rest / tasks),
        sd=sqrt(max(0.0, spread - rest / tasks)),
        prompts=prompts,
        tasks=tasks,
    )


def _rest(table: list[list[float]], means: list[float]) -> float:
    """MS(rest); sums of squares below rounding noise are zero."""
    prompts, tasks = len(table), len(table[0])
    whole = fsum(means) / prompts
    by_task = [fsum(column) / prompts for column in zip(*table, strict=True)]
    squares = fsum(
        (value - of_task - of_prompt + whole) ** 2
        for values, of_prompt in zip(table, means, strict=True)
        for value, of_task in zip(values, by_task, strict=True)
    )
    return 0.0 if squares < 1e-24 * tasks * prompts else squares / ((tasks - 1) * (prompts - 1))


@lru_cache(maxsize=32)
def range_quantile(probability: float, draws: int) -> float:
    """The quantile of the range of this many standard normal draws.

    P(range < w) = V · ∫ φ(x) · (Φ(x + w) - Φ(x))^(V - 1) dx (Tippett 1925), inverted by halving.
    """
    low, high = 0.0, 2 * _EDGE
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if _range_below(middle, draws) < probability else (low, middle)
    return (low + high) / 2


def _range_below(width: float, draws: int) -> float:
    points = [-_EDGE + _STEP * index for index in range(int(2 * _EDGE / _STEP) + 1)]
    return (
        draws
        * _STEP
        * fsum(_NORMAL.pdf(x) * (_NORMAL.cdf(x + width) - _NORMAL.cdf(x)) ** (draws - 1) for x in points)
    )


def _check(table: list[list[float]]) -> None:
    if len(table) < 2 or len(table[0]) < 2:
        raise ValueError("the effect of prompts needs at least 2 prompts and 2 tasks")
    if any(len(values) != len(table[0]) for values in table):
        raise ValueError("each prompt needs a rate for every task: the design is not crossed")
