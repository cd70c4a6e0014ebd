"""A text as sentences, by its full stops, colons and lines; a sentence as clauses, by its commas."""

from __future__ import annotations

import re

_ENDS = re.compile(r"(?<=[.!?;:])\s+|[。！？；：]|\n+")
_CLAUSES = re.compile(r"[,，、()（）]|\s[-–—]\s|\b(?:but|because|although|а|но)\b|但|因为")


def sentences(text: str) -> list[str]:
    """The sentences and clauses of a text, in order, without those that are blank.

    >>> sentences("A run: it goes on. Why?")
    ['A run:', 'it goes on.', 'Why?']
    """
    return [part.strip() for part in _ENDS.split(text) if part and part.strip()]


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence that may deny on their own.

    >>> clauses("It goes on, but not for ever.")
    ['It goes on', 'not for ever.']
    """
    return [part.strip() for part in _CLAUSES.split(sentence) if part.strip()]
