"""Models of known skill on generated label sets: how often `rank` separates them, and a program that prints
the guide's table.

A set has tests in one to three versions; label, sizes of files and each model's errors follow from hashes.
"""

from __future__ import annotations

import sys
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import NamedTuple

from benchwright.rank.contestant import Contestant
from benchwright.rank.standing import rank
from benchwright.stats.metrics import mean_metric
from kit.contestants import contestant, score

LABELS = ("success", "failed")
SKILLS = {"wrong 10 %": 0.9, "wrong 30 %": 0.7, "wrong 50 %": 0.5, "always success": 0.5, "shape": 0.5}
MERA = 1361  # rows of MERA's own set


class MadeTask(NamedTuple):
    """A row: its label, its test's cluster, and the number of lines of its files."""

    label: str
    cluster: str
    lines: int


def chance(*about: object) -> float:
    """Return a number from 0 to 1 that depends only on the arguments."""
    return int.from_bytes(sha256(repr(about).encode()).digest()[:6], "big") / 2**48


def made_set(tasks: int, salt: object) -> list[MadeTask]:
    """Return this number of rows; the versions of a test are adjacent."""
    found: list[MadeTask] = []
    while len(found) < tasks:
        cluster = f"c{len(found)}"
        for version in range(1 + int(3 * chance("versions", salt, cluster))):
            about = (salt, cluster, version)
            label = LABELS[chance("label", *about) < 0.5]
            found.append(MadeTask(label, cluster, 5 + int(60 * chance("lines", *about))))
    return found[:tasks]


def answers_of(model: str, rows: list[MadeTask], salt: object) -> list[str]:
    """Return the label that a model of this name gives each row."""
    if model == "always success":
        return [LABELS[0]] * len(rows)
    if model == "shape":
        return [LABELS[row.lines > 35] for row in rows]
    skill = SKILLS[model]
    wrong = [chance(model, salt, at) >= skill for at in range(len(rows))]
    return [LABELS[(row.label == LABELS[1]) != slip] for row, slip in zip(rows, wrong, strict=True)]


def made_contestant(model: str, rows: list[MadeTask], said: list[str]) -> Contestant:
    """Return the model's run in the form that `rank` reads."""
    right = [float(row.label == each) for row, each in zip(rows, said, strict=True)]
    clusters = [row.cluster for row in rows]
    metric = mean_metric(right, draws=1, samples=1, clusters=clusters)
    counts = [int(each) for each in right]
    return contestant(
        model,
        counts,
        n=1,
        track="codecorrectness",
        estimates={"exact_match": right},
        clusters=clusters,
        grouping="cluster",
        score=score(model, [(1, each) for each in counts], (1,), metrics={"exact_match": metric}),
    )


class Separations(NamedTuple):
    """For this number of sets: how often a pair was separated correctly, reversed, and in the wrong order."""

    right: float
    wrong: float
    detectable: float  # the smallest difference that `rank` reports as found four times in five, on average


@cache
def separations(tasks: int, *, sets: int) -> dict[tuple[str, str], Separations]:
    """By pair of models, over sets of different salts. For models of equal skill every separation is wrong."""
    counts = {pair: [0, 0, 0.0] for pair in combinations(SKILLS, 2)}
    for salt in range(sets):
        rows = made_set(tasks, salt)
        standing = rank([made_contestant(name, rows, answers_of(name, rows, salt)) for name in SKILLS])
        for pair in standing.pairs:
            turned = (pair.above, pair.below) not in counts
            names = (pair.below, pair.above) if turned else (pair.above, pair.below)
            is_right = not turned and SKILLS[names[0]] > SKILLS[names[1]]
            counts[names][0] += pair.separated and is_right
            counts[names][1] += pair.separated and not is_right
            counts[names][2] += pair.difference.detectable or 1.0
    return {pair: Separations(*(number / sets for number in found)) for pair, found in counts.items()}


def main(sets: int = 200) -> None:
    """Print the guide's table."""
    lines = ["| pair | points apart | separated of 1,361 rows | of 100 rows |", "|---|---:|---:|---:|"]
    many, few = (separations(tasks, sets=sets) for tasks in (MERA, 100))
    for pair in many:
        apart = 100 * (SKILLS[pair[0]] - SKILLS[pair[1]])
        cells = [f"{100 * (each[pair].right + each[pair].wrong):.1f} %" for each in (many, few)]
        lines.append(f"| {' / '.join(pair)} | {apart:.0f} | {' | '.join(cells)} |")
    for tasks, found in ((MERA, many), (100, few)):
        least = [100 * each.detectable for each in found.values()]
        lines.append(
            f"\n{tasks:,} rows: finds {min(least):.1f} to {max(least):.1f} points four times in five"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
