"""Numbers, names and lists as text for sentences and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from benchwright.display.escape import escaped_name
from benchwright.records import Outcome, SelfCheck

MINUS = "−"
_NOTHING = 5e-6  # a share that no digit shows
_PER_CENT = re.compile(r"(?<=\d) %")
_P_VALUE = re.compile(r"\bp ([=<]) (?=\d)")


class HasBounds(Protocol):
    """An object with a lower and an upper bound: a metric, an interval."""

    @property
    def low(self) -> float:
        """The lower bound."""

    @property
    def high(self) -> float:
        """The upper bound."""


def percent(share: float) -> str:
    """A share as a percentage with one decimal, without its sign."""
    return f"{100 * share:.1f}"


def interval(bounds: HasBounds) -> str:
    """An interval of a share in per cent, such as "77.5–91.4"."""
    return f"{percent(bounds.low)}–{percent(bounds.high)}"


def confidence_text(confidence: float) -> str:
    """A confidence level as text: 0.95 as "95 %"."""
    return f"{100 * confidence:g} %"


def unbroken(text: str) -> str:
    """The text with no-break spaces before per cent signs and in "p < 0.001"."""
    return _P_VALUE.sub("p\u00a0\\1\u00a0", _PER_CENT.sub("\u00a0%", text))


def points(*shares: float) -> list[str]:
    """Shares as signed points, such as "+12.3", with as many digits as the smallest needs.

    One digit, but two or three if a value other than zero would show as 0.0: an interval that excludes
    zero must look like it.
    """
    for digits in (1, 2, 3):
        texts = [f"{100 * abs(share):.{digits}f}" for share in shares]
        if all(float(text) or abs(share) < _NOTHING for text, share in zip(texts, shares, strict=True)):
            break
    return [_sign(share, text) + text for share, text in zip(shares, texts, strict=True)]


def _sign(share: float, text: str) -> str:
    if not float(text):
        return ""
    return MINUS if share < 0 else "+"


def about(share: float) -> str:
    """A share in points after "about": an integer from ten on, else with one digit."""
    size = 100 * share
    return f"{size:.0f}" if size >= 9.95 else f"{size:.1f}"


def plain_number(number: float) -> str:
    """A number with two decimals and a true minus sign."""
    text = f"{number:.2f}"
    return text.replace("-", MINUS) if float(text) else "0.00"


def scaled_number(value: float, scale: str) -> str:
    """A figure by its scale: 0.712 as "71.2 %" (share), "71.2" (points) or "0.71" (correlation)."""
    if scale == "correlation":
        return plain_number(value)
    return f"{percent(value)} %" if scale == "share" else percent(value)


def scaled_whole(value: float, scale: str) -> str:
    """A share or points without decimals: "71 %", "71"."""
    return f"{100 * value:.0f} %" if scale == "share" else f"{100 * value:.0f}"


def scaled_interval(bounds: HasBounds, scale: str) -> str:
    """An interval by its scale: "60.1–80.9" (share, points) or "−0.05 to 0.61" (correlation)."""
    if scale == "correlation":
        return f"{plain_number(bounds.low)} to {plain_number(bounds.high)}"
    return interval(bounds)


def p_value(p: float) -> str:
    """A p value as "p = 0.003", or "p < 0.001" below that; never rounded across 0.05."""
    if p < 0.001:
        return "p < 0.001"
    text = f"{p:.3f}"
    return f"p = {p:.4f}" if text == "0.050" else f"p = {text}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 answer", "1,200 answers"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def singular(noun: str) -> str:
    """The singular of a regular English plural: "tasks" as "task", "repositories" as "repository"."""
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def joined(parts: Iterable[str]) -> str:
    """An enumeration: "a", "a and b", "a, b and c"."""
    *most, last = list(parts) or [""]
    return f"{', '.join(most)} and {last}" if most else last


def as_sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def seconds(value: float) -> str:
    """A duration with as many digits as are significant."""
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def duration(seconds: float) -> str:
    """A duration for people, such as "90 s", "12 min", "30.0 h"."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds > _LONGEST_S:
        return "more than 100 days"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


_LONGEST_S = 100 * 86_400.0


def outcome_label(outcome: str) -> str:
    """The name of an outcome in words."""
    return outcome.replace("_", " ")


_PLACES = {outcome.value: place for place, outcome in enumerate(Outcome)}


def in_order(outcomes: Iterable[str]) -> list[str]:
    """Outcomes in the order of all tables and charts."""
    return sorted(outcomes, key=_PLACES.__getitem__)


def short_spec(spec: str) -> str:
    """A model spec without the folders of a file, which describe a machine, not a model.

    "openai:ORG/NAME" is a name and stays whole.
    """
    scheme, colon, rest = spec.partition(":")
    is_file = scheme == "replay" or rest.startswith(("/", "."))
    return f"{scheme}{colon}{without_folders(rest) if is_file else rest}"


def without_folders(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1]


def self_check_text(check: SelfCheck) -> str:
    """The result of a self-check, and how much of it comes from earlier runs."""
    found = (
        f"gold passed {check.gold_passed} of {check.gold_total}, "
        f"stub passed {check.stub_passed} of {check.stub_total}"
    )
    if not check.kept:
        return found
    since = check.since[:16].replace("T", " ")
    again = f"; {check.canaries} of them were judged again among the answers" if check.canaries else ""
    return f"{found}; {check.kept} of these were proved by earlier runs since {since} UTC{again}"


def first_names(names: Sequence[object], most: int = 5) -> str:
    """The first few names and the number of further ones: "a, b, c and 12 more"."""
    first = [escaped_name(str(name), 60) for name in names[:most]]
    more = len(names) - len(first)
    return f"{', '.join(first)} and {more:,} more" if more else ", ".join(first)
