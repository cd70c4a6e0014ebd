"""Reading scores out of the texts of a judge, in the form that Ianvs's language examples ask for.

A judge ends its text with `'Composite score': 7`. The examples take the first whole number behind exactly
these characters, leave a text without one out of the mean, and give -1 where there is none. That is the form
`ianvs-exact`. The form `strict` takes the last well-formed score, in either quotes, with a fraction, within
the scale, and says how many texts had one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

FORMS = ("strict", "ianvs-exact")
KEYS = ("Composite score", "Overall Points")  # what the judges of the published examples are told to write
LOW, HIGH = 1.0, 10.0
_NAMED_NUMBER = re.compile(r"""["'][^"'\n]{1,40}["']\s{0,9}[:=]\s{0,9}["']?-?\d""")


class Composite(NamedTuple):
    """A mean of scores and how many texts had one: `value` is -1 in `ianvs-exact`, else None, without any."""

    value: float | None
    scored: int
    total: int


def composite(
    texts: Sequence[Any], *, form: str, key: str = KEYS[0], low: float = LOW, high: float = HIGH
) -> Composite:
    """The mean score of some texts of a judge."""
    if form == "ianvs-exact":
        whole = [score for text in texts if (score := exact_score(text, key)) is not None]
        return Composite(sum(whole) / len(whole) if whole else -1, len(whole), len(texts))
    found = [each for text in texts if (each := strict_score(text, key, low, high)) is not None]
    return Composite(math.fsum(found) / len(found) if found else None, len(found), len(texts))


def exact_score(text: Any, key: str = KEYS[0]) -> int | None:
    """The first whole number behind the key in single quotes, a colon and one space."""
    found = _exactly(key).search(text) if isinstance(text, str) else None
    return int(found[1][:300]) if found else None


def strict_score(text: Any, key: str = KEYS[0], low: float = LOW, high: float = HIGH) -> float | None:
    """The last number behind the quoted key; None where it is not within the scale, or there is none.

    >>> strict_score('he wrote "Composite score": 10, I say {"Composite score": 2.5}')
    2.5
    """
    numbers = [each[2] for each in _strictly(key).finditer(text)] if isinstance(text, str) else []
    return score if numbers and low <= (score := float(numbers[-1])) <= high else None


def unscored(texts: Sequence[Any]) -> Iterable[list[int]]:
    """Which of the texts hold no score, by each way of reading that finds one in some but not in all of them.

    For a metric of somebody's own: it reads the texts in a way that is not known.
    """
    seen: list[list[int]] = []
    for key in KEYS:
        for read in (exact_score, strict_score):
            without = [number for number, text in enumerate(texts) if read(text, key) is None]
            if 0 < len(without) < len(texts) and without not in seen:
                seen.append(without)
    return seen


def tells_score(text: Any) -> bool:
    """Whether a text holds a number behind a quoted name, as a judge's does, whatever the name."""
    return isinstance(text, str) and _NAMED_NUMBER.search(text) is not None


@cache
def _exactly(key: str) -> re.Pattern[str]:
    return re.compile(rf"'{re.escape(key)}': (\d+)")


@cache
def _strictly(key: str) -> re.Pattern[str]:
    return re.compile(
        rf"""(?P<quote>["']){re.escape(key)}(?P=quote)\s{{0,9}}:\s{{0,9}}["']?(-?\d{{1,9}}(?:\.\d{{1,9}})?)(?![\d.]*\d)""",
        re.IGNORECASE,
    )
