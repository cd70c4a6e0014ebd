"""Charts on the page, and as SVG and PNG files. vl-convert makes the PNG offline, without a browser."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from benchwright.display.escape import escaped_code
from benchwright.display.palette import light
from benchwright.errors import BenchwrightError, PrerequisiteError, install_command
from benchwright.report.chart_canvas import Drawing
from benchwright.report.chart_layout import FILE, FONT, GAP, NARROW, WIDE, fitted_text
from benchwright.report.page import write_file

TITLE_LETTER = 15
_TITLE = 34  # height of the title of a file


class ChartError(BenchwrightError):
    """A chart that could not be saved."""


class Figure(NamedTuple):
    """A drawn chart for the page, wide and narrow."""

    name: str
    title: str
    describe: str
    wide: str
    narrow: str


def draw_figure(drawing: Drawing) -> Figure:
    """Draw the chart as SVG in the page's colours."""
    parts = []
    for size, kind in ((WIDE, "wide"), (NARROW, "narrow")):
        name = f"{drawing.name}-{kind}"
        root = drawing.make(size).svg()
        root.set("class", kind)
        # Screen readers skip the content of an image, so one with links is a group.
        root.set("role", "img" if root.find(".//a") is None else "group")
        root.set("aria-labelledby", f"{name}-title {name}-text")
        _describe(root, drawing, name)
        parts.append(ElementTree.tostring(root, encoding="unicode"))
    return Figure(drawing.name, drawing.title, drawing.describe, *parts)


def _describe(root: ElementTree.Element, drawing: Drawing, name: str) -> None:
    """Add the title and the description for screen readers."""
    for position, (tag, part, text) in enumerate(
        (("title", "title", drawing.title), ("desc", "text", drawing.describe))
    ):
        element = ElementTree.Element(tag, {"id": f"{name}-{part}"})
        element.text = text
        root.insert(position, element)


def save_chart(drawing: Drawing, folder: Path) -> list[Path]:
    """Save the chart as NAME.svg and NAME.png, with title and white background. Raises ChartError."""
    root = drawing.make(FILE).svg(_TITLE)
    x, y, width, height = root.get("viewBox", "").split()
    root.attrib.update({"xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height})
    paper = {"x": x, "y": y, "width": width, "height": height, "fill": light("paper")}
    root.insert(0, ElementTree.Element("rect", paper))
    place = {"x": str(GAP), "y": str(22 - _TITLE), "fill": light("ink"), "font-family": FONT}
    title = ElementTree.SubElement(
        root, "text", {**place, "font-size": f"{TITLE_LETTER}px", "font-weight": "bold"}
    )
    title.text = fitted_text(drawing.title, (FILE.width - 2 * GAP) / TITLE_LETTER)
    svg_text = ElementTree.tostring(root, encoding="unicode")
    svg, png = folder / f"{drawing.name}.svg", folder / f"{drawing.name}.png"
    write_file(svg, [svg_text.encode() + b"\n"])
    write_file(png, [_png(svg_text)])
    return [svg, png]


def save_charts(drawings: Iterable[Drawing], folder: Path) -> tuple[list[Path], list[str]]:
    """Save the charts; return the files, and a message for each failure."""
    saved: list[Path] = []
    unsaved: list[str] = []
    for drawing in drawings:
        try:
            saved += save_chart(drawing, folder)
        except ChartError as error:
            unsaved.append(f"The chart “{drawing.title}” was not saved. {error.message}.")
    return saved, unsaved


def check_installed() -> None:
    """Raise PrerequisiteError if charts cannot be saved. Called before any run is read."""
    _vl_convert()


def _vl_convert() -> Any:
    try:
        import vl_convert  # noqa: PLC0415 (an extra)
    except ImportError:
        raise PrerequisiteError(
            "chart files need vl-convert-python, which is not installed",
            hint=install_command("report"),
        ) from None
    return vl_convert


def _png(svg: str) -> bytes:
    try:
        return bytes(_vl_convert().svg_to_png(svg, scale=2))
    except ValueError as error:
        reason = escaped_code(str(error).partition("\n")[0][:200])
        raise ChartError(f"vl-convert failed: {reason}") from None
