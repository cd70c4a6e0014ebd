"""The cost comparison: from measured runs to one report."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from benchmarks import environment, figures
from benchmarks.contestants import PAIRS, Contestant, Pair
from benchmarks.dataset import Row
from benchmarks.environment import Machine
from benchmarks.figures import Split, Spread
from benchmarks.rounds import Ground, Run, pin_cpus, prepare, run_once, time_rounds
from benchwright import __version__

GROWTH = 10  # the memory run that must not grow is this many times as long
MEMORY_ROUNDS = 3
M = TypeVar("M", Run, Split)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant's row of the table. Spreads are over the counted rounds."""

    contestant: str
    title: str
    tasks: int
    executions: int
    passed: int  # the least of all rounds
    cpu_ms: Spread  # an execution, fixed costs and self-check included
    sample_ms: Spread  # a scored sample: the whole run's CPU over the samples, self-check in it
    rate: Spread  # executions a second, by wall time
    single_ms: Spread | None = None  # the same in a run of one sample a task
    fixed_s: Spread | None = None
    marginal_ms: Spread | None = None
    peak_mib: Spread | None = None
    survivors: int = 0  # processes left behind, over all rounds


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of one contestant divided by that of the other, round by round."""

    more: str
    less: str
    cpu: Spread  # an execution, fixed costs included
    sample: Spread  # the whole run's CPU for each scored sample, self-check included
    wall: Spread  # a sample
    single: Spread | None  # as `sample`, in a run of one sample a task
    marginal: Spread | None  # CPU of one execution more
    goal: str


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """Peak memory of one contestant at two sizes of run."""

    contestant: str
    small: int
    large: int
    small_mib: Spread
    large_mib: Spread

    @property
    def ratio(self) -> float:
        return self.large_mib.median / self.small_mib.median


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All results of a bench, with the facts that they depend on."""

    machine: Machine
    versions: dict[str, str]
    account: str
    rounds: int
    samples: int
    cpus: int
    lines: list[Line]
    comparisons: list[Comparison]
    growth: list[Growth]
    calls: dict[str, int]
    runs: list[Run]


def bench(
    rows: Sequence[Row], chosen: Sequence[Contestant], *, rounds: int, samples: int, memory: str
) -> Report:
    """Measure the contestants. memory: "sampled" adds separate runs for peak memory, "skipped" none."""
    machine, cpus = environment.describe(), pin_cpus()
    sizes = sorted({1, samples})
    large = samples * GROWTH
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        grown = [large] if memory == "sampled" else []
        ground = prepare(rows, chosen, [*sizes, *grown], folder=Path(scratch))
        timed = time_rounds(chosen, sizes, ground, rounds=rounds)
        watched = [] if memory == "skipped" else _memory_runs(chosen, samples, large, ground)
    return Report(
        machine=machine,
        versions={"benchwright": __version__, **environment.versions()},
        account=timed[0].usage.account,
        rounds=rounds,
        samples=samples,
        cpus=cpus,
        lines=[line(each, timed, watched, samples=samples) for each in chosen],
        comparisons=compare(timed, samples=samples),
        growth=growths(watched, small=samples, large=large),
        calls=dict(ground.calls),
        runs=[*timed, *watched],
    )


def _memory_runs(chosen: Sequence[Contestant], samples: int, large: int, ground: Ground) -> list[Run]:
    """Run with sampled memory; the long runs only for ours, whose memory must not grow."""
    return [
        run_once(contestant, n, ground, number=number, memory="sampled")
        for number in range(1, MEMORY_ROUNDS + 1)
        for contestant in chosen
        for n in ([samples, large] if contestant.name == "calls" else [samples])
    ]


def line(contestant: Contestant, timed: Sequence[Run], watched: Sequence[Run], *, samples: int) -> Line:
    """Return one contestant's figures from its runs."""
    large = _of(timed, contestant.name, samples)
    small = _of(timed, contestant.name, 1)
    peaks = [run.usage.peak_mib for run in _of(watched, contestant.name, samples)]
    executions = large[0].executions
    parts = _splits(small, large)
    return Line(
        contestant=contestant.name,
        title=contestant.title,
        tasks=executions // samples,
        executions=executions,
        passed=min(run.passed for run in large),
        cpu_ms=figures.spread(run.cpu_ms for run in large),
        sample_ms=figures.spread(run.sample_ms for run in large),
        rate=figures.spread(executions / run.usage.wall_s for run in large),
        single_ms=figures.spread(run.sample_ms for run in small) if parts else None,
        fixed_s=figures.spread(part.fixed_s for part in parts) if parts else None,
        marginal_ms=figures.spread(part.marginal_ms for part in parts) if parts else None,
        peak_mib=figures.spread(peak for peak in peaks if peak is not None) if peaks else None,
        survivors=sum(run.usage.survivors for run in large),
    )


def compare(timed: Sequence[Run], *, samples: int) -> list[Comparison]:
    """Return the pairs with both contestants measured."""
    return [
        _comparison(pair, timed, samples=samples)
        for pair in PAIRS
        if all(_of(timed, name, samples) for name in (pair.more, pair.less))
    ]


def _comparison(pair: Pair, timed: Sequence[Run], *, samples: int) -> Comparison:
    more, less = _of(timed, pair.more, samples), _of(timed, pair.less, samples)
    single_more, single_less = _of(timed, pair.more, 1), _of(timed, pair.less, 1)
    more_parts, less_parts = _splits(single_more, more), _splits(single_less, less)
    return Comparison(
        more=pair.more,
        less=pair.less,
        cpu=_ratio(more, less, lambda run: run.cpu_ms),
        sample=_ratio(more, less, lambda run: run.sample_ms),
        wall=_ratio(more, less, lambda run: run.usage.wall_s / run.executions),
        single=_ratio(single_more, single_less, lambda run: run.sample_ms) if less_parts else None,
        marginal=_ratio(more_parts, less_parts, lambda part: part.marginal_ms) if less_parts else None,
        goal=pair.goal,
    )


def _ratio(more: Sequence[M], less: Sequence[M], figure: Callable[[M], float]) -> Spread:
    return figures.paired_ratio([figure(each) for each in more], [figure(each) for each in less])


def _splits(small: Sequence[Run], large: Sequence[Run]) -> list[Split]:
    """Return fixed and marginal cost in each round; nothing if both sizes are equal."""
    return [
        figures.split(one.usage.cpu_s, many.usage.cpu_s, small=one.executions, large=many.executions)
        for one, many in zip(small, large, strict=True)
        if many.executions > one.executions
    ]


def growths(watched: Sequence[Run], *, small: int, large: int) -> list[Growth]:
    """Return peak memory at both sizes, for contestants with runs of both."""
    return [
        Growth(
            contestant=name,
            small=_of(watched, name, small)[0].executions,
            large=_of(watched, name, large)[0].executions,
            small_mib=_peaks(_of(watched, name, small)),
            large_mib=_peaks(_of(watched, name, large)),
        )
        for name in dict.fromkeys(run.contestant for run in watched if run.n == large)
    ]


def _peaks(runs: Sequence[Run]) -> Spread:
    return figures.spread(run.usage.peak_mib for run in runs if run.usage.peak_mib is not None)


def _of(runs: Sequence[Run], name: str, n: int) -> list[Run]:
    """Return this contestant's runs of this size, in the order of their rounds."""
    return sorted((run for run in runs if run.contestant == name and run.n == n), key=lambda run: run.round)
