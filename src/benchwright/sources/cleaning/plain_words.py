"""Words in which a search finds nothing: a later text is searched only if it has other words.

Patches repeat their words: of 1.9 million words of a history, 100,000 are different. A word is what
`str.split` gives, so a literal without white space lies within one word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

MAX_KNOWN = 150_000  # words in a memory
MAX_LENGTH = 120  # characters of a word in a memory
MAX_MARKS = 50  # marks that are looked up in each word


@lru_cache(maxsize=1)
def words_of(text: str) -> frozenset[str]:
    """The different words of a text; those of the last text are kept."""
    return frozenset(text.split())


def joined(words: Iterable[str]) -> str:
    """All words in one text, each between line feeds."""
    return "\n".join(["", *words, ""])


def word_cue(cue: str) -> str:
    """The longest part of a cue that lies within one word, with a line feed for each space next to it.

    >>> word_cue("default login "), word_cue("basic "), word_cue("sig=")
    ('\\nlogin\\n', 'basic\\n', 'sig=')
    """
    first, *others = cue.split(" ")
    if not others:
        return cue
    last = others.pop()
    parts = [f"{first}\n", *(f"\n{each}\n" for each in others), f"\n{last}"]
    return max(parts, key=lambda part: len(part) + 2 * part.count("\n"))


class PlainWords:
    """The memory of one search."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def others(self, text: str) -> frozenset[str]:
        """The words of a text that may matter; the search finds nothing in a text without any."""
        return words_of(text) - self._known

    def add(self, words: Iterable[str], *, marks: Collection[str] = ()) -> None:
        """Remember the words that contain none of the marks, in lower case or as they are."""
        if len(marks) > MAX_MARKS:
            return
        plain = [each for each in words if len(each) <= MAX_LENGTH]
        if marks:
            plain = [each for each in plain if not _contains(each, marks)]
        if len(self._known) + len(plain) > MAX_KNOWN:
            self._known.clear()
        self._known.update(plain)


def _contains(word: str, marks: Collection[str]) -> bool:
    lower = word.lower()
    return any(each in word or each in lower for each in marks)
