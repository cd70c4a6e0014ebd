"""The figures of a case's items: latencies, how much the model says a second, memory."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

NOT_MEASURED = "not measured"


class Latency(NamedTuple):
    """Seconds on the wall of a call of predict: median, 95th percentile by nearest rank, largest."""

    median_s: float
    p95_s: float
    max_s: float


class ReplyRate(NamedTuple):
    """How much the model says a second while it predicts; `unit` says of what, `items` how many told it."""

    value: float | None
    unit: str  # "tokens/s", "characters/s" or "not measured"
    items: int


class CallFigures(NamedTuple):
    """What all calls of predict took. `latency` is None where one call was for `shared_by` items."""

    latency: Latency | None
    shared_by: int
    items_per_s: float | None
    rate: ReplyRate
    first_token_s: float | None  # median, of the items whose reply tells it
    model_s: float
    model_cpu_s: float
    peak_mb: float

    def document(self) -> dict[str, Any]:
        """As JSON."""
        latency = self.latency and self.latency._asdict()
        return {**self._asdict(), "latency": latency, "rate": self.rate._asdict()}


def read_figures(document: Mapping[str, Any]) -> CallFigures:
    """Figures from their JSON. Raises TypeError or KeyError for what is none."""
    latency, rate = document["latency"], ReplyRate(**document["rate"])
    return CallFigures(**{**document, "latency": latency and Latency(**latency), "rate": rate})


class ItemFigures:
    """Adds up the lines of a journal: a few numbers of each are kept, whatever its prediction holds."""

    def __init__(self) -> None:
        self._seconds, self._first_tokens = array("d"), array("d")
        self._cpu_s = self._peak_mb = 0.0
        self._shared_by = 1
        # how much, in what time, of how many
        self._said: dict[str, list[float]] = {"tokens": [0, 0.0, 0], "characters": [0, 0.0, 0]}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in a line. Raises KeyError, TypeError or ValueError for one without its figures."""
        seconds, cpu_s, peak_mb = float(row["seconds"]), float(row["cpu_s"]), float(row["peak_mb"])
        self._seconds.append(seconds)
        self._cpu_s += cpu_s
        self._peak_mb = max(self._peak_mb, peak_mb)
        if "shared_by" in row:
            self._shared_by = max(self._shared_by, int(row["shared_by"]))
        for name, sums in self._said.items():
            if name in row:
                sums[0] += row[name]
                sums[1] += seconds
                sums[2] += 1
        if "first_token_s" in row:
            self._first_tokens.append(float(row["first_token_s"]))

    def figures(self) -> CallFigures:
        """Of all lines so far."""
        whole = sum(self._seconds)
        return CallFigures(
            latency=self._latency(),
            shared_by=self._shared_by,
            items_per_s=_quotient(len(self._seconds), whole),
            rate=self._rate(),
            first_token_s=_middle(sorted(self._first_tokens)) if self._first_tokens else None,
            model_s=round(whole, 6),
            model_cpu_s=round(self._cpu_s, 6),
            peak_mb=self._peak_mb,
        )

    def _latency(self) -> Latency | None:
        """None where the seconds of items are shares of one call."""
        if not self._seconds or self._shared_by > 1:
            return None
        ordered = sorted(self._seconds)
        return Latency(_middle(ordered), ordered[ceil(0.95 * len(ordered)) - 1], ordered[-1])

    def _rate(self) -> ReplyRate:
        """In tokens where any reply tells them; characters are no tokens, so the two are never added."""
        for name, (much, seconds, items) in self._said.items():
            if items:
                return ReplyRate(_quotient(much, seconds), f"{name}/s", int(items))
        return ReplyRate(None, NOT_MEASURED, 0)


def _quotient(much: float, seconds: float) -> float | None:
    return round(much / seconds, 3) if seconds > 0 else None


def _middle(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
