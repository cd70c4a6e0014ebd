"""BLEU of one text against one reference [Papineni et al., ACL 2002], with the tokens of mteval-v13a.

Equals sacreBLEU 2's `corpus_bleu` of one pair with its defaults (tokens of 13a, case kept, n-grams to 4,
exponential smoothing), as a share from 0 to 1. Both texts may be empty.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import exp, fsum, log

ORDER = 4
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MARKS = re.compile(r"([!-&(-+:-@\[-`{-~/ ])")  # ASCII punctuation except ' , - .
_BEFORE_MARK = re.compile(r"([^0-9])([.,])")
_AFTER_MARK = re.compile(r"([.,])([^0-9])")
_DASH = re.compile(r"([0-9])(-)")


def bleu(text: str, reference: str) -> float:
    """Compute BLEU of a text; 0 without a common n-gram, or with fewer than four tokens."""
    ours, theirs = tokens(text), tokens(reference)
    shares: list[float] = []
    halvings = 0
    for order in range(1, ORDER + 1):
        total = len(ours) - order + 1
        common = sum((_ngrams(ours, order) & _ngrams(theirs, order)).values())
        if total < 1 or (order == 1 and not common):
            return 0.0
        halvings += not common
        shares.append(common / total if common else 1 / (2**halvings * total))
    brevity = min(0.0, 1 - len(theirs) / len(ours))
    return exp(brevity + fsum(map(log, shares)) / ORDER)


def tokens(text: str) -> list[str]:
    """Split a text as mteval-v13a does: at white space and around punctuation, except inside numbers."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, char in _ENTITIES:
        text = text.replace(entity, char)
    text = _MARKS.sub(r" \1 ", f" {text} ")
    text = _AFTER_MARK.sub(r" \1 \2", _BEFORE_MARK.sub(r"\1 \2 ", text))
    return _DASH.sub(r"\1 \2 ", text).split()


def _ngrams(found: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(found[at:] for at in range(order)), strict=False))
