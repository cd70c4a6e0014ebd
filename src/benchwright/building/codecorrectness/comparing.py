"""Comparison baselines: readers that know all rows and no code, and compare the versions of one focal file.

A mutant is a text that occurs once next to a text that occurs often, so anyone with the whole set may
recognise the changed text without understanding it. Each baseline answers "success", "failed" or, with
nothing to compare, nothing. Stage balance selects rows so that these are right as often as a coin toss, and
the card reports how often they are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

TextReader = Callable[[Sequence[int]], list[str]]  # of the texts of one file's rows, by their numbers
GRAM = 3  # characters; how finely lines that differ are compared


class Versions:
    """Focal texts by number, with their distances; each distance is computed once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lines: list[Counter[str]] = []
        self._known: dict[tuple[int, int], int] = {}

    def number(self, text: str) -> int:
        """The number of a text; equal texts have equal numbers."""
        found = self._numbers.setdefault(text, len(self._numbers))
        if found == len(self._lines):
            self._lines.append(Counter(text.split("\n")))
        return found

    def distance(self, one: int, other: int) -> int:
        """The number of different character trigrams in the lines that only one of the two texts has."""
        if one == other:
            return 0
        pair = (one, other) if one < other else (other, one)
        if pair not in self._known:
            self._known[pair] = self._measured(*pair)
        return self._known[pair]

    def _measured(self, one: int, other: int) -> int:
        left, right = self._lines[one], self._lines[other]
        mine, theirs = _grams(left - right), _grams(right - left)
        return (mine - theirs).total() + (theirs - mine).total()


def _grams(lines: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for line, times in lines.items():
        text = f"\n{line}\n"
        for at in range(len(text) - GRAM + 1):
            found[text[at : at + GRAM]] += times
    return found


def odd_text_out(texts: Sequence[int]) -> list[str]:
    """The most common text of the file is "success", any other "failed".

    It needs three rows, a repeated text and a second text.

    >>> odd_text_out([1, 1, 2])
    ['success', 'success', 'failed']
    """
    times = Counter(texts)
    most = max(times.values(), default=0)
    if len(texts) < 3 or most == 1 or len(times) == 1:
        return [""] * len(texts)
    return ["success" if times[text] == most else "failed" for text in texts]


def unique_text(texts: Sequence[int]) -> list[str]:
    """A text that occurs once is "failed", a repeated one "success"."""
    times = Counter(texts)
    return ["failed" if times[text] == 1 else "success" for text in texts]


def medoid(texts: Sequence[int], versions: Versions) -> list[str]:
    """The text with the least total distance to all rows of the file is "success", any other "failed".

    If all texts are equally far apart, as two always are, there is no answer.
    """
    times = Counter(texts)
    away = {
        text: sum(versions.distance(text, other) * count for other, count in times.items()) for text in times
    }
    least = min(away.values(), default=0)
    if all(each == least for each in away.values()):
        return [""] * len(texts)
    return ["success" if away[text] == least else "failed" for text in texts]


def comparing_readers(versions: Versions) -> dict[str, TextReader]:
    """All comparison baselines by name."""
    return {
        "odd text out": odd_text_out,
        "medoid of the versions": lambda texts: medoid(texts, versions),
        "text unique in the set": unique_text,
    }
