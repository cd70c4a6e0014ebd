"""Properties of values: random, or words; a placeholder, or a secret."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

_RUNS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CONSONANTS = re.compile("[bcdfghjklmnpqrstvwxz]{5}|[BCDFGHJKLMNPQRSTVWXZ]{7}")
_PLACEHOLDER = re.compile(
    r"x{6,}|\*{3,}|\.{3,}|0{10,}|(?i:example|placeholder|not_?a_?valid|fake|invalid|changeme|change[_-]me|your[_-]|dummy|redacted"
    r"|replace[_-]?(?:me|with|this)|abcdefghijkl|0123456789abcdef0123456789|<secret:)"
)
_MASKED = re.compile(r"x{6,}|X{8,}|\*{3,}|\.{3,}|0{12,}|(?i:your[_-]|not_?a_?valid|placeholder|<secret:)")
LONGEST_RUN = 3.6  # mean letters or digits of a run; random base 32 has 3.3, words have about 5
LEAST_ENTROPY = 2.9  # bits a character; 32 random hexadecimal digits have 3.6 ± 0.1


def entropy(value: str) -> float:
    """Shannon entropy of the characters in bits; 0 for an empty text."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())


def is_masked(value: str) -> bool:
    """True for the beginning of a secret with the rest crossed out, as documentation shows it."""
    last = len(set(value[-12:]))
    masked = _MASKED.search(value)
    return last < 4 or (masked is not None and not (masked[0].startswith("0") and last >= 8))


def is_placeholder(value: str) -> bool:
    """True for a text that stands for a secret in documentation: `your_token`, `xxxxxxxx`."""
    return _PLACEHOLDER.search(value) is not None


def is_random(value: str) -> bool:
    """True if the value changes between digits and letters, or is unpronounceable, as names are not."""
    runs = _RUNS.findall(value)
    if len(runs) < 2 or not any(each.isdigit() for each in runs):
        longest = LONGEST_RUN if len(value) < 32 else LONGEST_RUN + 0.7
        return len(runs) >= 7 and len(value) >= 20 and sum(map(len, runs)) / len(runs) <= longest
    mixed = sum(map(len, runs)) / len(runs) <= LONGEST_RUN or _changes(runs) >= 4
    return (mixed or _CONSONANTS.search(value) is not None) and entropy(value) >= LEAST_ENTROPY


def _changes(runs: list[str]) -> int:
    return sum(first.isdigit() != second.isdigit() for first, second in pairwise(runs))


def is_strong_password(value: str) -> bool:
    """True for a value with at least three of: lower case, upper case, digits, other characters."""
    kinds = [
        any(each.islower() for each in value),
        any(each.isupper() for each in value),
        any(each.isdigit() for each in value),
        any(not each.isalnum() and each not in "_-./ " for each in value),
    ]
    telling = kinds[2] or (len(value) >= 12 and len(_RUNS.findall(value)) >= 5)
    return sum(kinds) >= 3 and telling and entropy(value) >= 2.7
