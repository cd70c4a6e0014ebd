"""What all charts share: their sizes, their style, and the axes with models and with per cents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.errors import PrerequisiteError, install_command
from benchwright.report.palette import light

Row = Mapping[str, Any]
PIXELS = 9  # a wide letter; labels are cut by letters, so that the page's font may differ from the drawn one
FONT = "Helvetica, Arial, Liberation Sans, sans-serif"


class Size(NamedTuple):
    """How wide a chart is in all, and how many characters of a name are written beside its axis.

    On the page a legend is a list in HTML, which wraps and can be read aloud; a file needs its own.
    """

    width: int
    letters: int
    legend: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether it is more than a phone's."""
        return self.width > NARROW.width


WIDE, NARROW, FILE = Size(900, 34), Size(340, 15), Size(900, 34, legend=True)


class Drawing(NamedTuple):
    """A chart before it is drawn: for files, for a wide page and for a phone it differs in size alone."""

    name: str
    title: str
    describe: str  # what it shows, for those who do not see it
    make: Callable[[Size], Any]  # an altair chart


def altair() -> Any:
    """The altair module. Raises PrerequisiteError where it is not installed."""
    try:
        import altair as alt  # noqa: PLC0415 (1 s; an extra)
    except ImportError:
        raise PrerequisiteError(
            "a report needs altair, which is not installed", hint=install_command("report")
        ) from None
    return alt


def finish(drawing: Drawing, size: Size) -> dict[str, Any]:
    """The chart as a Vega-Lite document of the wanted width, in the house style."""
    alt = altair()
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    styled = (
        drawing.make(size)
        .properties(width=size.width, autosize=fit, background="transparent")
        .configure(font=FONT, padding=2)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=light("muted"),
            titleColor=light("muted"),
            gridColor=light("line"),
            domainColor=light("line"),
            tickColor=light("line"),
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=PIXELS * size.letters,
        )
        .configure_legend(
            labelColor=light("ink"),
            labelFontSize=12,
            labelLimit=2 * PIXELS * size.letters,
            symbolSize=110,
        )
    )
    document: dict[str, Any] = styled.to_dict(validate=False)
    return document


def data(rows: Sequence[Row], labels: Mapping[str, str]) -> Any:
    """The rows with the names of models as they are written at this size."""
    return altair().Data(values=[{**row, "name": labels[row["name"]]} for row in rows])


def models(labels: Mapping[str, str], **options: Any) -> Any:
    """The axis with a line for each model, in the order given."""
    alt = altair()
    axis = alt.Axis(ticks=False, domain=False, labelPadding=8)
    return alt.Y("name:N", sort=list(labels.values()), title=None, axis=axis, **options)


def per_cent(title: str, *, step: int = 20) -> Any:
    """An axis from 0 to 100 %."""
    values = list(range(0, 101, step))
    return altair().Axis(values=values, labelExpr="datum.value + ' %'", title=title)
