"""Words of English and Russian prose about code: split, brought to stems, compared; a text's language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_HUMPS = re.compile(r"(?<=[^\W\d_A-ZА-ЯЁ])(?=[A-ZА-ЯЁ])|(?<=[A-ZА-ЯЁ])(?=[A-ZА-ЯЁ][a-zа-яё])")
_HUMP = re.compile(r"[^\W\d_A-ZА-ЯЁ][A-ZА-ЯЁ]|[A-ZА-ЯЁ]{2}[a-zа-яё]")
_CYRILLIC, _LATIN = re.compile("[а-я]+"), re.compile("[a-z]+")
_TAIL = "saeiouyаеиоуыэюяйь"
_STEM = 6  # letters of a word that count
_FEW = 6  # words that need not have a frequent one among them
BETA = 2.0  # how many times as much recall weighs as precision, as in chrF [Popović 2015]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = _set(
    "a an the this that these those it its is are was were be been being am do does did has have had "
    "will would can could should may might must of in on at to from by for with without into onto as "
    "than then and or but if so such not no nor only also each every any all both which who whom what "
    "when where while there here we you your our they their them he she his her i my me us"
)
RUSSIAN = _set(
    "а без был была были было быть в во все всё вы где да для до его ее её если есть ещё же за и из или "
    "им их к как ко когда кто ли мы на над не него нее неё нет ни но о об он она они оно от по под при "
    "с со так также там те то того тоже той только тот у уже чего чем что чтобы эта эти это этого этой "
    "этом этот через"
)
_FREQUENT = ENGLISH | RUSSIAN


def words(text: str) -> list[str]:
    """The words and numbers of a text in lower case, identifiers split: `maxWidth_px` is max, width, px."""
    split = _HUMPS.sub(" ", text) if _HUMP.search(text) else text
    return _WORD.findall(split.lower().replace("ё", "е"))


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """What forms of one word share, roughly: its first letters without an ending in vowels or s."""
    short = word[:_STEM]
    kept = short.rstrip(_TAIL)
    return kept if len(kept) >= 3 else short[:3]


def stems(said: Iterable[str]) -> list[str]:
    """The stems of words, without those words that every text has."""
    return [stem(word) for word in said if word not in _FREQUENT]


def alike(wanted: Counter[str], found: Counter[str]) -> float:
    """How alike two texts are by their stems, from 0 to 1: F-beta of what they share, as often as they do.

    1 for equal counts, two empty ones too.
    """
    if not wanted or not found:
        return float(not wanted and not found)
    shared = sum(min(number, found[each]) for each, number in wanted.items())
    weight = BETA * BETA
    return (1 + weight) * shared / (weight * wanted.total() + found.total())


def natural_language(said: Sequence[str]) -> str:
    """The language of words in lower case, "en" or "ru"; "" for words of neither, and for none.

    The script of most letters decides. More than six words that have none of their language's frequent words
    are in another language of that script.
    """
    letters = "".join(said)
    cyrillic, latin = (len(letters) - len(script.sub("", letters)) for script in (_CYRILLIC, _LATIN))
    if not cyrillic and not latin:
        return ""
    language, frequent = ("ru", RUSSIAN) if cyrillic > latin else ("en", ENGLISH)
    return language if len(said) <= _FEW or not frequent.isdisjoint(said) else ""
