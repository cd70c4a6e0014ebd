"""Pages of reported items, for owners and curators."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.web.core.forms import form_of
from benchwright.web.core.guard import route
from benchwright.web.core.pages import page
from benchwright.web.core.refusals import not_found
from benchwright.web.core.site import PageResponse, SiteRequest, site_of
from benchwright.web.station.judging_pages import framed
from benchwright.web.station.project_requests import is_maker, log, project_of
from benchwright.web.station.reports import page_of_reports, reported_text, settle_report
from benchwright.web.station.roles import MAKERS, READERS


@get("/projects/{project_id:str}/reports", opt=route(READERS))
async def reports_page(request: SiteRequest) -> PageResponse:
    """Show reported items, open reports first."""
    project_id = project_of(request)
    given = request.query_params.get("page", "1")
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 1
    shown = await site_of(request).database.read(lambda session: page_of_reports(session, project_id, number))
    may_change = is_maker(request)
    return page(request, "station_reports.html", shown=shown, may_change=may_change)


@get("/projects/{project_id:str}/reports/text/{report_id:int}/{place:int}", opt=route(READERS))
async def report_text(request: SiteRequest) -> PageResponse:
    """Serve a full text of a reported item."""
    project_id = project_of(request)
    report_id, place = (int(request.path_params[name]) for name in ("report_id", "place"))
    text = await site_of(request).database.read(
        lambda session: reported_text(session, project_id, report_id, place)
    )
    if text is None:
        raise not_found()
    return framed(text)


@post("/projects/{project_id:str}/reports/{report_id:int}", opt=route(MAKERS, "to"))
async def decide_report(request: SiteRequest) -> PageResponse:
    """Return a reported item to judges, or withdraw it."""
    restore = (await form_of(request)).get("to", "") == "restore"
    project_id, report_id = project_of(request), int(request.path_params["report_id"])

    def settle(session: Session) -> None:
        log(session, request, "report.restored" if restore else "report.withdrawn", str(report_id))
        if not settle_report(session, project_id, report_id, restore=restore):
            raise not_found()  # inside the transaction, to roll the log entry back

    await site_of(request).database.write(settle)
    return Redirect(f"/projects/{project_id}/reports", status_code=303)


REPORT_ROUTES = [reports_page, report_text, decide_report]
