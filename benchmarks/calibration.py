"""How often 95 % intervals hold the truth where it is known: scores, agreement, votes on pairs.

./run bench calibration                 # 2,000 runs a case, some four minutes
./run bench calibration --runs 200
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import exp, sqrt
from random import Random
from typing import NamedTuple

import msgspec

from benchwright.stats.agreement import (
    Agreement,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from benchwright.stats.bradley_terry import PairVote, Result, bradley_terry
from benchwright.stats.ppi import LabelledItem, power_tuned, predicted_mean

Coefficient = Callable[..., Agreement]
RUNS, SEED = 2_000, 1
WAYS = ("predicted", "human", "judge", "plain")


class Case(NamedTuple):
    """One kind of data: answers, labels, the share of right answers, and how often the judge agrees."""

    items: int
    labels: int
    share: float
    sensitivity: float
    specificity: float


CASES = (
    Case(500, 100, 0.6, 0.9, 0.7),
    Case(500, 100, 0.6, 0.95, 0.92),
    Case(500, 50, 0.6, 0.9, 0.7),
    Case(500, 50, 0.95, 0.9, 0.7),
    Case(500, 50, 0.1, 0.9, 0.9),
    Case(500, 50, 0.6, 0.5, 0.5),
    Case(2_000, 60, 0.6, 0.98, 0.98),
)


class Held(NamedTuple):
    """By method: the share of intervals that include the truth, and their mean width."""

    covered: dict[str, float]
    width: dict[str, float]


def judged_items(
    rng: Random, *, items: int, labels: int, share: float, sensitivity: float, specificity: float
) -> list[LabelledItem]:
    """Draw this number of answers with this share of right ones; the first `labels` of them have a correct
    label."""
    made = []
    for place in range(items):
        right = rng.random() < share
        called = rng.random() < (sensitivity if right else 1 - specificity)
        made.append(LabelledItem(float(called), float(right) if place < labels else None))
    return made


def simulated(
    *,
    seed: int,
    runs: int,
    sensitivity: float,
    specificity: float,
    items: int = 500,
    labels: int = 100,
    share: float = 0.6,
) -> Held:
    """Return the results of `predicted`, `human`, `judge` and the paper's plain interval on such data."""
    rng, names = Random(seed), WAYS
    held, width = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    for _ in range(runs):
        drawn = judged_items(
            rng, items=items, labels=labels, share=share, sensitivity=sensitivity, specificity=specificity
        )
        found = predicted_mean(drawn)
        assert found.judge is not None
        three = zip(names, (found.predicted, found.human, found.judge), strict=False)
        limits = {name: (each.low, each.high) for name, each in three}
        limits["plain"] = _plain(drawn)
        for name, (low, high) in limits.items():
            held[name] += low <= share <= high
            width[name] += high - low
    return Held({n: held[n] / runs for n in names}, {n: width[n] / runs for n in names})


def _plain(items: list[LabelledItem]) -> tuple[float, float]:
    both = [(item.human, item.judge or 0.0) for item in items]
    return power_tuned(
        [human for human, _ in both if human is not None],
        [judge for human, judge in both if human is not None],
        [judge for human, judge in both if human is None],
    ).interval()


class Language(NamedTuple):
    """One stratum of `stratified_items`."""

    name: str
    items: int
    labels: int
    share: float
    sensitivity: float
    specificity: float


LANGUAGES = (
    Language("ru", 300, 30, 0.4, 0.85, 0.6),
    Language("en", 150, 60, 0.8, 0.95, 0.8),
    Language("go", 50, 12, 0.6, 0.7, 0.7),
)


def stratified_items(rng: Random) -> tuple[list[LabelledItem], float]:
    """Draw answers in three languages with different shares of right and labelled ones; return the total
    share too."""
    made: list[LabelledItem] = []
    for name, *drawn in LANGUAGES:
        given = dict(zip(Language._fields[1:], drawn, strict=True))
        made += [item._replace(stratum=name) for item in judged_items(rng, **given)]  # type: ignore[arg-type]
    return made, sum(each.items * each.share for each in LANGUAGES) / len(made)


def clustered_items(rng: Random) -> tuple[list[LabelledItem], float]:
    """Draw five answers to each of 100 tasks of Beta(0.9, 0.6); thirty tasks are labelled by people."""
    made = []
    for task in range(100):
        chance = rng.betavariate(0.9, 0.6)
        drawn = judged_items(
            rng, items=5, labels=5 * (task < 30), share=chance, sensitivity=0.9, specificity=0.7
        )
        made += [item._replace(cluster=str(task)) for item in drawn]
    return made, 0.6


SHAPES = {"strata": stratified_items, "clusters": clustered_items}


def shape_held(name: str, *, runs: int, seed: int) -> float:
    """Return the share of intervals by people and judge that include the truth, for data with strata or
    clusters."""
    rng, held = Random(seed), 0
    for _ in range(runs):
        items, truth = SHAPES[name](rng)
        found = predicted_mean(items).predicted
        held += found.low <= truth <= found.high
    return held / runs


def graded_pairs(rng: Random, items: int) -> list[tuple[int, int]]:
    """Draw grades of two judges who mostly agree, and otherwise differ by one."""
    rows = []
    for _ in range(items):
        true = rng.choice((1, 3, 3, 4, 4, 4, 5))
        one, other = (min(5, max(1, true + rng.choice((0, 0, 0, -1, 1)))) for _ in range(2))
        rows.append((one, other))
    return rows


COEFFICIENTS: dict[str, Coefficient] = {
    "percent": percent_agreement,
    "alpha_nominal": krippendorff_alpha,
    "alpha_ordinal": lambda table, **how: krippendorff_alpha(table, "ordinal", **how),
    "cohen": cohen_kappa,
    "cohen_quadratic": lambda table, **how: cohen_kappa(table, "quadratic", **how),
    "ac1": gwet_ac1,
}


def agreement_held(name: str, *, runs: int, seed: int, items: int = 60, draws: int = 400) -> float:
    """Return the share of intervals that include the agreement of very many such items."""
    coefficient, scale = COEFFICIENTS[name], (1, 2, 3, 4, 5)
    truth = coefficient(graded_pairs(Random(0), 50_000), scale=scale, draws=0).value
    assert truth is not None
    rng, held = Random(seed), 0
    for _ in range(runs):
        found = coefficient(graded_pairs(rng, items), scale=scale, draws=draws)
        held += found.low is not None and found.high is not None and found.low <= truth <= found.high
    return held / runs


STRENGTHS = {"a": 0.8, "b": 0.2, "c": 0.0, "d": -1.0}


def voted(rng: Random, votes: int, strengths: dict[str, float], *, tie: float = 0.0) -> list[PairVote]:
    """Draw votes on random pairs with Davidson's chances, two on each task."""
    made = []
    for place in range(votes):
        a, b = rng.sample(sorted(strengths), 2)
        weights = [exp(strengths[a]), exp(strengths[b]), tie * sqrt(exp(strengths[a] + strengths[b]))]
        results: list[Result] = ["a", "b", "tie"]
        made.append(PairVote(a, b, rng.choices(results, weights)[0], f"t{place // 2}"))
    return made


def strengths_held(*, runs: int, seed: int, votes: int = 240, draws: int = 250) -> float:
    """Return the share of strengths of four contestants that their intervals include."""
    rng, held = Random(seed), 0
    for _ in range(runs):
        for each in bradley_terry(voted(rng, votes, STRENGTHS, tie=0.5), draws=draws).strengths:
            held += each.low <= STRENGTHS[each.name] <= each.high
    return held / (runs * len(STRENGTHS))


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `./run bench calibration`: coverage, and for scores the mean width too."""

    runs: int
    seed: int
    scores: list[dict[str, object]]
    shapes: dict[str, float]
    agreement: dict[str, float]
    strengths: float


def figures(runs: int, seed: int) -> Figures:
    """Compute all cases with this number of runs each; a line on stderr reports each finished case."""
    scores: list[dict[str, object]] = []
    for case in CASES:
        found = simulated(seed=seed, runs=runs, **case._asdict())
        scores.append({**case._asdict(), "covered": found.covered, "width": found.width})
        print(f"{len(scores)} of {len(CASES)} kinds of scores", file=sys.stderr)
    agreement = {}
    for name in COEFFICIENTS:
        agreement[name] = agreement_held(name, runs=runs, seed=seed)
        print(f"{len(agreement)} of {len(COEFFICIENTS)} coefficients", file=sys.stderr)
    return Figures(
        runs=runs,
        seed=seed,
        scores=scores,
        shapes={name: shape_held(name, runs=runs, seed=seed) for name in SHAPES},
        agreement=agreement,
        strengths=strengths_held(runs=max(1, runs // 4), seed=seed),
    )


def page(found: Figures) -> str:
    """Return the figures as two tables."""
    lines = [
        f"{found.runs:,} runs a case, seed {found.seed}. Per cent of intervals that hold the truth, width.",
        "",
        "| answers | labels | right | sensitivity | specificity | both | people | judge | plain PPI++ |",
        "| ---: " * 9 + "|",
    ]
    for each in found.scores:
        covered, width = each["covered"], each["width"]
        assert isinstance(covered, dict) and isinstance(width, dict)
        given = [str(each[name]) for name in Case._fields]
        cells = [f"{100 * covered[way]:.1f}, {width[way]:.3f}" for way in WAYS]
        lines.append(f"| {' | '.join([*given, *cells])} |")
    lines += [
        "",
        "| score with strata, with clusters; agreement of 60 items; strengths by 240 votes | held |",
        "| --- | ---: |",
    ]
    others = {**found.shapes, **found.agreement, "bradley_terry": found.strengths}
    lines += [f"| {name} | {100 * share:.1f} |" for name, share in others.items()]
    return "\n".join(lines)
