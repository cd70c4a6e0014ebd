"""What a near copy of a reference changes: a number, a name, a unit, an order, a bound.

A sentence that has most words of a reference says the same or something else by the few words that differ.
Only such differences count that cannot be another wording; what rules cannot decide is doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from benchwright.text.concepts import concepts
from benchwright.text.converses import converse_words
from benchwright.text.filler import GENERAL
from benchwright.text.polarity import exclude_each_other
from benchwright.text.words import stems, words

NEAR = 0.5  # share of a reference's words in a sentence above which a changed number or order counts
COPY = 0.6  # share of the words of both in the other above which any changed word is doubtful

_WITHIN = re.compile(
    r"\b(?:at (?:most|least)|(?:no|not) (?:more|less|fewer|greater|larger|smaller|later|earlier) than"
    r"|or equal|не (?:больше|меньше|более|менее|выше|ниже|позже|раньше)|или рав\w+)\b"
    r"|不超过|不少于|至多|至少|最多|最少|不大于|不小于|[大小]于等于",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:more|less|fewer|greater|larger|smaller|later|earlier) than\b"
    r"|\b(?:больше|меньше|более|менее|выше|ниже|позже|раньше)\b"
    r"|大于|小于|超过|少于",
    re.IGNORECASE,
)
# the text before such a word and the text after it are not interchangeable
_ORDERS = re.compile(
    r"\b(?:before|after|then|than|not|instead of|rather than|followed by|minus|into)\b"
    r"|\b(?:до|после|потом|затем|чем|не|вместо)\b"
    r"|之前|之后|然后|而不是|不是",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|и)\b|并且|以及|和", re.IGNORECASE)
_OR = re.compile(r"\b(?:or|или)\b|或", re.IGNORECASE)
_DEGREES = frozenset(stems(words("more most less least fewer больше меньше более менее")))  # see `_bound`
_PASSIVE = re.compile(r"\bby\b", re.IGNORECASE)


def contradiction(
    wanted: str, said: str, orders: tuple[Sequence[str], Sequence[str]], names: Collection[str]
) -> str:
    """Return what a near copy `said` of a reference `wanted` changes, "" for nothing that rules can find.

    `orders` are the stems of both in order, `names` the stems of names of the code.
    """
    ours, theirs = orders
    if _numbers_differ(ours, theirs):
        return "another number"
    if _bound(wanted) * _bound(said) < 0:
        return "another bound"
    if converse_words(wanted, said):
        return ""
    pairs = _replaced(ours, theirs)
    if any(one in names and other in names and not _means(one, other) for one, other in pairs):
        return "another name"
    if _swapped(pairs, ours, theirs) or _sides_swapped(wanted, said, orders):
        return "another order" if not _PASSIVE.search(said) else ""
    return "and for or" if _joined_otherwise(wanted, said, orders) else ""


def is_doubtful(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether a near copy has words that mean something else in place of the reference's."""
    shared = len(set(ours) & set(theirs))
    if min(shared / len(set(ours)), shared / len(set(theirs))) < COPY:
        return False
    known = GENERAL | _DEGREES
    return any(not _means(one, other) for one, other in _replaced(ours, theirs) if other not in known)


def _numbers_differ(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    one, other = ({each for each in order if each[0].isdigit()} for order in (ours, theirs))
    return bool(one - other and other - one)


def _bound(text: str) -> int:
    """Return 1 for an inclusive bound, -1 for an exclusive one, 0 for none."""
    if _WITHIN.search(text):
        return 1
    return -1 if _BEYOND.search(text) else 0


def _replaced(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words of one text and those in their places in the other."""
    found = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    same_length = [each for each in found if each[0] == "replace" and each[2] - each[1] == each[4] - each[3]]
    return [pair for _, a, b, c, d in same_length for pair in zip(ours[a:b], theirs[c:d], strict=True)]


def _means(one: str, other: str) -> bool:
    return one == other or not concepts([one]).isdisjoint(concepts([other]))


def _swapped(pairs: Sequence[tuple[str, str]], ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Return whether two words are in each other's place, or two opposites are swapped."""
    if any(one != other and (other, one) in pairs for one, other in pairs):
        return True
    both = [each for each in dict.fromkeys(ours) if each in theirs]
    return any(
        exclude_each_other(one, other) and theirs.index(one) > theirs.index(other)
        for one, other in combinations(both, 2)
        if abs(ours.index(one) - ours.index(other)) > 1 < abs(theirs.index(one) - theirs.index(other))
    )


def _sides_swapped(wanted: str, said: str, orders: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether the text before a word of order is now after it, and the other way round."""
    one, other = _ORDERS.search(wanted), _ORDERS.search(said)
    if one is None or other is None or one[0].lower() != other[0].lower():
        return False
    known = set(orders[0]) & set(orders[1])
    before, behind = (_stems_in(part) & known for part in (wanted[: one.start()], wanted[one.end() :]))
    first, second = (_stems_in(part) & known for part in (said[: other.start()], said[other.end() :]))
    return bool(before & second - first and behind & first - second and not behind & second)


def _joined_otherwise(wanted: str, said: str, orders: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether a sentence of the same words has "or" where the other has "and"."""
    if list(orders[0]) != list(orders[1]):
        return False
    more = len(_AND.findall(wanted)) - len(_AND.findall(said))
    return more != 0 and more == len(_OR.findall(said)) - len(_OR.findall(wanted))


def _stems_in(text: str) -> set[str]:
    return set(stems(words(text)))
