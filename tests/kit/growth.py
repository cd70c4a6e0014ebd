"""Measures in processor time how the cost of reading a text grows with its length.

A doubling of the text should double the cost. `PER_DOUBLING` leaves room for caches and a busy machine, and
is far below the factor four of a quadratic reader. Noise can only increase a measurement, so the best of
several counts, and one that is good enough ends the series.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

Text = TypeVar("Text", str, bytes)
PER_DOUBLING = 2.8
ROUNDS = 40
FEW = 3  # rounds for texts that are expected to be expensive, where no round is good enough
USUAL_S = 0.009  # for the sum of a million numbers, on the machine on which bounds in seconds were set
FLOOR_S = 0.0015  # below this, clock resolution and page faults dominate


def seconds(read: Callable[[Text], object], text: Text) -> float:
    """Return the processor time of one reading, without the garbage collector, whose time is irregular."""
    collects = gc.isenabled()
    gc.disable()
    try:
        started = time.process_time()
        read(text)
        return time.process_time() - started
    finally:
        if collects:
            gc.enable()


def growth(
    read: Callable[[Text], object], make: Callable[[int], Text], size: int, *, rounds: int = ROUNDS
) -> float:
    """Return the cost factor of a doubling, as the mean of three doublings from `size` on.

    Three doublings divide the noise of the last measurement. Measures at most `rounds` times.
    """
    texts = [make(size), make(8 * size)]
    best = [float("inf")] * len(texts)
    for _ in range(rounds):
        best = [min(old, seconds(read, text)) for old, text in zip(best, texts, strict=True)]
        ratio: float = (max(best[1], FLOOR_S) / max(best[0], FLOOR_S)) ** (1 / 3)
        if ratio <= PER_DOUBLING:
            break
    return ratio


@cache
def slowness() -> float:
    """Return how many times slower this machine is than the one on which bounds in seconds were set; at least
    1."""
    return max(1.0, min(seconds(lambda _: sum(range(10**6)), "") for _ in range(5)) / USUAL_S)
