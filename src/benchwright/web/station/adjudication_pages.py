"""The adjudicator's page: one disputed item, the votes without names, and the form."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.judges.people.guidance import Guidance
from benchwright.web.core.forms import form_of
from benchwright.web.core.guard import route
from benchwright.web.core.pages import page
from benchwright.web.core.refusals import not_found
from benchwright.web.core.site import PageResponse, SiteRequest, site_of, visitor_of
from benchwright.web.station.adjudicating import DisputedItem, adjudicate, item_of_token, next_case
from benchwright.web.station.deciding import Ended, Entered
from benchwright.web.station.desks import facts_of
from benchwright.web.station.judging_pages import MARK, entered_in, framed
from benchwright.web.station.roles import ADJUDICATORS
from benchwright.web.station.scenes import shown_item
from benchwright.web.station.showing import show_item, texts_of


@get("/adjudicating/{project_id:str}", opt=route(ADJUDICATORS))
async def case_page(request: SiteRequest) -> PageResponse:
    """Show the next disputed item."""
    return await _case_page(request, "", Entered())


async def _case_page(request: SiteRequest, notice: str, entered: Entered) -> PageResponse:
    site, project_id, mine = site_of(request), _project_of(request), visitor_of(request).account_id

    def read(session: Session) -> tuple[DisputedItem | None, Guidance]:
        guidance = facts_of(session.connection(), project_id).guidance
        return next_case(session, project_id, mine), guidance

    case, guidance = await site.database.read(read)
    return page(
        request,
        "station_case.html",
        case=case,
        item=None if case is None else show_item(case.item, guidance),
        guidance=guidance,
        notice=notice,
        entered=entered,
        mark=MARK,
    )


@post("/adjudicating/{project_id:str}", status_code=200, opt=route(ADJUDICATORS, "page", "comment"))
async def decide_case(request: SiteRequest) -> PageResponse:
    """Store the decisions, then show the next item."""
    site, project_id, mine = site_of(request), _project_of(request), visitor_of(request).account_id
    form, now = await form_of(request), site.now()
    entered, token = entered_in(form), form.get("page", "")

    def decide(session: Session) -> Ended:
        return adjudicate(session, project_id, mine, token, entered, now)

    ended = await site.database.write(decide)
    if ended.ending == "incomplete":
        return await _case_page(request, f"Missing decisions: {', '.join(ended.missing)}.", entered)
    if ended.ending == "unknown":
        raise not_found()
    return Redirect(f"/adjudicating/{project_id}", status_code=303)


@get("/adjudicating/{project_id:str}/text/{token:str}/{place:int}", opt=route(ADJUDICATORS))
async def case_text(request: SiteRequest) -> PageResponse:
    """Serve a full text of a disputed item."""
    project_id, place = _project_of(request), int(request.path_params["place"])
    token = str(request.path_params["token"])

    def read(session: Session) -> str | None:
        number = item_of_token(session, project_id, token)
        texts = [] if number is None else texts_of(shown_item(session.connection(), number))
        return texts[place][1] if 0 <= place < len(texts) else None

    text = await site_of(request).database.read(read)
    if text is None:
        raise not_found()
    return framed(text)


def _project_of(request: SiteRequest) -> str:
    return str(request.path_params["project_id"])


ADJUDICATION_ROUTES = [case_page, decide_case, case_text]
