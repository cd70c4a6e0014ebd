"""A section of the report: what one track's runs show under one heading.

To add one, write a module with a `ReportSection`, its template in a folder `templates`, and a line in
`registry.SECTIONS`. Another package uses an entry point of the group `benchwright.sections`; its sections
follow the built-in ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from benchwright import registry
from benchwright.records import TaskId
from benchwright.report.chart_canvas import Drawing
from benchwright.report.chart_files import Figure, draw_figure
from benchwright.report.runs import Run
from benchwright.report.standing import RunOrder

SectionData = dict[str, Any]


class TrackRuns(NamedTuple):
    """The runs of one track in their order, and all their tasks."""

    order: RunOrder
    tasks: list[TaskId]

    @property
    def runs(self) -> list[Run]:
        """The runs, best first."""
        return self.order.runs

    @property
    def executes(self) -> bool:
        """Whether the track's answers are programs that are executed."""
        return all(run.executes for run in self.runs)

    @property
    def labels(self) -> bool:
        """Whether answers are labels."""
        return not self.executes and not self.graded

    @property
    def graded(self) -> bool:
        """Whether answers are graded, not just passed or failed."""
        return any(run.graded for run in self.runs)


class ChartSet:
    """Draws the charts of the page and collects them, to save the same charts as files."""

    def __init__(self) -> None:
        self.drawings: list[Drawing] = []
        self.track = ""  # the track of the charts, if there are several

    def figure(self, drawing: Drawing | None) -> Figure | None:
        """The chart as SVG for the page; None if there is nothing to draw."""
        if drawing is None:
            return None
        if self.track:
            name = f"{drawing.name}-{re.sub('[^a-z0-9]+', '-', self.track.lower())}"
            drawing = drawing._replace(name=name, title=f"{self.track}: {drawing.title}")
        self.drawings.append(drawing)
        return draw_figure(drawing)


class ReportSection(NamedTuple):
    """One section of each track on the page.

    In the template, `group[name]` is what `build` returned, and `draw` has the macros of `macros.html`. The
    id of its `<section>` is the anchor followed by `group.suffix`. `build` makes control characters in
    outside text visible (`display/escape.py`); the template escapes HTML.
    """

    name: str  # the key of its data in `group`
    template: str
    build: Callable[[TrackRuns, ChartSet], Any]  # its data; empty or None: the section is left out
    title: Callable[[Any], str]  # of its data: the entry in the table of contents
    anchor: Callable[[Any], str] | None = None  # of its data; None: the name
    package: str = "benchwright.report"  # has the template in its folder `templates`

    def entry(self, data: Any, suffix: str) -> tuple[str, str]:
        """Its entry in the table of contents: the anchor and the title."""
        return (self.anchor(data) if self.anchor else self.name) + suffix, self.title(data)


def page_sections() -> list[ReportSection]:
    """All sections in page order: the built-in ones, then those of other packages by name."""
    added = [name for name in registry.names("section") if name not in registry.GROUPS["section"]]
    return [registry.find("section", name) for name in (*registry.GROUPS["section"], *added)]
