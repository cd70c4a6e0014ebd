"""What all charts share: sizes, style, texts, axes, and the width of text in unknown fonts.

**Texts**: text from outside never reaches the chart library. It draws placeholders such as "text-7", and
`drawing` puts the texts in; so no name is a key, a field or a value of a scale. **Layout**: sizes and
margins are computed from bounds of the text's width, because the library would measure with its own
fonts, not the reader's.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.display.palette import light

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"  # the version that the drawings are made for
Part = dict[str, Any]  # of a Vega-Lite document (https://vega.github.io/vega-lite/docs/)
Row = Mapping[str, Any]
LETTER = 12  # pixels of text
FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
GAP = 8  # between a label and its mark
RIGHT = 14  # right margin
TICKS = 26  # height of the labels of an axis
TITLE = 22  # height of the title of an axis
LEGEND_ROW = 20


class Size(NamedTuple):
    """The width of a chart, and the space for names beside its axis, in pixels.

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


class Text(NamedTuple):
    """A text of a chart; if its width has no bound, `fit` is the number of pixels to draw it in."""

    text: str
    fit: int | None = None
    address: str = ""  # of the answers of a mark


class Texts:
    """The texts of a chart. Each is drawn as a placeholder until the chart is finished."""

    def __init__(self) -> None:
        self.held: dict[str, Text] = {}

    def add(self, text: str, *, address: str = "") -> str:
        """Add a text; return its placeholder."""
        name = f"text-{len(self.held)}"
        fit = None if is_bounded(text) else round(LETTER * text_width(text))
        self.held[name] = Text(text, fit, address)
        return name

    def labels(self, names: Sequence[str], room: int) -> list[str]:
        """The placeholders of names, each shortened to this many pixels, without duplicates."""
        return [self.add(label) for label in shortened_text(names, room / LETTER)]

    def widest(self, stand_ins: Sequence[str]) -> int:
        """An upper bound of the width of these texts, in pixels."""
        return max((round(LETTER * text_width(self.held[name].text)) for name in stand_ins), default=0)


class Plot(NamedTuple):
    """A chart at one size: its description, its size without margins, the margins, and its texts."""

    chart: Part  # Vega-Lite: a mark with its encoding, or layers of them
    texts: Texts
    width: int
    height: int
    left: int
    bottom: int
    legend: int = 0  # rows of the legend, above the chart


class Drawing(NamedTuple):
    """A chart that can be drawn at any size: for files, for a wide page, for a phone."""

    name: str
    title: str
    describe: str  # text alternative
    make: Callable[[Size], Plot]


def vega_lite_document(plot: Plot) -> dict[str, Any]:
    """The Vega-Lite document of a chart, in the house style and with margins."""
    muted, line = light("muted"), light("line")
    axis: dict[str, Any] = {"labelColor": muted, "titleColor": muted, "gridColor": line, "domainColor": line}
    axis |= {"tickColor": line, "labelFontSize": LETTER, "titleFontSize": LETTER, "titleFontWeight": "normal"}
    axis |= {"labelLimit": 0, "titleLimit": 0, "labelOverlap": False, "labelBound": False}
    legend = {"labelColor": light("ink"), "labelFontSize": LETTER, "labelLimit": 0, "symbolSize": 110}
    config = {
        "font": FONT,
        "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": None},
        "axis": axis,
        "legend": {**legend, "offset": 10},
    }
    margins = {
        "left": plot.left,
        "right": RIGHT,
        "top": 8 + plot.legend * LEGEND_ROW,
        "bottom": plot.bottom,
    }
    return {
        "$schema": SCHEMA,
        "config": config,
        **plot.chart,
        "width": plot.width,
        "height": plot.height,
        "padding": margins,
        "autosize": {"type": "none"},
        "background": "transparent",
    }


def inner_width(size: Size, left: int) -> int:
    """The width left for the chart beside labels of this many pixels."""
    return size.width - left - RIGHT


def chart_data(rows: Sequence[Row]) -> Part:
    """Rows as chart data; their texts are placeholders or our own."""
    return {"values": [dict(row) for row in rows]}


def mark(kind: str, encoding: Part, **options: Any) -> Part:
    """A mark of this kind for each row, with its encoding by channel."""
    return {"mark": {"type": kind, **options}, "encoding": encoding}


def numbers(name: str, **options: Any) -> Part:
    """A channel that shows a field of numbers."""
    return {"field": name, "type": "quantitative", **options}


def names(name: str, **options: Any) -> Part:
    """A channel that shows a field of texts."""
    return {"field": name, "type": "nominal", **options}


def model_axis(labels: Sequence[str], **options: Any) -> Part:
    """The axis of models, in the given order."""
    axis = {"ticks": False, "domain": False, "labelPadding": GAP}
    return names("name", title=None, axis=axis, scale={"domain": list(labels), **options})


def percent_axis(title: str, *, step: int = 20, sign: str = " %", **options: Any) -> Part:
    """An axis from 0 to 100, for shares or points; `sign` follows each number."""
    values = list(range(0, 101, step))
    return {"values": values, "labelExpr": f"datum.value + '{sign}'", "title": title, **options}


def x_axis_title(**options: Any) -> dict[str, Any]:
    """The position of the title of an x axis: right-aligned, with the full width to its left."""
    return {
        "titleAnchor": "end",
        "titleAlign": "right",
        "titleY": TICKS + 4,
        "titleBaseline": "top",
        **options,
    }


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
    taken: set[str] = set()
    counts: dict[str, int] = {}
    for name in names:
        label = first = fitted_text(name, room)
        while label in taken:
            counts[first] = counts.get(first, 1) + 1
            mark = f"·{counts[first]}"
            label = fitted_text(name, room - text_width(mark)) + mark
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


def _prefix_length(chars: Iterable[str], room: float) -> str:
    """As many of the characters as fit."""
    kept: list[str] = []
    for char in chars:
        room -= _em(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept)
