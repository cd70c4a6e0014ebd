"""Charts as SVG and PNG, by vl-convert: offline, with no browser and no fonts from elsewhere.

What goes into the page is taken apart and put together again from an allowlist of elements and
attributes. vl-convert escapes what it is given; but names in a chart come from files that anyone may
have written, and a list of what is drawn is easier to trust than a list of what is dangerous.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from benchwright.errors import PrerequisiteError, install_command
from benchwright.report.canvas import FILE, NARROW, WIDE, Drawing, altair, finish
from benchwright.report.palette import ALL, light
from benchwright.report.writing import write_file

_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "g", "path", "rect", "line", "text", "tspan", "circle", "title"}
_ATTRIBUTES = {
    *("width", "height", "viewBox", "transform", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-miterlimit", "opacity"),
    *("fill-opacity", "stroke-opacity", "text-anchor", "font-size", "font-weight", "display"),
}
_VARIABLES = {values[0]: f"var(--{name})" for name, values in ALL.items()}
_SPEAKERS = {"axis", "legend", "title", "header"}
_LONG = re.compile(r"\d+\.\d{3,}")
_PLAIN = re.compile(r"[\w\s.,()%#+-]*")


class Figure(NamedTuple):
    """A drawing for the page: the same chart for wide screens and for narrow ones."""

    name: str
    title: str
    describe: str
    wide: str
    narrow: str


def draw(drawing: Drawing) -> Figure:
    """The chart as SVG whose colours follow the page's theme."""
    parts = []
    for size, kind in ((WIDE, "wide"), (NARROW, "narrow")):
        svg = _convert("vegalite_to_svg", finish(drawing, size))
        name = f"{drawing.name}-{kind}"
        parts.append(
            clean(svg, name=name, title=drawing.title, describe=drawing.describe, tooltips=size.is_wide)
        )
    return Figure(drawing.name, drawing.title, drawing.describe, *parts)


def save(drawing: Drawing, folder: Path) -> list[Path]:
    """The chart as NAME.svg and NAME.png, with its title, on paper white."""
    document = finish(drawing, FILE)
    document["background"] = light("paper")
    document["padding"] = 14
    document["title"] = {
        "text": drawing.title,
        "anchor": "start",
        "color": light("ink"),
        "fontSize": 15,
        "offset": 12,
    }
    svg, png = folder / f"{drawing.name}.svg", folder / f"{drawing.name}.png"
    write_file(svg, [_convert("vegalite_to_svg", document).encode() + b"\n"])
    write_file(png, [_convert("vegalite_to_png", document, scale=2)])
    return [svg, png]


def check_installed() -> None:
    """Raise PrerequisiteError where charts cannot be drawn, before any run is read."""
    altair()
    _vl_convert()


def _vl_convert() -> Any:
    try:
        import vl_convert  # noqa: PLC0415 (an extra)
    except ImportError:
        raise PrerequisiteError(
            "a report needs vl-convert-python, which is not installed",
            hint=install_command("report"),
        ) from None
    return vl_convert


def _convert(function: str, document: dict[str, Any], **options: Any) -> Any:
    """Nothing is fetched: all data is in the document, and no address is allowed."""
    return getattr(_vl_convert(), function)(document, allowed_base_urls=[], **options)


def clean(svg: str, *, name: str, title: str, describe: str, tooltips: bool = True) -> str:
    """The drawing rebuilt from what is allowed, with a title, a description and the page's colours.

    What a mark says of itself (its `aria-label`) becomes its tooltip, where there can be tooltips.
    """
    root = _rebuild(ElementTree.fromstring(svg), tooltips=tooltips)
    if root is None or root.tag != "svg":
        raise ValueError("the drawing is no SVG")
    for attribute in ("width", "height"):
        root.attrib.pop(attribute, None)
    root.set("class", name.rpartition("-")[2])
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-text")
    for position, (tag, part, text) in enumerate((("title", "title", title), ("desc", "text", describe))):
        element = ElementTree.Element(tag, {"id": f"{name}-{part}"})
        element.text = text
        root.insert(position, element)
    return ElementTree.tostring(root, encoding="unicode")


def _rebuild(source: ElementTree.Element, *, tooltips: bool) -> ElementTree.Element | None:
    tag = source.tag.removeprefix(_SVG)
    if tag not in _ELEMENTS or source.get("display") == "none":
        return None
    kept = {key: _value(value) for key, value in source.items() if _allowed(key, value)}
    made = ElementTree.Element(tag, kept)
    made.text, made.tail = source.text, source.tail
    if tooltips and (label := _label(source)):
        ElementTree.SubElement(made, "title").text = label
    for child in source:
        rebuilt = _rebuild(child, tooltips=tooltips)
        if rebuilt is not None and (len(rebuilt) or rebuilt.tag != "g"):
            made.append(rebuilt)
    return made


def _allowed(key: str, value: str) -> bool:
    return key in _ATTRIBUTES and _PLAIN.fullmatch(value) is not None


def _value(value: str) -> str:
    """A colour of the palette as its variable; a number with two decimals, which no screen can tell apart."""
    return _VARIABLES.get(value) or _LONG.sub(
        lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value
    )


def _label(source: ElementTree.Element) -> str:
    """What a mark says of itself; axes and legends say too much, and in words of their own."""
    is_mark = source.get("aria-roledescription") not in _SPEAKERS
    return source.get("aria-label", "") if is_mark and source.get("role") == "graphics-symbol" else ""
