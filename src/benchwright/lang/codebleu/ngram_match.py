"""BLEU of words between white space, and the same with weights for the language's keywords.

BLEU: Papineni et al., 2002, with the first smoothing of Chen and Cherry, 2014. The weighted form divides by
the reference's n-grams, and the library computes its brevity penalty with a reference of two words, always.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

ORDERS = 4
_EPSILON = 0.1  # in place of no common n-gram
_LIGHT = 0.2  # weight of other words than keywords
_FIXED_REFERENCE = 2  # words

Counts = Counter[tuple[str, ...]]


def ngram_match(reference: Sequence[str], other: Sequence[str]) -> float:
    """BLEU-4 from 0 to 1 of one text against one reference."""
    pairs = []
    for order in range(1, ORDERS + 1):
        own, wanted = _ngrams(other, order), _ngrams(reference, order)
        pairs.append((float((own & wanted).total()), float(max(1, own.total()))))
    return _mean(pairs) * _brevity(len(reference), len(other))


def weighted_ngram_match(reference: Sequence[str], other: Sequence[str], keywords: Collection[str]) -> float:
    """The weighted form from 0 to 1: single words weigh 1 if they are keywords, else 0.2."""
    pairs = []
    for order in range(1, ORDERS + 1):
        wanted = _ngrams(reference, order)
        common = wanted & _ngrams(other, order)
        if order == 1:
            pairs.append((_weight(common, keywords), max(1.0, _weight(wanted, keywords))))
        else:
            pairs.append((float(common.total()), float(max(1, wanted.total()))))
    return _mean(pairs) * _brevity(_FIXED_REFERENCE, len(other))


def _ngrams(words: Sequence[str], order: int) -> Counts:
    return Counter(zip(*(words[at:] for at in range(order)), strict=False))


def _weight(counts: Counts, keywords: Collection[str]) -> float:
    return math.fsum(many * (1.0 if word in keywords else _LIGHT) for (word,), many in counts.items())


def _mean(pairs: Sequence[tuple[float, float]]) -> float:
    """The geometric mean of fractions; 0 without a common word."""
    if pairs[0][0] == 0:
        return 0.0
    logs = (math.log((top or _EPSILON) / bottom) for top, bottom in pairs)
    return math.exp(math.fsum(logs) / ORDERS)


def _brevity(reference: int, other: int) -> float:
    if other > reference:
        return 1.0
    return math.exp(1 - reference / other) if other else 0.0
