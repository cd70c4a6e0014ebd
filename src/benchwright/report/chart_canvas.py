"""SVG of charts: a canvas with marks, axes and a legend.

Elements and attributes are set here alone, and texts are escaped when the tree is written; so a name of a
model or a task is always text. On the page, colours are CSS variables, and fonts are those of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from benchwright.display.palette import light
from benchwright.report.chart_layout import (
    FONT,
    GAP,
    LEGEND_ROW,
    LETTER,
    TICKS,
    TITLE,
    Size,
    fitted_text,
    inner_width,
    is_bounded,
    text_width,
)

# Corners of the marks of a model, for a mark of 2 × 2 pixels; a circle has none.
CORNERS: dict[str, tuple[tuple[float, float], ...]] = {
    "circle": (),
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "triangle-up": ((0, -0.866), (-1, 0.866), (1, 0.866)),
    "diamond": ((-1, 0), (0, -1), (1, 0), (0, 1)),
    "cross": tuple(
        (sign * x, sign * y)
        for sign in (1, -1)
        for x, y in ((-1, -0.4), (-0.4, -0.4), (-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4))
    ),
    "triangle-down": ((0, 0.866), (-1, -0.866), (1, -0.866)),
    "triangle-right": ((0.866, 0), (-0.866, -1), (-0.866, 1)),
    "stroke": ((-1, 0), (1, 0)),
}
SHAPES = tuple(CORNERS)
_TOP = 8  # above the legend
_BASE = 4  # from the middle of a line of text down to its base line
_TICK = 5
Point = tuple[float, float]
Tick = tuple[float, str]  # position in pixels, label


class Tip(NamedTuple):
    """The tooltip of a mark, and the address of its answers."""

    text: str
    address: str = ""


class Canvas:
    """A chart at one size. Positions are pixels from the upper left corner of its plot.

    `left` and `under` are the margins for labels left of and under the plot; `legend` is the number of rows
    above it. A file (`Size.legend`) has colours and fonts of its own, and no links.
    """

    def __init__(self, size: Size, *, height: int, left: int, under: int = TICKS, legend: int = 0) -> None:
        self.size, self.left, self.top = size, left, _TOP + legend * LEGEND_ROW
        self.width, self.height = inner_width(size, left), height
        self.whole_height = self.top + height + under + TITLE + 6
        style = {"fill": "none", "font-size": f"{LETTER}px"}
        style |= {"font-family": FONT} if size.legend else {}
        self.plot = Element("g", {"transform": f"translate({left},{self.top})", **style})

    def colour(self, name: str) -> str:
        """A colour of the palette."""
        return light(name) if self.size.legend else f"var(--{name})"

    def add(self, tag: str, tip: Tip | None = None, **attributes: str | float | None) -> None:
        """Add an element; `stroke_width` is the attribute `stroke-width`, and None is omitted.

        The table below a chart has the same links: the Tab key must not stop at a thousand cells.
        """
        element = Element(tag, _attributes(attributes))
        if tip and tip.address and not self.size.legend:
            link = SubElement(self.plot, "a", {"href": tip.address, "tabindex": "-1"})
            SubElement(link, "title").text = tip.text
            link.append(element)
            return
        if tip and self.size.is_wide:  # a phone has no pointer that hovers
            SubElement(element, "title").text = tip.text
        self.plot.append(element)

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, tip: Tip, *, edge: str = ""
    ) -> None:
        """A rectangle in a colour of the palette."""
        line = self.colour(edge) if edge else None
        place = {"x": x, "y": y, "width": width, "height": height}
        self.add("rect", tip, **place, fill=self.colour(fill), stroke=line)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "start",
        ink: str = "muted",
        turned: bool = False,
    ) -> None:
        """A line of text whose middle is at y, or one that reads upwards and whose base line is at x.

        A text whose width has no bound is drawn as wide as the layout assumed.
        """
        element = SubElement(self.plot, "text", {"text-anchor": anchor, "fill": self.colour(ink)})
        place = f"translate({_number(x)},{_number(y)}) rotate(-90)"
        at = {"transform": place} if turned else {"x": _number(x), "y": _number(y + _BASE)}
        element.attrib.update(at)
        element.text = text
        if not is_bounded(text):
            fit = str(round(LETTER * text_width(text)))
            element.attrib.update({"textLength": fit, "lengthAdjust": "spacingAndGlyphs"})

    def path(
        self, points: Sequence[Point], *, closed: bool = False, **attributes: str | float | None
    ) -> None:
        """A line through the points, or an area."""
        self.add("path", None, d=_path(points, closed=closed), **attributes)

    def symbol(self, shape: str, at: Point, area: float, colour: str, tip: Tip | None = None) -> None:
        """A mark of a shape; `area` is that of the square around it, in pixels."""
        radius, (x, y) = math.sqrt(area) / 2, at
        if shape == "circle":
            self.add("circle", tip, cx=x, cy=y, r=radius, fill=self.colour(colour))
            return
        corners = [(x + radius * dx, y + radius * dy) for dx, dy in CORNERS[shape]]
        line = self.colour(colour) if shape == "stroke" else None
        fill = None if line else self.colour(colour)
        self.add("path", tip, d=_path(corners, closed=True), fill=fill, stroke=line, stroke_width=line and 2)

    def x_axis(self, ticks: Sequence[Tick], title: str, *, grid: bool = True) -> None:
        """The horizontal axis of numbers; its title ends at the right."""
        base, line = self.height + 0.5, self.colour("line")
        for x, label in ticks:
            place, end = round(x) + 0.5, "start" if x == 0 else "end" if x == self.width else "middle"
            top = 0.5 if grid else base
            self.add("line", x1=place, x2=place, y1=top, y2=base + _TICK, stroke=line)
            self.text(x + 0.5, base + 12, label, anchor=end)
        self.add("line", x1=0.5, x2=self.width + 0.5, y1=base, y2=base, stroke=line)
        self.x_title(title, TICKS)

    def x_title(self, title: str, under: float) -> None:
        """The title of the horizontal axis, `under` pixels below the plot. It may be wider than the plot."""
        room = (self.left + self.width - GAP) / LETTER
        y = self.height + under + 9.5
        self.text(self.width + 0.5, y, fitted_text(title, room), anchor="end")

    def percent_axis(self, title: str, top: float = 100, step: float = 20) -> None:
        """The vertical axis of per cent, with lines through the plot and a title that reads upwards."""
        line = self.colour("line")
        for number in range(round(top / step) + 1):
            y = self.height - number * step / top * self.height
            place = round(y) + 0.5
            self.add("line", x1=0.5 - _TICK, x2=self.width + 0.5, y1=place, y2=place, stroke=line)
            self.text(-6.5, y + 0.5, f"{number * step:g} %", anchor="end")
        self.add("line", x1=0.5, x2=0.5, y1=0.5, y2=self.height + 0.5, stroke=line)
        shown = fitted_text(title, (self.height + self.top + TICKS) / LETTER)
        self.text(-66.5, self.height / 2 + 0.5, shown, anchor="middle", turned=True)

    def names_axis(self, labels: Sequence[str]) -> list[float]:
        """Names left of rows of equal height; return the middle of each row."""
        step = self.height / max(1, len(labels))
        middles = [(row + 0.5) * step for row in range(len(labels))]
        for middle, label in zip(middles, labels, strict=True):
            self.text(0.5 - GAP, middle, label, anchor="end")
        return middles

    def legend(self, marks: Sequence[tuple[str, str, str]], columns: int) -> None:
        """The legend of a file above the plot: text, colour and shape of each mark."""
        if not self.size.legend:
            return
        rows = [marks[at : at + columns] for at in range(0, len(marks), columns)]
        widths = [max(text_width(mark[0]) for mark in column if mark) for column in zip_longest(*rows)]
        for number, row in enumerate(rows):
            y, x = number * LEGEND_ROW + _TOP + 2 - self.top, float(GAP - self.left)
            for (text, colour, shape), width in zip(row, widths, strict=False):
                self.symbol(shape, (x + 5, y), 110, colour)
                self.text(x + 16, y, text, ink="ink")
                x += LETTER * width + 24

    def svg(self, above: int = 0) -> Element:
        """The whole drawing, with free space above it."""
        view = f"0 {-above} {self.size.width} {self.whole_height + above}"
        root = Element("svg", {"viewBox": view})
        root.append(self.plot)
        return root


class Drawing(NamedTuple):
    """A chart that can be drawn at any size: for files, for a wide page, for a phone."""

    name: str
    title: str
    describe: str  # text alternative
    make: Callable[[Size], Canvas]


def round_ticks(top: float, number: int, *, whole: bool = False) -> list[float]:
    """About `number` round values from 0 up to `top`, in steps of 1, 2 or 5 times a power of ten."""
    rough = top / number
    power = 10.0 ** math.floor(math.log10(rough))
    factor = next((each for each in (1, 2, 5) if rough / power < math.sqrt(2) * each), 10)
    step = max(1.0, power * factor) if whole else power * factor
    return [count * step for count in range(math.floor(top / step + 1e-9) + 1)]


def label_margin(labels: Sequence[str]) -> int:
    """The margin for these names left of a plot, in pixels."""
    return widest(labels) + GAP + 4


def widest(labels: Sequence[str]) -> int:
    """An upper bound of the width of these texts, in pixels."""
    return max((round(LETTER * text_width(label)) for label in labels), default=0)


def _attributes(values: dict[str, str | float | None]) -> dict[str, str]:
    return {
        name.replace("_", "-"): value if isinstance(value, str) else _number(value)
        for name, value in values.items()
        if value is not None
    }


def _path(points: Sequence[Point], *, closed: bool) -> str:
    return "M" + "L".join(f"{_number(x)},{_number(y)}" for x, y in points) + "Z" * closed


def _number(value: float) -> str:
    """A number with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
