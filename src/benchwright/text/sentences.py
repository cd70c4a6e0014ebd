"""Splitting of texts into sentences and clauses."""

from __future__ import annotations

import re

_ENDS = re.compile(r"(?<=[.!?;:])\s+|[。！？；：]|\n+")
_CLAUSES = re.compile(r"[,，、()（）]|\s[-–—]\s|\b(?:but|because|although|а|но)\b|但|因为")


def sentences(text: str) -> list[str]:
    """Split a text at full stops, colons and lines, without blank parts.

    >>> sentences("A run: it goes on. Why?")
    ['A run:', 'it goes on.', 'Why?']
    """
    return [part.strip() for part in _ENDS.split(text) if part and part.strip()]


def clauses(sentence: str) -> list[str]:
    """Split a sentence at commas and conjunctions into parts with negations of their own.

    >>> clauses("It goes on, but not for ever.")
    ['It goes on', 'not for ever.']
    """
    return [part.strip() for part in _CLAUSES.split(sentence) if part.strip()]
