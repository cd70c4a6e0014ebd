"""Converse relations: "A before B" means the same as "B after A"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchwright.text.words import stem, stems, words

_PAIRS = """
before after|earlier later|above below|over under|larger smaller|bigger smaller|greater smaller|greater less|more less|more fewer
higher lower|longer shorter|older newer|older younger|faster slower|inside outside
до после|раньше позже|прежде после|выше ниже|больше меньше|длиннее короче|старше младше|старше новее|быстрее медленнее
之前 之后|以前 以后|大于 小于|高于 低于|早于 晚于|多于 少于
"""


class _Sides(NamedTuple):
    """Stems on both sides of a relation."""

    left: frozenset[str]
    right: frozenset[str]


def _converses() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", "|").strip("|").split("|"):
        one, other = (stem(words(word)[0]) for word in pair.split())
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


_CONVERSES = _converses()


def converse_words(wanted: str, found: str) -> frozenset[str]:
    """Return stems of converse relations with exchanged sides, so that both texts mean the same.

    >>> sorted(converse_words("A header comes before its rows.", "The rows come after the header."))
    ['aft', 'befor']
    """
    ours, theirs = stems(words(wanted)), stems(words(found))
    crossed: set[str] = set()
    for word in _CONVERSES.keys() & set(ours) - set(theirs):
        for other in _CONVERSES[word] & set(theirs) - set(ours):
            if _crossed(_sides(wanted, ours, word), _sides(found, theirs, other)):
                crossed |= {word, other}
    return frozenset(crossed)


def _sides(text: str, order: Sequence[str], relation: str) -> _Sides:
    """Return both sides of a relation. At the start of a sentence its right side comes first: "After A, B."."""
    at = order.index(relation)
    if at:
        return _Sides(frozenset(order[:at]), frozenset(order[at + 1 :]))
    first, comma, second = text.replace("，", ",").partition(",")
    if comma:
        return _Sides(frozenset(stems(words(second))), frozenset(stems(words(first))[1:]))
    middle = 1 + len(order[1:]) // 2
    return _Sides(frozenset(order[middle:]), frozenset(order[1:middle]))


def _crossed(one: _Sides, other: _Sides) -> bool:
    """Return whether each side has more in common with the opposite side of the other relation."""
    straight = len(one.left & other.left) + len(one.right & other.right)
    return len(one.left & other.right) + len(one.right & other.left) > straight
