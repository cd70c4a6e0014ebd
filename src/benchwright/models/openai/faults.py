"""What servers do against their own interface, each by name; and how often it is told of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# By name, for events and scores: what the server did.
FAULTS: Mapping[str, str] = {
    "wrong-json": "it sent something that is not JSON",
    "wrong-shape": "it sent JSON that is not a reply to the request",
    "not-utf8": "it sent bytes that are not UTF-8",
    "cut": "it ended the connection in the middle of a reply",
    "packing": "it sent a packed reply that cannot be unpacked",
    "huge": "it sent a reply over the limit",
    "error-in-reply": "it sent an error under status 200",
    "several-choices": "it sent several answers where one was asked for; the first is used",
    "stop-kept": "it left a stop string in the text; it is cut off here",
    "stop-ignored": "it went on after a stop string; the rest is cut off here",
    "usage-missing": "it does not count tokens, so neither does the score",
    "other-model": "it says that another model answered",
    "empty": "it sent empty answers, which count as the model's",
    "finish-reason-missing": "it does not say why answers ended, so cut-off ones may look whole",
}

Tell = Callable[[str, Mapping[str, Any]], None]


class EventCounter:
    """Counts things by name and tells of them seldom: at 1, 2, 5, 10, 20, 50, … and at the end.

    A server that does something wrong does it 20,000 times, and events.jsonl must not grow with it.
    The last event of a name has the whole count.
    """

    def __init__(self, kind: str, tell: Tell) -> None:
        self._kind, self._tell = kind, tell
        self._counts: dict[str, int] = {}
        self._untold: dict[str, Mapping[str, Any]] = {}

    def add(self, name: str, detail: Mapping[str, Any]) -> None:
        """Count one more; `detail` is told if it is told of at all."""
        count = self._counts[name] = self._counts.get(name, 0) + 1
        if _is_round(count):
            self._untold.pop(name, None)
            self._tell(self._kind, {**detail, "count": count})
        else:
            self._untold[name] = detail

    def close(self) -> None:
        """Tell of the counts that have grown since they were told."""
        for name, detail in self._untold.items():
            self._tell(self._kind, {**detail, "count": self._counts[name]})
        self._untold.clear()


def _is_round(count: int) -> bool:
    """Whether it is 1, 2 or 5 times a power of ten."""
    while count % 10 == 0:
        count //= 10
    return count in (1, 2, 5)
