"""The journal of predictions: one line for each item with its figures, such as latency and size of the
reply."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.child.costs import CallCost
from benchwright.store.atomic_files import GrowingFile

_PLAIN = (str, int, float, bool, type(None))
_SHOWN = 500
_MAX_WALKED = 100_000


class Journal(GrowingFile):
    """The file of a case's predictions. `known` has those of an earlier process, by item.

    `figures` has the costs of this process's items; None if an earlier process wrote some, which are only in
    the file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.shared = False  # whether an earlier process made predictions by one call for many items
        self.known = dict(self._stored_predictions(path))
        self.figures = ItemFigures() if os.fstat(self._fd).st_size == 0 else None

    def restart(self) -> None:
        """Delete the stored predictions."""
        os.ftruncate(self._fd, 0)
        self.known.clear()
        self.shared = False
        self.figures = ItemFigures()

    def add(
        self,
        item: int,
        line: int,
        prediction: Any,
        cost: CallCost,
        *,
        replies: Sequence[Any] | None = None,
        shared_by: int = 1,
    ) -> None:
        """Write one prediction, and know it from now on.

        `replies` are the models' own where a prediction holds more, `shared_by` is the items of one call.
        """
        self.known[item] = prediction
        value = {"prediction": prediction} if _is_plain(prediction) else {"shown": repr(prediction)[:_SHOWN]}
        facts = {"seconds": round(cost.seconds, 6), "cpu_s": round(cost.cpu_s, 6)}
        row = {"item": item, "line": line, **value, **facts, "peak_mb": round(cost.peak_mb, 1)}
        row |= reply_facts(replies or [prediction])
        if shared_by > 1:
            row["shared_by"] = shared_by
        self.write(json.dumps(row).encode() + b"\n")
        if self.figures is not None:
            self.figures.add(row)

    def _stored_predictions(self, path: Path) -> Iterator[tuple[int, Any]]:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    row = json.loads(line)
                    item = int(row["item"])
                    self.shared |= "shared_by" in row
                    if "prediction" in row:
                        yield item, row["prediction"]
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    hint = f"delete the line, or the file: rm {escaped_path(path)}"
                    what, place = f"no prediction: {error}", escaped_path(path)
                    raise DataError(what, path=place, line=number, hint=hint) from None


def _is_plain(value: Any) -> bool:
    """Whether JSON gives back exactly this."""
    if type(value) in _PLAIN:
        return True
    waiting, walked = [value], 0
    while waiting:
        each = waiting.pop()
        walked += 1
        if walked > _MAX_WALKED:
            return False
        if type(each) is list:
            waiting += each
        elif type(each) is dict:
            if not all(type(key) is str for key in each):
                return False
            waiting += each.values()
        elif type(each) not in _PLAIN:
            return False
    return True


NOT_MEASURED = "not measured"


class Latency(NamedTuple):
    """Seconds on the wall of a call of predict: median, 95th percentile by nearest rank, largest."""

    median_s: float
    p95_s: float
    max_s: float


class ReplyRate(NamedTuple):
    """Tokens or characters a second while the model predicts. `items`: those whose replies state it."""

    value: float | None
    unit: str  # "tokens/s", "characters/s" or "not measured"
    items: int


class CallFigures(NamedTuple):
    """Costs of all calls of predict. `latency` is None if one call was for `shared_by` items."""

    latency: Latency | None
    shared_by: int
    items_per_s: float | None
    rate: ReplyRate
    first_token_s: float | None  # median of the items whose replies state it
    model_s: float
    model_cpu_s: float
    peak_mb: float

    def document(self) -> dict[str, Any]:
        """As JSON."""
        latency = self.latency and self.latency._asdict()
        return {**self._asdict(), "latency": latency, "rate": self.rate._asdict()}


def read_figures(document: Mapping[str, Any]) -> CallFigures:
    """Figures from their JSON. Raises TypeError or KeyError for another document."""
    latency, rate = document["latency"], ReplyRate(**document["rate"])
    return CallFigures(**{**document, "latency": latency and Latency(**latency), "rate": rate})


class ItemFigures:
    """Adds up the lines of a journal. Memory is a few numbers per line, independent of the predictions."""

    def __init__(self) -> None:
        self._seconds, self._first_tokens = array("d"), array("d")
        self._cpu_s = self._peak_mb = 0.0
        self._shared_by = 1
        # by unit: amount, seconds, items
        self._reply_sums: dict[str, list[float]] = {"tokens": [0, 0.0, 0], "characters": [0, 0.0, 0]}

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a line. Raises KeyError, TypeError or ValueError for one without its figures."""
        seconds, cpu_s, peak_mb = float(row["seconds"]), float(row["cpu_s"]), float(row["peak_mb"])
        self._seconds.append(seconds)
        self._cpu_s += cpu_s
        self._peak_mb = max(self._peak_mb, peak_mb)
        if "shared_by" in row:
            self._shared_by = max(self._shared_by, int(row["shared_by"]))
        for name, sums in self._reply_sums.items():
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
        """Count tokens if any reply states them; characters are never added to tokens."""
        for name, (amount, seconds, items) in self._reply_sums.items():
            if items:
                return ReplyRate(_quotient(amount, seconds), f"{name}/s", int(items))
        return ReplyRate(None, NOT_MEASURED, 0)


def _quotient(amount: float, seconds: float) -> float | None:
    return round(amount / seconds, 3) if seconds > 0 else None


def _middle(ordered: Sequence[float]) -> float:
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


_TEXTS = ("completion", "text")
_MAX_TOKENS, _MAX_SECONDS = 1 << 40, 1 << 30  # larger values are not plausible


def reply_facts(replies: Sequence[Any]) -> dict[str, float]:
    """Sums over the replies to one item: `tokens`, else `characters`, and `first_token_s`.

    More than one where several models were asked; None stands for one that was not. A reply is text, or a
    mapping in the form of Ianvs's language examples: `completion`, `usage.completion_tokens`, and
    `perf.time_to_first_token` in seconds.

    >>> reply_facts([{"completion": "yes", "usage": {"completion_tokens": 2}}])
    {'tokens': 2}
    >>> reply_facts(["yes", None])
    {'characters': 3}
    """
    if len(replies) == 1 and type(replies[0]) is str:
        return {"characters": len(replies[0])}
    actual_replies = [reply for reply in replies if reply is not None]
    facts: dict[str, float] = {}
    for name, known in (("tokens", _tokens), ("characters", _characters)):
        sizes = [known(reply) for reply in actual_replies]
        if sizes and not any(size is None for size in sizes):
            facts[name] = sum(size for size in sizes if size is not None)
            break
    if len(actual_replies) == 1 and (first := _first_token(actual_replies[0])) is not None:
        facts["first_token_s"] = first
    return facts


def _tokens(reply: Any) -> int | None:
    usage = _mapping(reply, "usage") or (reply if isinstance(reply, dict) else {})
    tokens = usage.get("completion_tokens")
    return tokens if type(tokens) is int and 0 <= tokens < _MAX_TOKENS else None


def _characters(reply: Any) -> int | None:
    texts = [reply.get(key) for key in _TEXTS] if isinstance(reply, dict) else [reply]
    return next((len(text) for text in texts if isinstance(text, str)), None)


def _first_token(reply: Any) -> float | None:
    seconds = _mapping(reply, "perf").get("time_to_first_token")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(seconds) if 0 < seconds < _MAX_SECONDS else None


def _mapping(reply: Any, key: str) -> dict[str, Any]:
    inner = reply.get(key) if isinstance(reply, dict) else None
    return inner if isinstance(inner, dict) else {}
