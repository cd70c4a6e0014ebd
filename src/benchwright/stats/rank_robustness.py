"""Robustness of the first place: the fewest pairwise votes whose removal puts another contestant first.

Published rankings by votes depend on few of them (Huang and others 2025 report 2 of 57,477), and no
interval shows that. Votes of one kind, such as "a beat b", are interchangeable, so a set of votes is a number
of each kind. `at_most` is the size of a set that was found and refitted, so it is proven; `at_least` is one
more than the largest size at which every set was refitted. Where they are equal the number is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, islice
from math import comb
from typing import Any, NamedTuple

from benchwright.records import Record
from benchwright.stats.bradley_terry import PairVote, VoteCounts, fit_strengths, vote_influence
from benchwright.stats.optional_imports import numpy

TRIED, FARTHEST = 20_000, 500  # sets that are refitted in all; votes that the search for a set goes on for
_BLOCK = 500
_AHEAD = 1e-9

_Kind = tuple[str, str, str]  # "win", winner, loser; or "tie" and two names in order


class FirstPlace(Record, frozen=True, kw_only=True):
    """How few votes decide who is first. `at_most` is None where no set of up to `FARTHEST` votes was found.

    `dropped` is the number of votes of each kind in such a set: "a beat b", "a and b tied". A set does not
    count if the remaining votes give no order.
    """

    leader: str
    at_least: int
    at_most: int | None
    rival: str = ""  # the contestant that would lead
    dropped: dict[str, int] = {}

    @property
    def is_exact(self) -> bool:
        """Whether every smaller set was ruled out."""
        return self.at_least == self.at_most


def first_place(votes: Sequence[PairVote], *, tried: int = TRIED) -> FirstPlace | None:
    """The fewest votes to drop for another contestant to come first; None without an order.

    A shared first place needs none.
    """
    search = _Search(numpy("ranking by votes"), VoteCounts.of(votes))
    if search.tally.refusal()[0]:
        return None
    found = search.nearest()
    if found is not None and not found.total():
        return FirstPlace(leader=search.leader, at_least=0, at_most=0, rival=search.ahead(found))
    most = FARTHEST + 1 if found is None else found.total()
    size = 1
    while size < most and comb(len(search.kinds) + size - 1, size) <= tried:
        tried -= comb(len(search.kinds) + size - 1, size)
        if smaller := search.of_size(size):
            found, most = smaller, size
            break
        size += 1
    if found is None:
        return FirstPlace(leader=search.leader, at_least=size, at_most=None)
    dropped = {_words(kind): number for kind, number in sorted(found.items())}
    rival = search.ahead(found)
    return FirstPlace(leader=search.leader, at_least=size, at_most=most, rival=rival, dropped=dropped)


def _words(kind: _Kind) -> str:
    how, one, other = kind
    return f"{one} beat {other}" if how == "win" else f"{one} and {other} tied"


class _FitResult(NamedTuple):
    strengths: Any
    factor: Any


class _Search:
    def __init__(self, np: Any, tally: VoteCounts) -> None:
        self.np, self.tally = np, tally
        self.kinds: dict[_Kind, int] = {
            **{("win", *pair): number for pair, number in tally.won.items()},
            **{("tie", *pair): number for pair, number in tally.tied.items()},
        }
        self._whole: dict[frozenset[_Kind], bool] = {}
        self.leader = "" if tally.refusal()[0] else self._first()

    def nearest(self) -> Counter[_Kind] | None:
        """The smallest set found by repeatedly dropping the most influential vote."""
        sets = [self._towards(rival) for rival in self.tally.names if rival != self.leader]
        return min((each for each in sets if each is not None), key=Counter.total, default=None)

    def of_size(self, size: int) -> Counter[_Kind] | None:
        """A set of this many votes whose removal puts another first; None if there is none."""
        for block in _blocks(map(Counter, combinations_with_replacement(sorted(self.kinds), size))):
            possible = [dropped for dropped in block if self._is_possible(dropped)]
            if possible and (found := self._changing(possible)) is not None:
                return found
        return None

    def ahead(self, dropped: Counter[_Kind]) -> str:
        """The best other contestant without these votes."""
        found = self._fit([dropped]).strengths[0]
        others = [name for name in self.tally.names if name != self.leader]
        return max(others, key=lambda name: float(found[self.tally.names.index(name)]))

    def _first(self) -> str:
        found = self._fit([Counter()]).strengths[0]
        return self.tally.names[int(found.argmax())]

    def _changing(self, sets: Sequence[Counter[_Kind]]) -> Counter[_Kind] | None:
        found = self._fit(sets).strengths
        own = found[:, self.tally.names.index(self.leader)]
        changed = (found.max(axis=1) > own + _AHEAD).nonzero()[0]
        return sets[int(changed[0])] if len(changed) else None

    def _is_possible(self, dropped: Counter[_Kind]) -> bool:
        """Whether that many votes of each kind exist, and an order remains without them."""
        if any(number > self.kinds[kind] for kind, number in dropped.items()):
            return False
        dropped_kinds = frozenset(kind for kind, number in dropped.items() if number == self.kinds[kind])
        if dropped_kinds and dropped_kinds not in self._whole:
            self._whole[dropped_kinds] = not self._remaining_counts(dropped).refusal()[0]
        return not dropped_kinds or self._whole[dropped_kinds]

    def _remaining_counts(self, dropped: Counter[_Kind]) -> VoteCounts:
        won, tied = self.tally.won.copy(), self.tally.tied.copy()
        for (how, *pair), number in dropped.items():
            (won if how == "win" else tied)[pair[0], pair[1]] -= number
        return self.tally._replace(won=+won, tied=+tied)

    def _fit(self, sets: Sequence[Counter[_Kind]]) -> _FitResult:
        np = self.np
        left = [self._remaining_counts(dropped) for dropped in sets]
        wins = np.array([each.wins(np) for each in left])
        ties = np.array([each.ties(np) for each in left])
        return _FitResult(*fit_strengths(np, wins, ties))

    def _towards(self, rival: str) -> Counter[_Kind] | None:
        """Votes dropped one by one until this rival is ahead, each time the one with the largest effect."""
        dropped = Counter[_Kind]()
        one, other = self.tally.names.index(self.leader), self.tally.names.index(rival)
        for _ in range(FARTHEST + 1):
            left = self._remaining_counts(dropped)
            found = self._fit([dropped])
            if found.strengths[0, other] > found.strengths[0, one] + (_AHEAD if dropped else -_AHEAD):
                return dropped
            gains = vote_influence(self.np, found.strengths[0], float(found.factor[0]), left, one, other)
            for kind in sorted(gains, key=lambda kind: (-gains[kind], kind)):
                if gains[kind] <= 0:
                    return None
                if self._is_possible(dropped + Counter([kind])):
                    dropped[kind] += 1
                    break
            else:
                return None
        return None


def _blocks(sets: Iterator[Counter[_Kind]]) -> Iterator[list[Counter[_Kind]]]:
    while block := list(islice(sets, _BLOCK)):
        yield block
