"""Coverage of the intervals of label metrics: cases, and a program that prints the design note's table.

A case is a kind of model: how often it is right about tasks of either class, how often its wrong answers have
no label, and the share of the first class among tasks.
"""

from __future__ import annotations

import sys
from functools import cache
from random import Random

from benchwright.stats.two_classes import (
    Confusion,
    LabelPredictions,
    balanced_accuracy,
    class_metrics,
    macro_f1,
    matthews,
)

LABELS = ("success", "failed")
CASES = {  # right about success, right about failed, share of success, no label when wrong (each class)
    "a coin": (0.5, 0.5, 0.5, 0.0, 0.0),
    "good": (0.8, 0.7, 0.5, 0.0, 0.0),
    "nearly perfect": (0.97, 0.95, 0.5, 0.2, 0.2),
    "says success": (0.9, 0.3, 0.7, 0.1, 0.1),
    "says success always, nearly": (0.99, 0.03, 0.6, 0.0, 0.0),
    "often no label": (0.6, 0.5, 0.6, 0.6, 0.3),
    "one class rare": (0.8, 0.6, 0.9, 0.0, 0.0),
    "worse than a coin": (0.4, 0.4, 0.5, 0.05, 0.05),
}
NAMES = ("exact_match", "balanced_accuracy", "mcc", "macro_f1", "invalid")


def truth(case: str) -> dict[str, float]:
    """Return the metrics that an unlimited supply of tasks would have."""
    right, other_right, first, none, other_none = CASES[case]
    table = Confusion(
        first * right,
        first * (1 - right) * (1 - none),
        first * (1 - right) * none,
        (1 - first) * (1 - other_right) * (1 - other_none),
        (1 - first) * other_right,
        (1 - first) * (1 - other_right) * other_none,
    )
    invalid = table.first_as_none + table.second_as_none
    exact = table.first_as_first + table.second_as_second
    return dict(
        zip(NAMES, (exact, balanced_accuracy(table), matthews(table), macro_f1(table), invalid), strict=True)
    )


def draw(case: str, tasks: int, random: Random) -> list[LabelPredictions]:
    """Draw tasks, each answered once by a model of the case."""
    right, other_right, first, none, other_none = CASES[case]
    found = []
    for _ in range(tasks):
        gold, chance, silent = (
            ("success", right, none) if random.random() < first else ("failed", other_right, other_none)
        )
        wrong = None if random.random() < silent else LABELS[gold == "success"]
        found.append(LabelPredictions(gold=gold, said=(gold if random.random() < chance else wrong,)))
    return found


@cache
def coverage(case: str, *, tasks: int, runs: int) -> dict[str, float]:
    """Return the share of runs, in per cent, whose 95 % interval includes the truth; runs of one class alone
    are left out."""
    random, wanted = Random(20_260_117), truth(case)
    held, counted = dict.fromkeys(NAMES, 0), 0
    for _ in range(runs):
        metrics = class_metrics(draw(case, tasks, random), labels=LABELS)
        if "mcc" in metrics:
            counted += 1
            for name in NAMES:
                held[name] += metrics[name].low <= wanted[name] <= metrics[name].high
    return {name: 100 * number / counted for name, number in held.items()}


def main(sizes: list[int], runs: int = 1500) -> None:
    """Print the table of the design note."""
    lines = [f"| model | {' | '.join(NAMES[:4])} |", f"|---|{'---|' * 4}"]
    for case in CASES:
        found = [coverage(case, tasks=size, runs=runs) for size in sizes]
        cells = (" / ".join(f"{each[name]:.1f}" for each in found) for name in NAMES[:4])
        lines.append(f"| {case} | {' | '.join(cells)} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [40, 164, 1361])
