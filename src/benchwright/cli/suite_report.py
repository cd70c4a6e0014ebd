"""The report of a suite: one page on all of its runs, or one for each track."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.running.run_folders import PAGE, NamedRuns, UnscoredRun
from benchwright.running.suite import CellResult, SuiteCell, other_runs


class SuitePages(NamedTuple):
    """The written pages: the common one, or those of tracks; and what was refused, with the error."""

    page: Path | None
    by_track: dict[str, Path]
    refused: list[tuple[str, BenchwrightError]]


def write_pages(results: Sequence[CellResult], others: Sequence[SuiteCell], out: Path) -> SuitePages:
    """Write the report on all runs of the suite; `others` were not run now.

    Tracks of one kind on different data cannot share a page; then each track gets its own.
    """
    try:
        return SuitePages(_page(results, others, out / PAGE), {}, [])
    except BenchwrightError as error:
        pages = SuitePages(None, {}, [("no common report", error)])
    tracks = dict.fromkeys(each.planned.cell.track for each in results)
    for track in tracks if len(tracks) > 1 else ():
        track_results = [each for each in results if each.planned.cell.track == track]
        rest = [each for each in others if each.track == track]
        try:
            page = _page(track_results, rest, out / f"report-{track}.html")
        except BenchwrightError as error:
            pages.refused.append((f"no report on {track}", error))
            continue
        if page is not None:
            pages.by_track[track] = page
    return pages


def _page(results: Sequence[CellResult], others: Sequence[SuiteCell], path: Path) -> Path | None:
    """Write the report on these runs; None if no run has a score."""
    from benchwright.report.pipeline import write_report  # noqa: PLC0415 (jinja2: 0.1 s)

    scored, unscored = other_runs(others, path.parent)
    runs = [each.planned.folder for each in results if each.score is not None] + scored
    if not runs:
        return None
    failed = [
        UnscoredRun(each.planned.plan.track.name, each.planned.cell.model, each.error.message)
        for each in results
        if each.error is not None
    ] + [
        UnscoredRun(each.planned.plan.track.name, each.planned.cell.model, each.unscored_reason)
        for each in results
        if each.unscored_reason
    ]
    return write_report(NamedRuns(list(map(str, runs)), [*failed, *unscored]), path).page
