"""chrF++ of texts against their references [Popović, chrF++: words helping character n-grams, WMT 2017].

Equals the corpus score of sacreBLEU 2 (`chrF2++`: character n-grams to 6, words to 2, beta 2, case kept,
white space dropped), from 0 to 1: n-grams of all pairs are counted together, except orders without n-grams
in a pair's reference. Without words it is chrF [Popović, WMT 2015], sacreBLEU's `chrF2`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from string import punctuation
from typing import NamedTuple

CHARACTERS, WORDS, BETA = 6, 2, 2
LIMIT = 1 << 12  # characters of each text that are compared
_MARKS = frozenset(punctuation)
_Counts = Sequence[Counter[Hashable]]  # of n-grams, by order


def chrf(pairs: Iterable[tuple[str, str]], *, words: int = WORDS, limit: int | None = LIMIT) -> float:
    """Compute chrF++ of pairs of text and reference, each truncated to `limit`; both may be empty.

    `words` is the greatest length of word n-grams, 2 or 0.
    """
    rows = [chrf_counts(text[:limit], reference[:limit], words=words) for text, reference in pairs]
    return chrf_of_counts([sum(column) for column in zip(*rows, strict=True)])


def chrf_of_counts(numbers: Sequence[float]) -> float:
    """Compute chrF of summed counts; 0 without any."""
    orders = len(numbers) // 3
    shared, ours, theirs = numbers[:orders], numbers[orders : 2 * orders], numbers[2 * orders :]
    if not any(shared):
        return 0.0
    counted = [each for each in zip(shared, ours, theirs, strict=True) if each[1] and each[2]]
    precision: float = sum(n / found for n, found, _ in counted) / len(counted)
    recall: float = sum(n / wanted for n, _, wanted in counted) / len(counted)
    weight = BETA * BETA
    return (1 + weight) * precision * recall / (weight * precision + recall)


def chrf_counts(text: str, reference: str, *, words: int) -> list[int]:
    """Count n-grams by order: common ones, those of the text, and those of the reference."""
    return _ngram_counts(_side(text, words), _reference(reference, words))


class _ComparedText(NamedTuple):
    """A text prepared for comparison."""

    characters: str  # without white space
    words: _Counts
    totals: list[int]  # of n-grams, by order: of characters, then of words


def _side(text: str, longest: int) -> _ComparedText:
    characters, words = "".join(text.split()), _words(text) if longest else []
    totals = [max(0, len(characters) - order) for order in range(CHARACTERS)]
    totals += [max(0, len(words) - order) for order in range(longest)]
    counts: _Counts = [Counter(words), Counter(pairwise(words))]
    return _ComparedText(characters, counts[:longest], totals)


_reference = lru_cache(maxsize=64)(_side)  # the answers to one task come one after the other


def _ngram_counts(text: _ComparedText, reference: _ComparedText) -> list[int]:
    """Count n-grams by order: common ones, those of the text, and those of the reference."""
    shared = [*_shared_characters(text.characters, reference.characters)]
    shared += map(_clipped_matches, text.words, reference.words)
    ours = [n if total else 0 for n, total in zip(text.totals, reference.totals, strict=True)]
    return [*shared, *ours, *reference.totals]


def _shared_characters(text: str, reference: str) -> Iterator[int]:
    """Count common character n-grams by order, with multiplicity.

    N-grams within a common start or end are only counted. Elsewhere the reference can contain an n-gram only
    if it contains the shorter one, so most places are ruled out early.
    """
    text, reference, cut = _without_common_ends(text, reference)
    places: Sequence[int] = range(len(text))
    for order, counts in enumerate(_character_counts(reference), 1):
        if not places:
            yield cut
            continue
        runs = [text[at : at + order] for at in places]
        hits = list(map(counts.__contains__, runs))
        places, runs = list(compress(places, hits)), list(compress(runs, hits))
        once = len(set(runs)) == len(runs)  # as long n-grams mostly are
        yield cut + (len(runs) if once else _clipped_matches(Counter(runs), counts))


def _without_common_ends(text: str, reference: str) -> tuple[str, str, int]:
    """Remove the common start and end of both texts, and return their length.

    The cut leaves an overlap, so that each n-gram is completely within the removed or the remaining part.
    """
    front = max(0, _common(text, reference) - CHARACTERS + 1)
    text, reference = text[front:], reference[front:]
    back = max(0, _common(text[::-1], reference[::-1]) - CHARACTERS + 1)
    return text[: len(text) - back], reference[: len(reference) - back], front + back


def _common(one: str, other: str) -> int:
    """Return the length of the common start."""
    differing = (at for at, (ours, theirs) in enumerate(zip(one, other, strict=False)) if ours != theirs)
    return next(differing, min(len(one), len(other)))


def _clipped_matches(found: Counter[Hashable], wanted: Counter[Hashable]) -> int:
    return sum(map(min, found.values(), map(wanted.__getitem__, found)))


@lru_cache(maxsize=64)
def _character_counts(text: str) -> _Counts:
    lengths = range(1, CHARACTERS + 1)
    return [Counter(text[at : at + n] for at in range(len(text) - n + 1)) for n in lengths]


def _words(text: str) -> list[str]:
    """Split a text into words; a punctuation mark at an end is a separate word."""
    found = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _MARKS:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _MARKS:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found
