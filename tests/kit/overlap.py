"""BLEU and ROUGE-L of a text against one reference, in per cent, written from their definitions for
comparison.

BLEU-4 [Papineni et al. 2002] of a sentence with exponential smoothing and effective order, as sacreBLEU's
`sentence_bleu`; ROUGE-L [Lin 2004] is the F1 of the longest common subsequence of words. BLEU keeps upper
case; ROUGE-L converts to lower case.
"""

from __future__ import annotations

import math
import re
from collections import Counter

ORDERS = 4


def bleu(text: str, reference: str) -> float:
    """Return smoothed BLEU-4."""
    ours, theirs = (re.findall(r"\w+|[^\w\s]", each) for each in (text, reference))
    logs, smooth = [], 1.0
    for order in range(1, min(ORDERS, len(ours)) + 1):
        found, wanted = _grams(ours, order), _grams(theirs, order)
        shared = (found & wanted).total()
        if not shared:
            smooth *= 2
        logs.append(math.log((shared or 1 / smooth) / found.total()))
    if not logs:
        return 0.0
    brevity = min(0.0, 1 - len(theirs) / len(ours))
    return 100 * math.exp(brevity + sum(logs) / len(logs))


def rouge_l(text: str, reference: str) -> float:
    """Return the F1 of the longest common subsequence."""
    ours, theirs = (re.findall(r"\w+", each.lower()) for each in (text, reference))
    common = _longest_common(ours, theirs)
    return 200 * common / (len(ours) + len(theirs)) if ours or theirs else 0.0


def _grams(words: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def _longest_common(ours: list[str], theirs: list[str]) -> int:
    row = [0] * (len(theirs) + 1)
    for word in ours:
        before = row
        row = [0]
        for at, other in enumerate(theirs):
            row.append(before[at] + 1 if word == other else max(row[at], before[at + 1]))
    return row[-1]
