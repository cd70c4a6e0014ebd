"""Words, stems, sentences and clauses of a text in English, Russian and Chinese."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")
_HUMPS = re.compile(r"(?<=[^\W\d_A-ZА-ЯЁ])(?=[A-ZА-ЯЁ])|(?<=[A-ZА-ЯЁ])(?=[A-ZА-ЯЁ][a-zа-яё])")
_HUMP = re.compile(r"[^\W\d_A-ZА-ЯЁ][A-ZА-ЯЁ]|[A-ZА-ЯЁ]{2}[a-zа-яё]")
_SCRIPTS = {
    "zh": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+"),
    "ru": re.compile("[а-я]+"),
    "en": re.compile("[a-z]+"),
    "und": re.compile(  # kana, Hangul, Arabic, Hebrew, Greek, Devanagari, Thai: none of the languages known here
        "[\u3040-\u30ff\uac00-\ud7af\u1100-\u11ff\u0590-\u06ff\u0370-\u03ff\u0900-\u097f\u0e00-\u0e7f]+"
    ),
}
_JOINING = "的了是在和与或及就也都而且被把将这那其之会可以为中上个"
_CHINESE = re.compile(f"[^\\W\\d_\u0000-\u33ff\uac00-\uffff{_JOINING}]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
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
_FREQUENT_BY_LANGUAGE = {"en": ENGLISH, "ru": RUSSIAN}
LANGUAGES = ("en", "ru", "zh")  # that prose can be asked for in


def words(text: str) -> list[str]:
    """Return the lower-case words and numbers of a text; identifiers are split: `maxWidth_px` is max, width, px."""
    split = _HUMPS.sub(" ", text) if _HUMP.search(text) else text
    if _HAN.search(split):
        split = _CHINESE.sub(_pairs, split)
    return [word for word in _WORD.findall(split.lower().replace("ё", "е")) if word not in _JOINING]


def _pairs(run: re.Match[str]) -> str:
    """Return pairs of neighbours in a run of Chinese characters, or a single character."""
    text = run[0]
    return f" {' '.join(map(''.join, pairwise(text))) or text} "


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """Return a rough stem: the first letters of a word without an ending in vowels or s."""
    short = word[:_STEM]
    root = short.rstrip(_TAIL)
    return root if len(root) >= 3 else short[:3]


def stems(tokens: Iterable[str]) -> list[str]:
    """Return the stems of words, without stop words."""
    return [stem(word) for word in tokens if word not in _FREQUENT]


def similarity(wanted: Counter[str], found: Counter[str]) -> float:
    """Return the similarity of two texts by stems, from 0 to 1: F-beta of common stems, with multiplicity.

    1 for equal counts, including two empty ones.
    """
    if not wanted or not found:
        return float(not wanted and not found)
    shared = sum(min(number, found[each]) for each, number in wanted.items())
    weight = BETA * BETA
    return (1 + weight) * shared / (weight * wanted.total() + found.total())


def natural_language(tokens: Sequence[str]) -> str:
    """Return the language of lower-case words: "en", "ru", "zh", "und" for another script, "" if unknown.

    The script of most letters decides first. More than six words without a frequent word of the language are
    in another language of that script.
    """
    letters = "".join(tokens)
    counts = {name: len(letters) - len(script.sub("", letters)) for name, script in _SCRIPTS.items()}
    language = max(counts, key=lambda name: counts[name])
    if not counts[language]:
        return ""
    if counts["und"] and counts["und"] + counts["zh"] > counts["en"] + counts["ru"]:
        return "und"  # Japanese mixes its own letters with Chinese ones
    frequent = _FREQUENT_BY_LANGUAGE.get(language)
    return language if frequent is None or len(tokens) <= _FEW or not frequent.isdisjoint(tokens) else ""


_ENDS = re.compile(r"(?<=[.!?;:])\s+|[。！？；：]|\n+")
_CLAUSES = re.compile(r"[,，、()（）]|\s[-–—]\s|\b(?:but|because|although|а|но)\b|但|因为")


def sentences(text: str) -> list[str]:
    """Split a text at full stops, colons and lines, without blank parts.

    >>> sentences("A run: it continues. Why?")
    ['A run:', 'it continues.', 'Why?']
    """
    return [part.strip() for part in _ENDS.split(text) if part and part.strip()]


def clauses(sentence: str) -> list[str]:
    """Split a sentence at commas and conjunctions, so that a negation applies to its own part only.

    >>> clauses("It continues, but not for ever.")
    ['It continues', 'not for ever.']
    """
    return [part.strip() for part in _CLAUSES.split(sentence) if part.strip()]
