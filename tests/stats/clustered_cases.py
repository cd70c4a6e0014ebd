"""Coverage of the intervals of clustered tasks and of several classes: cases, and a table."""

from __future__ import annotations

import sys
from functools import cache
from random import Random

from benchwright.records import Metric
from benchwright.stats.several_classes import multiclass_metrics
from benchwright.stats.two_classes import LabelPredictions, class_metrics

LABELS = ("success", "failed")
CLASSES = ("success", "assertion", "exception", "build")
SHARES = (0.5, 0.3, 0.15, 0.05)
# Share of clusters that are right or wrong as a whole, the model's skill at each label, maximum versions of a
# test.
CASES = {
    "a coin": (0.0, 0.5, 0.5, 3),
    "alike in a cluster": (0.8, 0.7, 0.6, 3),
    "always one label": (0.0, 1.0, 0.0, 2),
    "large clusters": (0.6, 0.8, 0.7, 10),
}
NAMES = ("exact_match", "balanced_accuracy", "macro_f1")


def draw(case: str, tasks: int, random: Random) -> list[LabelPredictions]:
    """Draw tests in one or more versions of either label; a share of the tests is right or wrong as a whole."""
    alike, of_first, of_second, most = CASES[case]
    found: list[LabelPredictions] = []
    while len(found) < tasks:
        cluster, size = f"c{len(found)}", 1 + random.randrange(most)
        together, luck = random.random() < alike, random.random()
        for _ in range(size):
            gold, skill = random.choice(list(zip(LABELS, (of_first, of_second), strict=True)))
            right = (luck if together else random.random()) < skill
            said = gold if right else LABELS[gold == LABELS[0]]
            found.append(LabelPredictions(gold=gold, said=(said,), cluster=cluster))
    return found


def truth(case: str) -> dict[str, float]:
    """Return the metrics of an unlimited supply."""
    _, first, second, _ = CASES[case]
    f1 = 2 * first / (1 + first + 1 - second) if first else 0.0
    other = 2 * second / (1 + second + 1 - first) if second else 0.0
    return {
        "exact_match": (first + second) / 2,
        "balanced_accuracy": (first + second) / 2,
        "macro_f1": (f1 + other) / 2,
    }


def draw_classes(skill: float, tasks: int, random: Random) -> list[LabelPredictions]:
    """Draw tasks of four classes; wrong answers are other classes, in proportion to their frequency."""
    golds = random.choices(CLASSES, SHARES, k=tasks)
    return [
        LabelPredictions(gold=gold, said=(gold if random.random() < skill else _other(gold, random),))
        for gold in golds
    ]


def _other(gold: str, random: Random) -> str:
    rest = [(name, share) for name, share in zip(CLASSES, SHARES, strict=True) if name != gold]
    return random.choices([name for name, _ in rest], [share for _, share in rest])[0]


def class_truth(skill: float) -> dict[str, float]:
    """Return the metrics of an unlimited supply of such tasks."""
    wrongly = {
        name: sum(
            share * (1 - skill) * mine / (1 - share)
            for other, share in zip(CLASSES, SHARES, strict=True)
            if other != name
        )
        for name, mine in zip(CLASSES, SHARES, strict=True)
    }
    scores = [
        2 * share * skill / (share * skill + wrongly[name] + share)
        for name, share in zip(CLASSES, SHARES, strict=True)
    ]
    return {"exact_match": skill, "balanced_accuracy": skill, "macro_f1": sum(scores) / len(scores)}


@cache
def coverage(case: str, *, tasks: int, runs: int) -> dict[str, float]:
    """Return the share of runs, in per cent, whose interval includes the truth; only runs with tasks of all
    classes count."""
    random = Random(20_261_122)
    skill = float(case.removeprefix("skill ")) if case.startswith("skill ") else None
    wanted = truth(case) if skill is None else class_truth(skill)
    held, counted = dict.fromkeys(NAMES, 0), 0
    for _ in range(runs):
        metrics: dict[str, Metric]
        if skill is None:
            drawn = draw(case, tasks, random)
            metrics = class_metrics(drawn, labels=LABELS)
        else:
            drawn = draw_classes(skill, tasks, random)
            metrics = multiclass_metrics(drawn, classes=CLASSES)
        if len({task.gold for task in drawn}) < (2 if skill is None else 4):
            continue
        counted += 1
        for name in NAMES:
            held[name] += metrics[name].low - 1e-12 <= wanted[name] <= metrics[name].high + 1e-12
    return {name: 100 * number / counted for name, number in held.items()}


def main(sizes: list[int], runs: int = 1000) -> None:
    """Print the table of the design note."""
    lines = [f"| case | {' | '.join(NAMES)} |", f"|---|{'---|' * len(NAMES)}"]
    for case in (*CASES, "skill 0.3", "skill 0.6", "skill 0.9", "skill 0.99"):
        found = [coverage(case, tasks=size, runs=runs) for size in sizes]
        lines.append(
            f"| {case} | {' | '.join(' / '.join(f'{each[name]:.1f}' for each in found) for name in NAMES)} |"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [100, 400])
