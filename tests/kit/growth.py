"""How the cost of reading a text grows with its length, measured in processor time.

A doubling of the text should double the cost; `PER_DOUBLING` leaves room for caches and a busy machine,
and is far below the four of a quadratic. One measurement that is good enough is believed: noise can only
make a reading look dearer, so a bad one is taken again, and the best of several counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

Text = TypeVar("Text", str, bytes)
PER_DOUBLING = 2.3
ROUNDS = 40
FEW = 3  # where a text is expected to be dear: no round will be good enough, and each costs as much
USUAL_S = 0.009  # for the sum of a million numbers, on the machine that bounds in seconds were set on
FLOOR_S = 0.0015  # below this the clock and the first touch of memory decide


def seconds(read: Callable[[Text], object], text: Text) -> float:
    """Processor time of one reading, without the collector's part, which comes in jumps."""
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
    """How many times dearer a text gets by a doubling, as the mean of three doublings from `size` on.

    Three, because what noise adds to the last measurement is then divided among them. At most so many `rounds`.
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
    """How many times slower this machine computes than the one that bounds in seconds were set on; never below 1."""
    return max(1.0, min(seconds(lambda _: sum(range(10**6)), "") for _ in range(5)) / USUAL_S)
