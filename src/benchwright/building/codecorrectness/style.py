"""Style baselines: readers that see one row without understanding it, by fixed marks or character groups.

Both learn from other repositories what occurs with a label, so they detect traces of how rows were made.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from math import log1p
from zlib import crc32

from benchwright.stats.logistic import cross_validated, fold_of
from benchwright.stats.sparse_logistic import cross_validated_presence

FOLDS = 5
MAX_TEXT = 20_000  # maximum length of the text read from a file
SIZES = (2, 3, 4, 5)  # characters of a group
_SPACE = 1 << 20  # hash buckets of groups; two in one bucket are one feature

# Traces of injected errors and mutations, in any of the languages.
MARKS = {
    "negated bracket": r"\bnot \(|!\(",
    "double negation": r"\bnot not\b|!!",
    "returns nothing": r"\breturn (?:None|null|nil)\b",
    "returns no": r"\breturn (?:False|false)\b",
    "returns yes": r"\breturn (?:True|true)\b",
    "returns empty": r"\breturn (?:\"\"|''|\[\]|\{\}|\(\))",
    "returns zero": r"\breturn 0\b",
    "bare return": r"\breturn;?[ \t]*$",
    "passes": r"^[ \t]*pass[ \t]*$",
    "plus one": r"[+] 1\b",
    "minus one": r"- 1\b",
    "or equal": r"[<>]=",
    "less or more": r"[<>](?![=<>])",
    "equal": r"==",
    "not equal": r"!=",
    "and": r"\band\b|&&",
    "or": r"\bor\b|\|\|",
    "constant condition": r"\b(?:if|while) \(?(?:True|False|true|false)\b",
    "zero": r"\b0\b",
    "one": r"\b1\b",
    "string minus": r"[\"'] - | - [\"']",
    "trailing space": r"[ \t]$",
}
_PATTERNS = [re.compile(pattern, re.MULTILINE) for pattern in MARKS.values()]


def marks_say(focal: Sequence[str], truth: Sequence[bool], repositories: Sequence[str]) -> list[bool]:
    """The answers of logistic regression on the frequency of marks, with folds by repository.

    Raises ValueError for fewer than five repositories.
    """
    known: dict[str, list[float]] = {}
    for text in focal:
        if text not in known:
            known[text] = [log1p(len(pattern.findall(text[:MAX_TEXT]))) for pattern in _PATTERNS]
    chances = cross_validated([known[text] for text in focal], truth, folds=FOLDS, groups=repositories)
    return [chance >= 0.5 for chance in chances]


def characters_say(
    focal: Sequence[str], tests: Sequence[str], truth: Sequence[bool], repositories: Sequence[str]
) -> list[bool]:
    """The answers of logistic regression on character groups of both files, with folds by repository.

    Raises ValueError for fewer than five repositories.
    """
    folds = fold_of(truth, folds=FOLDS, groups=repositories)
    known: dict[tuple[int, str], array[int]] = {}
    for part, texts in enumerate((focal, tests)):
        for text in texts:
            if (part, text) not in known:
                known[part, text] = _groups(text[:MAX_TEXT], part)
    rows = [known[0, one] + known[1, other] for one, other in zip(focal, tests, strict=True)]
    return cross_validated_presence(rows, truth, folds, repositories)


def _groups(text: str, part: int) -> array[int]:
    """The numbers of the character groups in a text; those of a test file differ from those of a focal
    file.
    """
    found = {text[at : at + size] for size in SIZES for at in range(len(text) - size + 1)}
    numbers = {crc32(group.encode("utf-8", "surrogatepass")) % _SPACE * 2 + part for group in found}
    return array("I", sorted(numbers))
