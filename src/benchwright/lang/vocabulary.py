"""Tables of easily confused names, opposite words, and exceptions that operations raise."""

from __future__ import annotations

import re
from collections.abc import Collection

# words of identifiers that are mistaken for each other; a slip needs both in the file
_WORDS = """
left right|first last|start end|begin end|begin finish|min max|head tail|next prev|next previous
front back|row col|row column|rows cols|rows columns|width height|lower upper|low high|lo hi
source target|src dst|src dest|old new|before after|prefix suffix|key value|keys values|x y|i j
a b|push pop|top bottom|parent child|open close|add remove|insert delete|input output
numerator denominator|major minor|minor patch|hour minute|minute second|day month|month year
years months|days hours|less greater|smallest largest|lowest highest|floor ceil|ceiling floor
horizontal vertical|from to|and or|any all|union intersection|inner outer|encode decode
read write|size capacity|odd even|first second|second third|p q|u v|n m
successor predecessor
"""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|[0-9]+|_+")


def families(text: str) -> dict[str, tuple[str, ...]]:
    """Map each name to the other names of its families, which `|` or a line end separates."""
    found: dict[str, tuple[str, ...]] = {}
    for family in re.split(r"[|\n]", text):
        words = family.split()
        for word in words:
            found[word] = (*found.get(word, ()), *(other for other in words if other != word))
    return found


_OPPOSITE = families(_WORDS)


def opposites(name: str, known: Collection[str]) -> list[str]:
    """Return the known names that differ from this one by an opposite word or by an adjacent number."""
    parts = _PARTS.findall(name)
    found = []
    for at, part in enumerate(parts):
        for other in _alternatives(part):
            changed = "".join([*parts[:at], other, *parts[at + 1 :]])
            if changed in known and changed != name:
                found.append(changed)
    return found


def _alternatives(part: str) -> list[str]:
    if part.isdigit():
        return [str(int(part) + step) for step in (1, -1) if int(part[:9]) + step >= 0]
    return [_as(part, other) for other in _OPPOSITE.get(part.lower(), ())]


def _as(like: str, word: str) -> str:
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[0].isupper() else word


_ENDING = re.compile(r"[A-Z]\w*(?:Error|Exception)|StopIteration|KeyboardInterrupt")


def by_token(text: str) -> dict[str, frozenset[str]]:
    """Parse a table of exceptions by token. Each line has tokens, a colon, and exceptions."""
    found: dict[str, set[str]] = {}
    for line in text.strip().splitlines():
        tokens, _, names = line.partition(": ")
        for token in tokens.split():
            found.setdefault(token, set()).update(names.split())
    return {token: frozenset(names) for token, names in found.items()}


def is_exception(name: str) -> bool:
    """Return whether a name ends like that of an exception; `Error` and `Exception` alone do not count.

    >>> is_exception("IOException"), is_exception("Error"), is_exception("error")
    (True, False, False)
    """
    last = name.rpartition(".")[2]
    return _ENDING.fullmatch(last) is not None and last not in ("Error", "Exception")
