"""Sizes and margins of charts, and the width of text in unknown fonts.

Sizes and margins are computed from bounds of the text's width, because only the reader's browser knows
its fonts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

LETTER = 12  # pixels of text
FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
GAP = 8  # between a label and its mark
RIGHT = 14  # right margin
TICKS = 26  # height of the labels of an axis
TITLE = 22  # height of the title of an axis
LEGEND_ROW = 20


class Size(NamedTuple):
    """The width of a chart, and the space for names left of its axis, in pixels.

    On the page a legend is an HTML list, which wraps and can be read aloud; a file needs its own legend.
    """

    width: int
    room: int
    legend: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether it is wider than a phone."""
        return self.width > NARROW.width


WIDE, NARROW, FILE = Size(1176, 300), Size(340, 130), Size(900, 300, legend=True)


def inner_width(size: Size, left: int) -> int:
    """The width left for the chart, in pixels; `left` is the width of its labels."""
    return size.width - left - RIGHT


CUT = "…"
_SLIM, _LETTER, _CAPITAL, _BROAD, _DOUBLE = 0.62, 0.74, 0.88, 1.12, 1.5  # in em
_EM = {
    **dict.fromkeys(" .,:;'`|!()[]{}ijlrtfI/\\-", _SLIM),
    **dict.fromkeys("mwMW@%…—", _BROAD),
    **dict.fromkeys("жмфшщъыюЖМФШЩЪЫЮ", 1.25),
}
_KNOWN = 0x530  # Latin, Greek and Cyrillic are below


def text_width(text: str) -> float:
    """An upper bound of the text's width, in em."""
    return sum(map(_em, text))


def is_bounded(text: str) -> bool:
    """Whether `width` holds in all common fonts: Latin, Greek, Cyrillic, common signs."""
    return all(char in _EM or (ord(char) < _KNOWN and not unicodedata.combining(char)) for char in text)


def fitted_text(text: str, room: float) -> str:
    """The text shortened in the middle to `room` em, by code points."""
    if text_width(text) <= room:
        return text
    rest = room - _em(CUT)
    tail = _prefix_length(reversed(text[-_most(room) :]), rest * 0.6)[::-1]
    head = _prefix_length(iter(text[: _most(room)]), rest - text_width(tail))
    while tail and unicodedata.combining(tail[0]):  # a combining mark without its letter
        tail = tail[1:]
    return head + CUT + tail


def shortened_text(names: Sequence[str], room: float) -> list[str]:
    """A label of at most `room` em for each name, without duplicates.

    Model names differ at the end more often than at the beginning.
    """
    labels: list[str] = []
    used_labels: set[str] = set()
    counts: dict[str, int] = {}
    for name in names:
        label = first = fitted_text(name, room)
        while label in used_labels:
            counts[first] = counts.get(first, 1) + 1
            mark = f"·{counts[first]}"
            label = fitted_text(name, room - text_width(mark)) + mark
        used_labels.add(label)
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


def _prefix_length(chars: Iterable[str], room: float) -> str:
    """As many of the characters as fit."""
    fitting: list[str] = []
    for char in chars:
        room -= _em(char)
        if room < 0:
            break
        fitting.append(char)
    return "".join(fitting)
