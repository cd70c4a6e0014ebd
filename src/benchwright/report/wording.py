"""How the report writes names, numbers and lists: one place, so that the page speaks with one voice."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.judges.python import printable
from benchwright.records import Metric, Outcome
from benchwright.stats.intervals import Interval


def visible(value: object) -> str:
    """Text from outside with control characters, bidi marks and lone surrogates escaped.

    HTML-escaping is the template's work: this is for what would be legal HTML and still deceive.
    """
    return "\t".join(map(printable, str(value).split("\t")))


def percent(share: float) -> str:
    """A share as a percentage with one decimal, without its sign."""
    return f"{100 * share:.1f}"


def interval(metric: Metric | Interval) -> str:
    """The 95 % interval of a share, such as "77.5–91.4"."""
    return f"{percent(metric.low)}–{percent(metric.high)}"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 answer", "1,200 answers"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def outcome_label(outcome: str) -> str:
    """An outcome in words."""
    return outcome.replace("_", " ")


def listed(parts: Iterable[str]) -> str:
    """Words in a row: "a", "a and b", "a, b and c"."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def in_order(outcomes: Iterable[str]) -> list[str]:
    """Names of outcomes in the order that every table and chart has."""
    order = [outcome.value for outcome in Outcome]
    return sorted(outcomes, key=order.index)


def seconds(value: float) -> str:
    """A time with as many digits as mean something."""
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def short_spec(spec: str) -> str:
    """A model's spec without the folders of a file: they tell of a machine, not of a model.

    "openai:ORG/NAME" is a name and stays whole.
    """
    scheme, colon, rest = spec.partition(":")
    is_file = scheme == "replay" or rest.startswith(("/", "."))
    return f"{scheme}{colon}{without_folders(rest) if is_file else rest}"


def without_folders(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1]


def shortened(names: Iterable[str], limit: int) -> dict[str, str]:
    """A label of at most `limit` characters for each name, cut in the middle, and no two alike.

    Names of models differ at their ends more often than at their beginnings.
    """
    labels: dict[str, str] = {}
    for name in names:
        label = _cut_middle(name, limit)
        number = 2
        while label in labels.values():
            label = f"{_cut_middle(name, limit - 1 - len(str(number)))}·{number}"
            number += 1
        labels[name] = label
    return labels


def _cut_middle(name: str, limit: int) -> str:
    if len(name) <= limit:
        return name
    tail = (limit - 1) * 3 // 5
    return f"{name[: limit - 1 - tail]}…{name[-tail:]}"
