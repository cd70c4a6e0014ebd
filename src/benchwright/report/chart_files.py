"""Charts as SVG and PNG, drawn by vl-convert offline, without a browser or external fonts.

The SVG is rebuilt from an allowlist of elements and attributes, which is easier to trust than a list of
dangerous ones. The placeholders of `canvas.Texts` are replaced by their texts, and marks with an address
become links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from benchwright.display.escape import escaped_code
from benchwright.display.palette import ALL, light
from benchwright.errors import BenchwrightError, PrerequisiteError, install_command
from benchwright.report.chart_layout import (
    FILE,
    GAP,
    NARROW,
    WIDE,
    Drawing,
    Text,
    fitted_text,
    vega_lite_document,
)
from benchwright.report.page import write_file

_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "g", "path", "rect", "line", "text", "tspan", "circle", "title"}
_ATTRIBUTES = {
    *("width", "height", "viewBox", "transform", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-miterlimit", "opacity"),
    *("fill-opacity", "stroke-opacity", "text-anchor", "font-size", "font-weight", "display"),
}
_VARIABLES = {values[0]: f"var(--{name})" for name, values in ALL.items()}
_LONG = re.compile(r"\d+\.\d{3,}")
_PLAIN = re.compile(r"[\w\s.,()%#+-]*")
TITLE_LETTER = 15
_TITLE = 34  # height of the title of a file


class ChartError(BenchwrightError):
    """A chart that could not be drawn."""


class Figure(NamedTuple):
    """A drawn chart for the page, wide and narrow; or the reason why it is missing."""

    name: str
    title: str
    describe: str
    wide: str
    narrow: str
    missing: str = ""


def draw_figure(drawing: Drawing) -> Figure:
    """Draw the chart as SVG in the page's colours. Raises ChartError."""
    parts = []
    for size, kind in ((WIDE, "wide"), (NARROW, "narrow")):
        plot = drawing.make(size)
        svg = _to_svg(vega_lite_document(plot))
        name = f"{drawing.name}-{kind}"
        cleaner = ChartCleaner(plot.texts.held, tooltips=size.is_wide)
        parts.append(clean_svg(svg, cleaner, name=name, title=drawing.title, describe=drawing.describe))
    return Figure(drawing.name, drawing.title, drawing.describe, *parts)


def save_chart(drawing: Drawing, folder: Path) -> list[Path]:
    """Save the chart as NAME.svg and NAME.png, with title and white background. Raises ChartError."""
    plot = drawing.make(FILE)
    document = vega_lite_document(plot)
    title = plot.texts.add(fitted_text(drawing.title, (FILE.width - 2 * GAP) / TITLE_LETTER))
    document["background"] = light("paper")
    document["padding"]["top"] += _TITLE
    document["title"] = {"text": title, "anchor": "start", "dx": GAP - plot.left, "color": light("ink")}
    document["title"] |= {"frame": "group", "fontSize": TITLE_LETTER, "offset": 12}
    cleaner = ChartCleaner(plot.texts.held, tooltips=True, themed=False)
    root = cleaner.rebuilt(_to_svg(document))
    root.set("xmlns", _SVG.strip("{}"))
    drawn = ElementTree.tostring(root, encoding="unicode")
    svg, png = folder / f"{drawing.name}.svg", folder / f"{drawing.name}.png"
    write_file(svg, [drawn.encode() + b"\n"])
    write_file(png, [_call("svg_to_png", drawn, scale=2)])
    return [svg, png]


def check_installed() -> None:
    """Raise PrerequisiteError if charts cannot be drawn. Called before any run is read."""
    _vl_convert()


def missing_chart_package() -> PrerequisiteError | None:
    """The missing prerequisite of charts, with an install command; None if there is none."""
    try:
        check_installed()
    except PrerequisiteError as error:
        return error
    return None


def _vl_convert() -> Any:
    try:
        import vl_convert  # noqa: PLC0415 (an extra)
    except ImportError:
        raise PrerequisiteError(
            "charts need vl-convert-python, which is not installed",
            hint=install_command("report"),
        ) from None
    return vl_convert


def _to_svg(document: dict[str, Any]) -> str:
    """Draw without network access: all data is in the document, and no address is allowed."""
    return str(_call("vegalite_to_svg", document, allowed_base_urls=[]))


def _call(function: str, given: Any, **options: Any) -> Any:
    """Call vl-convert; its ValueError becomes ChartError."""
    try:
        return getattr(_vl_convert(), function)(given, **options)
    except ValueError as error:
        reason = escaped_code(str(error).partition("\n")[0][:200])
        raise ChartError(f"vl-convert failed: {reason}") from None


class ChartCleaner:
    """Rebuilds SVG from allowed elements, with texts in place of placeholders.

    The `aria-label` of a mark becomes its tooltip, where tooltips are possible. `themed`: colours of the
    palette become CSS variables, and the page chooses the font.
    """

    def __init__(self, texts: Mapping[str, Text], *, tooltips: bool = True, themed: bool = True) -> None:
        self._texts, self._tooltips, self._themed = texts, tooltips, themed

    def rebuilt(self, svg: str) -> ElementTree.Element:
        """The rebuilt root element. Raises ChartError if there is none."""
        try:
            root = self._rebuild(ElementTree.fromstring(svg))
        except ElementTree.ParseError as error:
            raise ChartError(f"the drawing is not XML: {error}") from None
        if root is None or root.tag != "svg":
            raise ChartError("the drawing is not SVG")
        return root

    def _rebuild(self, source: ElementTree.Element) -> ElementTree.Element | None:
        tag = source.tag.removeprefix(_SVG)
        if tag not in _ELEMENTS or source.get("display") == "none":
            return None
        kept = {key: self._value(value) for key, value in source.items() if self._allowed(key, value)}
        made = ElementTree.Element(tag, kept)
        self._set_text(made, source)
        for child in source:
            rebuilt = self._rebuild(child)
            if rebuilt is not None and (len(rebuilt) or rebuilt.tag != "g"):
                made.append(rebuilt)
        said = self._texts.get(source.get("aria-label", ""))
        return self._saying(made, said) if said else made

    def _set_text(self, made: ElementTree.Element, source: ElementTree.Element) -> None:
        """Set the text, with the width that the layout assumed."""
        stands_for = self._texts.get(source.text or "")
        made.text, made.tail = stands_for.text if stands_for else source.text, source.tail
        if stands_for and stands_for.fit and made.tag == "text":
            made.set("textLength", str(stands_for.fit))
            made.set("lengthAdjust", "spacingAndGlyphs")

    def _saying(self, mark: ElementTree.Element, said: Text) -> ElementTree.Element:
        """The mark with a tooltip, in a link if it has an address."""
        outer = mark
        if said.address and self._themed:
            # The table below has the same links: the Tab key must not stop at a thousand cells.
            outer = ElementTree.Element("a", {"href": said.address, "tabindex": "-1"})
        if self._tooltips or outer is not mark:
            ElementTree.SubElement(outer, "title").text = said.text
        if outer is not mark:
            outer.append(mark)
        return outer

    def _allowed(self, key: str, value: str) -> bool:
        known = key in _ATTRIBUTES or (key == "font-family" and not self._themed)
        return known and _PLAIN.fullmatch(value) is not None

    def _value(self, value: str) -> str:
        """A colour as a CSS variable; a number rounded to two decimals."""
        if self._themed and value in _VARIABLES:
            return _VARIABLES[value]
        return _LONG.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value)


def clean_svg(svg: str, cleaner: ChartCleaner, *, name: str, title: str, describe: str) -> str:
    """The SVG rebuilt from allowed elements, with title, description and the page's colours."""
    root = cleaner.rebuilt(svg)
    for attribute in ("width", "height"):
        root.attrib.pop(attribute, None)
    root.set("class", name.rpartition("-")[2])
    root.set(
        "role", "img" if root.find(".//a") is None else "group"
    )  # screen readers skip the content of an image
    root.set("aria-labelledby", f"{name}-title {name}-text")
    for position, (tag, part, text) in enumerate((("title", "title", title), ("desc", "text", describe))):
        element = ElementTree.Element(tag, {"id": f"{name}-{part}"})
        element.text = text
        root.insert(position, element)
    return ElementTree.tostring(root, encoding="unicode")
