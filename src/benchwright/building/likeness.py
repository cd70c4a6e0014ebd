"""Near duplicates: the similarity of two texts, and a selection of the pairs to compare at all.

Similarity is the Jaccard index of the sets of five consecutive tokens [Broder, On the resemblance and
containment of documents, 1997]. Candidates come from MinHash signatures in bands [Leskovec, Rajaraman,
Ullman, Mining of Massive Datasets, chapter 3], then the exact index decides. So a false signature costs time
and never a row. Names are kept: two tests that differ in names alone test different things.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

WIDTH = 5
BANDS, ROWS = 32, 4  # at a likeness of 0.85 one pair in 10^10 shares no band
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")
_COMMENT = re.compile(r"^\s*(#|//).*$", re.MULTILINE)
_PRIME = (1 << 61) - 1
Shingles = frozenset[int]


def shingles(code: str, *, width: int = WIDTH) -> Shingles:
    """The hashed runs of `width` tokens of a text, without whole-line comments and white space."""
    tokens = _TOKEN.findall(_COMMENT.sub("", code))
    runs = (" ".join(tokens[at : at + width]) for at in range(max(1, len(tokens) - width + 1)))
    return frozenset(_hash(run) for run in runs)


def jaccard(first: Shingles, second: Shingles) -> float:
    """The share of all shingles that both sets contain; 1 for two empty sets."""
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def bands(marks: Shingles) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The bands of the signature. Two texts with a common band are worth comparing."""
    signature = [min((a * mark + b) % _PRIME for mark in marks) for a, b in _FACTORS]
    for band in range(BANDS):
        yield band, tuple(signature[band * ROWS : (band + 1) * ROWS])


def _hash(text: str) -> int:
    """A stable hash; the built-in `hash` differs between processes."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=7).digest(), "big")


_FACTORS = [(1 + _hash(f"factor {number}"), _hash(f"summand {number}")) for number in range(BANDS * ROWS)]
