"""What all charts share: their sizes, their style, their texts, and the axes with models and with per cents.

Two things are ours and not the chart library's. **Texts**: what comes from outside (names, sentences with
names) never reaches it. It draws stand-ins such as "text-7", and `drawing` puts the texts in their places;
so no name is a key, a field or a value of a scale. **Layout**: sizes and margins are computed from bounds
of text (`measure`), because the library would measure with its own fonts and the reader has others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.display.palette import light
from benchwright.errors import PrerequisiteError, install_command
from benchwright.report.measure import is_bounded, shortened, width

Row = Mapping[str, Any]
LETTER = 12  # pixels of text
FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
GAP = 8  # between a label and what it names
RIGHT = 14  # beside the chart: what an axis says ends with it
TICKS = 26  # height of the labels of an axis
TITLE = 22  # height of the title of an axis
LEGEND_ROW = 20


class Size(NamedTuple):
    """How wide a chart is in all, and how many pixels a name may take beside its axis.

    On the page a legend is a list in HTML, which wraps and can be read aloud; a file needs its own.
    """

    width: int
    room: int
    legend: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether it is more than a phone's."""
        return self.width > NARROW.width


WIDE, NARROW, FILE = Size(900, 300), Size(340, 130), Size(900, 300, legend=True)


class Text(NamedTuple):
    """A text of a chart: where its width has no bound, `fit` is the number of pixels it is drawn in."""

    text: str
    fit: int | None = None
    address: str = ""  # of the answers behind a mark


class Texts:
    """The texts of a chart, each drawn as its stand-in until the chart is done."""

    def __init__(self) -> None:
        self.held: dict[str, Text] = {}

    def add(self, text: str, *, address: str = "") -> str:
        """The stand-in of a text."""
        name = f"text-{len(self.held)}"
        fit = None if is_bounded(text) else round(LETTER * width(text))
        self.held[name] = Text(text, fit, address)
        return name

    def labels(self, names: Sequence[str], room: int) -> list[str]:
        """The stand-ins of names, each cut to so many pixels, no two alike."""
        return [self.add(label) for label in shortened(names, room / LETTER)]

    def widest(self, stand_ins: Sequence[str]) -> int:
        """The pixels that the widest of these texts may take."""
        return max((round(LETTER * width(self.held[name].text)) for name in stand_ins), default=0)


class Plot(NamedTuple):
    """A chart of a size: what to draw, how large it is without its margins, the margins, and its texts."""

    chart: Any  # an altair chart
    texts: Texts
    width: int
    height: int
    left: int
    bottom: int
    legend: int = 0  # rows of it, above the chart


class Drawing(NamedTuple):
    """A chart before it is drawn: for files, for a wide page and for a phone it differs in size alone."""

    name: str
    title: str
    describe: str  # what it shows, for those who do not see it
    make: Callable[[Size], Plot]


def altair() -> Any:
    """The altair module. Raises PrerequisiteError where it is not installed."""
    try:
        import altair as alt  # noqa: PLC0415 (1 s; an extra)
    except ImportError:
        raise PrerequisiteError(
            "charts need altair, which is not installed", hint=install_command("report")
        ) from None
    return alt


def finish(plot: Plot) -> dict[str, Any]:
    """The chart as a Vega-Lite document in the house style, with its margins."""
    muted, line = light("muted"), light("line")
    axis: dict[str, Any] = {"labelColor": muted, "titleColor": muted, "gridColor": line, "domainColor": line}
    axis |= {"tickColor": line, "labelFontSize": LETTER, "titleFontSize": LETTER, "titleFontWeight": "normal"}
    styled = (
        plot.chart.configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**axis, labelLimit=0, titleLimit=0, labelOverlap=False, labelBound=False)
        .configure_legend(
            labelColor=light("ink"), labelFontSize=LETTER, labelLimit=0, symbolSize=110, offset=10
        )
    )
    document: dict[str, Any] = styled.to_dict(validate=False)
    margins = {
        "left": plot.left,
        "right": RIGHT,
        "top": 8 + plot.legend * LEGEND_ROW,
        "bottom": plot.bottom,
    }
    return document | {
        "width": plot.width,
        "height": plot.height,
        "padding": margins,
        "autosize": {"type": "none"},
        "background": "transparent",
    }


def inner(size: Size, left: int) -> int:
    """What is left of a size for the chart itself, beside labels of so many pixels."""
    return size.width - left - RIGHT


def data(rows: Sequence[Row]) -> Any:
    """The rows as data; texts in them are stand-ins or our own."""
    return altair().Data(values=[dict(row) for row in rows])


def models(labels: Sequence[str], **options: Any) -> Any:
    """The axis with a line for each model, in the order given."""
    alt = altair()
    axis = alt.Axis(ticks=False, domain=False, labelPadding=GAP)
    scale = alt.Scale(domain=list(labels), **options)
    return alt.Y("name:N", title=None, axis=axis, scale=scale)


def per_cent(title: str, *, step: int = 20, sign: str = " %", **options: Any) -> Any:
    """An axis from 0 to 100, of shares or of points; `sign` stands behind each number."""
    values = list(range(0, 101, step))
    return altair().Axis(values=values, labelExpr=f"datum.value + '{sign}'", title=title, **options)


def below(**options: Any) -> dict[str, Any]:
    """How the title of a lower axis is placed: it ends with the axis and has the whole width before it."""
    return {
        "titleAnchor": "end",
        "titleAlign": "right",
        "titleY": TICKS + 4,
        "titleBaseline": "top",
        **options,
    }
