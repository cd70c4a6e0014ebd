"""Items that judges reported: open reports first, in pages, with what judges saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_code
from benchwright.web.station.desks import facts_of
from benchwright.web.station.scenes import shown_item
from benchwright.web.station.showing import ShownItem, show_item, texts_of
from benchwright.web.station.tables import StationItem, StationReport

A_PAGE = 20


class Reported(NamedTuple):
    """A report and its item."""

    id: int
    task: str  # JSON of the task's id
    reason: str
    state: str
    item: ShownItem


class ReportCounts(NamedTuple):
    """The number of open reports and of all reports."""

    open: int
    all: int


class ReportPage(NamedTuple):
    """One page of a project's reports; the first page is number 1."""

    reports: Sequence[Reported]
    counts: ReportCounts
    number: int

    @property
    def pages(self) -> int:
        """The number of pages, at least 1."""
        return max(1, -(-self.counts.all // A_PAGE))


def count_reports(session: Session, project_id: str) -> ReportCounts:
    """Count the reports that were not undone."""
    query = select(StationReport.state, func.count()).where(StationReport.project_id == project_id)
    rows = session.execute(query.group_by(StationReport.state)).all()
    states: dict[str, int] = dict(rows)
    return ReportCounts(states.get("open", 0), sum(states.values()) - states.get("undone", 0))


def page_of_reports(session: Session, project_id: str, number: int) -> ReportPage:
    """Page `number`, or the last page: open reports first, then newest first."""
    counts = count_reports(session, project_id)
    last = ReportPage((), counts, 1).pages
    number = min(max(number, 1), last)
    rows = session.execute(
        select(StationReport, StationItem.task_id)
        .join(StationItem, StationItem.id == StationReport.item_id)
        .where(StationReport.project_id == project_id, StationReport.state != "undone")
        .order_by(StationReport.state != "open", StationReport.id.desc())
        .offset((number - 1) * A_PAGE)
        .limit(A_PAGE)
    )
    guidance = facts_of(session.connection(), project_id).guidance
    found = [
        Reported(
            report.id,
            task,
            escaped_code(report.reason),
            report.state,
            show_item(shown_item(session.connection(), report.item_id), guidance),
        )
        for report, task in rows
    ]
    return ReportPage(found, counts, number)


def reported_text(session: Session, project_id: str, report_id: int, place: int) -> str | None:
    """A full text of a reported item; None if the project has no such report or text."""
    report = _report(session, project_id, report_id)
    if report is None:
        return None
    texts = texts_of(shown_item(session.connection(), report.item_id))
    return texts[place][1] if 0 <= place < len(texts) else None


def settle_report(session: Session, project_id: str, report_id: int, *, restore: bool) -> bool:
    """Return a reported item to judges, or withdraw it. Returns whether there was such a report."""
    report = _report(session, project_id, report_id)
    if report is None or report.state not in ("open", "withdrawn"):
        return False
    report.state = "restored" if restore else "withdrawn"
    session.execute(
        update(StationItem)
        .where(StationItem.id == report.item_id)
        .values(state="open" if restore else "withdrawn")
    )
    return True


def _report(session: Session, project_id: str, report_id: int) -> StationReport | None:
    report = session.get(StationReport, report_id) if report_id < 1 << 63 else None
    return report if report is not None and report.project_id == project_id else None
