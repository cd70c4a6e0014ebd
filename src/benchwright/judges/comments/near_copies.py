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

NEAR = 0.5  # of a reference's words in a sentence, from which on a changed number or order counts
COPY = 0.6  # of the words of both in the other, from which on any changed word is doubtful

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
# What stands before such a word and what stands behind it cannot change places.
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
    """What a near copy `said` of a reference `wanted` changes, "" for nothing that rules can tell.

    `orders` are the stems of both as they stand, `names` those that names of the code have.
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
    """Whether words of a near copy stand where the reference has others that mean something else."""
    shared = len(set(ours) & set(theirs))
    if min(shared / len(set(ours)), shared / len(set(theirs))) < COPY:
        return False
    known = GENERAL | _DEGREES
    return any(not _means(one, other) for one, other in _replaced(ours, theirs) if other not in known)


def _numbers_differ(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    one, other = ({each for each in order if each[0].isdigit()} for order in (ours, theirs))
    return bool(one - other and other - one)


def _bound(text: str) -> int:
    """1 for a bound that itself is within, -1 for one that is not, 0 for none."""
    if _WITHIN.search(text):
        return 1
    return -1 if _BEYOND.search(text) else 0


def _replaced(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """The words of one text and what stands in their places in the other."""
    found = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    same_length = [each for each in found if each[0] == "replace" and each[2] - each[1] == each[4] - each[3]]
    return [pair for _, a, b, c, d in same_length for pair in zip(ours[a:b], theirs[c:d], strict=True)]


def _means(one: str, other: str) -> bool:
    return one == other or not concepts([one]).isdisjoint(concepts([other]))


def _swapped(pairs: Sequence[tuple[str, str]], ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two words stand in each other's place, or two opposites are the other way round."""
    if any(one != other and (other, one) in pairs for one, other in pairs):
        return True
    both = [each for each in dict.fromkeys(ours) if each in theirs]
    return any(
        exclude_each_other(one, other) and theirs.index(one) > theirs.index(other)
        for one, other in combinations(both, 2)
        if abs(ours.index(one) - ours.index(other)) > 1 < abs(theirs.index(one) - theirs.index(other))
    )


def _sides_swapped(wanted: str, said: str, orders: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Whether what stood before a word of order now stands behind it, and the other way round."""
    one, other = _ORDERS.search(wanted), _ORDERS.search(said)
    if one is None or other is None or one[0].lower() != other[0].lower():
        return False
    known = set(orders[0]) & set(orders[1])
    before, behind = (_stems_in(part) & known for part in (wanted[: one.start()], wanted[one.end() :]))
    first, second = (_stems_in(part) & known for part in (said[: other.start()], said[other.end() :]))
    return bool(before & second - first and behind & first - second and not behind & second)


def _joined_otherwise(wanted: str, said: str, orders: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Whether a sentence of the same words has "or" where the other has "and"."""
    if list(orders[0]) != list(orders[1]):
        return False
    more = len(_AND.findall(wanted)) - len(_AND.findall(said))
    return more != 0 and more == len(_OR.findall(said)) - len(_OR.findall(wanted))


def _stems_in(text: str) -> set[str]:
    return set(stems(words(text)))
