"""How the report writes names, numbers and lists: one place, so that the page speaks with one voice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from benchwright.judges.python import printable
from benchwright.records import Metric, Outcome
from benchwright.stats.intervals import Interval


def visible(value: object) -> str:
    """Text from outside with control characters, bidi marks and lone surrogates escaped.

    HTML-escaping is the template's work: this is for what would be legal HTML and still deceive.
    """
    return "\t".join(map(printable, str(value).split("\t")))


def named(value: object) -> str:
    """A name from outside, safe to show and never blank: one that cannot be seen is spelled out."""
    name = visible(value)
    if all(char in _BLANK or unicodedata.category(char) == "Mn" for char in name):
        return f"(blank: {' '.join(f'U+{ord(char):04X}' for char in name[:8]) or 'empty'})"
    return name


_BLANK = " \t\u115f\u1160\u2800\u3164\uffa0"  # spaces, and letters that are drawn as nothing


def percent(share: float) -> str:
    """A share as a percentage with one decimal, without its sign."""
    return f"{100 * share:.1f}"


def unbroken(text: str) -> str:
    """The text with no line end between a number and its per cent sign, nor within "p < 0.001"."""
    return _P_VALUE.sub("p\u00a0\\1\u00a0", _PER_CENT.sub("\u00a0%", text))


_PER_CENT = re.compile(r"(?<=\d) %")
_P_VALUE = re.compile(r"\bp ([=<]) (?=\d)")


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
