"""Bounds of the width of a text in unknown fonts.

Charts are laid out here and drawn in the reader's fonts. So widths are bounds, not measurements: slightly
above the widest common fonts (DejaVu Sans Bold, Verdana Bold). Text in scripts without a bound is marked
and drawn with `textLength`, which browsers respect.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

CUT = "…"
_SLIM, _LETTER, _CAPITAL, _BROAD, _DOUBLE = 0.62, 0.74, 0.88, 1.12, 1.5  # in em
_EM = {
    **dict.fromkeys(" .,:;'`|!()[]{}ijlrtfI/\\-", _SLIM),
    **dict.fromkeys("mwMW@%…—", _BROAD),
    **dict.fromkeys("жмфшщъыюЖМФШЩЪЫЮ", 1.25),
}
_KNOWN = 0x530  # Latin, Greek and Cyrillic are below


def width(text: str) -> float:
    """An upper bound of the text's width, in em."""
    return sum(map(_em, text))


def is_bounded(text: str) -> bool:
    """Whether `width` holds in all common fonts: Latin, Greek, Cyrillic, common signs."""
    return all(char in _EM or (ord(char) < _KNOWN and not unicodedata.combining(char)) for char in text)


def fitted(text: str, room: float) -> str:
    """The text shortened in the middle to `room` em, by code points."""
    if width(text) <= room:
        return text
    rest = room - _em(CUT)
    tail = _taken(reversed(text[-_most(room) :]), rest * 0.6)[::-1]
    head = _taken(iter(text[: _most(room)]), rest - width(tail))
    while tail and unicodedata.combining(tail[0]):  # a combining mark without its letter
        tail = tail[1:]
    return head + CUT + tail


def shortened(names: Sequence[str], room: float) -> list[str]:
    """A label of at most `room` em for each name, without duplicates.

    Model names differ at the end more often than at the beginning.
    """
    labels: list[str] = []
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for name in names:
        label = first = fitted(name, room)
        while label in taken:
            counts[first] = counts.get(first, 1) + 1
            mark = f"·{counts[first]}"
            label = fitted(name, room - width(mark)) + mark
        taken.add(label)
        labels.append(label)
    return labels


def _em(char: str) -> float:
    if char in _EM:
        return _EM[char]
    if char.isascii():
        return _CAPITAL if char.isupper() or not char.isalnum() else _LETTER
    if ord(char) >= 0x1F000 or unicodedata.east_asian_width(char) in "WF":
        return _DOUBLE
    return _CAPITAL if ord(char) < _KNOWN and char.islower() else _BROAD


def _most(room: float) -> int:
    """More characters than fit: what is beyond them needs no look."""
    return int(room / _SLIM) + 1


def _taken(chars: Iterable[str], room: float) -> str:
    """As many of the characters as fit."""
    kept: list[str] = []
    for char in chars:
        room -= _em(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept)
