"""The overview: the score of every model on every track, as a table of the page and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from benchwright.contracts import Measure
from benchwright.display.escape import escaped_code, spreadsheet_cell
from benchwright.rank.standing import StandingRow
from benchwright.records import Metric
from benchwright.report.provenance import track_title
from benchwright.report.runs import Run, distinct_keys
from benchwright.report.section import SectionData, TrackRuns
from benchwright.report.standing import RunOrder
from benchwright.running.run_folders import UnscoredRun

COLUMNS = (
    *("track", "model", "metric", "value", "low", "high", "tasks", "samples", "place_best", "place_worst"),
    *("models", "date", "reason"),
)


class ScoreCell(NamedTuple):
    """One run on one track: the metric that orders the track's runs, or the reason why there is none."""

    track: str  # its name in commands
    model: str
    measure: Measure | None = None
    metric: Metric | None = None
    place: StandingRow | None = None  # None: not ranked, or the only run of its track
    models: int = 0  # runs of the track that have a score
    date: str = ""  # day of the end of the run
    reason: str = ""

    @property
    def key(self) -> float:
        """Sort key in the table: the value; -1 without one."""
        return self.metric.value if self.metric else -1.0

    @property
    def unranked(self) -> bool:
        """Return whether it is one of several runs that cannot be ranked; the track's tab has the reason."""
        return self.place is None and self.models > 1


class TrackColumn(NamedTuple):
    """A track of the overview. `key` is that of its tab; empty if none of its runs has a score."""

    name: str
    title: str
    key: str
    measure: str


class ModelRow(NamedTuple):
    """A model with its runs on each track: none, one, or several of one name."""

    name: str
    cells: list[list[ScoreCell]]


def track_keys(groups: Sequence[TrackRuns]) -> list[str]:
    """A distinct key for each track, quoted for an address such as `#track=humaneval`."""
    return list(distinct_keys(escaped_code(group.runs[0].contestant.track) for group in groups))


def score_cells(groups: Sequence[TrackRuns], unscored: Sequence[UnscoredRun] = ()) -> Iterator[ScoreCell]:
    """The runs of the page by track, best first, then those without a score."""
    for group in groups:
        for position, run in enumerate(group.runs):
            yield _cell(group.order, run, position)
    for failed in unscored:
        track, model, why = map(escaped_code, failed)
        yield ScoreCell(track, model, reason=why)


def _cell(order: RunOrder, run: Run, position: int) -> ScoreCell:
    metric = run.score.metrics.get(order.metric)
    return ScoreCell(
        track=escaped_code(run.contestant.track),
        model=run.name,
        measure=order.measure,
        metric=metric,
        place=order.places[position] if order.places else None,
        models=len(order.runs),
        date=run.date,
        reason="" if metric else "too few answers were judged",
    )


def overview(groups: Sequence[TrackRuns], unscored: Sequence[UnscoredRun]) -> SectionData:
    """The table of models × tracks. Models of one name on several tracks share a row."""
    cells = list(score_cells(groups, unscored))
    columns = list(_columns(groups, cells))
    names = dict.fromkeys(cell.model for cell in cells)
    rows = [ModelRow(name, _of_model(cells, name, columns)) for name in names]
    return {
        "columns": columns,
        "rows": rows,
        "ranked": any(cell.place for cell in cells),
        "established": list(_established(groups)),
        "csv": (text := as_csv(cells)),
        "csv_link": csv_link(text),
    }


def _columns(groups: Sequence[TrackRuns], cells: Sequence[ScoreCell]) -> Iterator[TrackColumn]:
    known = set()
    for group, key in zip(groups, track_keys(groups), strict=True):
        name = group.runs[0].contestant.track
        known.add(escaped_code(name))
        yield TrackColumn(escaped_code(name), escaped_code(track_title(name)), key, group.order.measure.title)
    for name in dict.fromkeys(cell.track for cell in cells if cell.track not in known):
        yield TrackColumn(name, escaped_code(track_title(name)), "", "")


def _of_model(cells: Sequence[ScoreCell], name: str, columns: Sequence[TrackColumn]) -> list[list[ScoreCell]]:
    return [[cell for cell in cells if (cell.track, cell.model) == (each.name, name)] for each in columns]


def _established(groups: Sequence[TrackRuns]) -> Iterator[tuple[str, str, str]]:
    """For each track with several ranked runs: its title, its tab's key, and the sentence on their order."""
    for group, key in zip(groups, track_keys(groups), strict=True):
        if group.order.sentences:
            yield (
                escaped_code(track_title(group.runs[0].contestant.track)),
                key,
                group.order.sentences[0],
            )


def as_csv(cells: Sequence[ScoreCell]) -> str:
    """The overview as CSV, a run per row. Figures are shares, not percentages."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(map(_csv_row, cells))
    return text.getvalue()


def _csv_row(cell: ScoreCell) -> list[object]:
    metric, place = cell.metric, cell.place
    figures = (metric.value, metric.low, metric.high, metric.n, metric.samples) if metric else ("",) * 5
    places = (place.best, place.worst, cell.models) if place else ("", "", "")
    names = (spreadsheet_cell(cell.track), spreadsheet_cell(cell.model))
    measure = cell.measure.name if cell.measure else ""
    return [*names, measure, *figures, *places, cell.date, spreadsheet_cell(cell.reason)]


def csv_link(text: str) -> str:
    """The address of a CSV file within the page. A byte order mark makes spreadsheets read it as UTF-8."""
    return "data:text/csv;charset=utf-8," + quote("\ufeff" + text, safe="")
