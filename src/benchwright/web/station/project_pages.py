"""Pages of a project's owners: progress, members, rubric, exports, reported items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from litestar import get, post
from litestar.response import Redirect, Stream
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import RoleChange, change_role, remove_member
from benchwright.web.core.admin_pages import link_to
from benchwright.web.core.guard import route
from benchwright.web.core.invitations import InvitationTerms, invitations, invite, withdraw
from benchwright.web.core.pages import form_fields, page
from benchwright.web.core.policy import OWNER, Refusal, in_project, not_found
from benchwright.web.core.site import PageResponse, SiteRequest, path_parameter, site_of, visitor_of
from benchwright.web.core.tables import Invitation, Project
from benchwright.web.station.annotations import annotation_records
from benchwright.web.station.judge_session import read_guidance
from benchwright.web.station.judging_pages import text_frame
from benchwright.web.station.project_overview import (
    Overview,
    has_taken_part,
    overview_of,
    page_of_reports,
    reported_text,
    settle_report,
)
from benchwright.web.station.project_setup import store_guidance
from benchwright.web.station.roles import (
    CLOSED,
    CURATOR,
    MAKERS,
    OPEN,
    PROJECTS,
    READERS,
    is_maker,
    log,
    project_of,
    role_of,
    to_project,
    unknown_role,
)
from benchwright.web.station.tables import StationProject, StationRubric
from benchwright.web.station.vote_records import exclude_votes, include_votes, items_of, votes_of

_STATES = {"open": OPEN, "close": CLOSED}


@get("/projects/{project_id:str}", opt=route(READERS))
async def project_page(request: SiteRequest) -> PageResponse:
    """Show the state of the project."""
    return await _project_page(request)


async def _project_page(request: SiteRequest, *, link: str = "", status: int = 200) -> PageResponse:
    site, project_id = site_of(request), project_of(request)

    def read(session: Session) -> tuple[Overview, list[Invitation]]:
        return overview_of(session, project_id), invitations(session, site.now(), project_id=project_id)

    overview, invited = await site.database.read(read)
    return page(
        request,
        "station_project.html",
        status=status,
        overview=overview,
        invited=invited,
        link=link,
        roles=PROJECTS.roles,
        may_change=is_maker(request),
    )


@post("/projects/{project_id:str}/state", opt=route(MAKERS, "to"))
async def change_state(request: SiteRequest) -> PageResponse:
    """Open or close the project."""
    state = _STATES.get((await form_fields(request)).get("to", ""))
    if state is None:
        raise Refusal(422, "Unknown state", "A project can be open or closed.")
    site, project_id = site_of(request), project_of(request)

    def change(session: Session) -> None:
        session.get_one(Project, project_id).state = state
        log(session, request, "project.state", state)

    await site.database.write(change)
    return to_project(request)


@post("/projects/{project_id:str}/invitations", status_code=200, opt=route(MAKERS, "role", "note"))
async def invite_member(request: SiteRequest) -> PageResponse:
    """Create an invitation link. Only this response shows it."""
    form = await form_fields(request)
    role = form.get("role", "")
    if role not in PROJECTS.roles or (role == OWNER and role_of(request) != OWNER):
        raise unknown_role()
    site, project_id = site_of(request), project_of(request)
    invited = InvitationTerms(project_id=project_id, role=role, note=form.get("note", "")[:200])

    def make(session: Session) -> str:
        log(session, request, "invitation.made", role)
        return invite(session, visitor_of(request).account_id, site.now(), invited)

    secret = await site.database.write(make)
    return await _project_page(request, link=link_to(request, secret))


@post("/projects/{project_id:str}/invitations/{invitation_id:str}/withdraw", opt=route(MAKERS))
async def withdraw_project_invitation(request: SiteRequest) -> PageResponse:
    """Withdraw an invitation."""
    site, project_id = site_of(request), project_of(request)
    invitation_id = str(request.path_params["invitation_id"])

    def end(session: Session) -> None:
        log(session, request, "invitation.withdrawn", invitation_id)
        if not withdraw(session, invitation_id, project_id=project_id):
            raise not_found()

    await site.database.write(end)
    return to_project(request)


@post("/projects/{project_id:str}/rubric", opt=route(MAKERS, "text"))
async def change_rubric(request: SiteRequest) -> PageResponse:
    """Change the instructions of judges; votes name the version they were given under."""
    text = (await form_fields(request)).get("text", "").replace("\r\n", "\n")
    site, project_id = site_of(request), project_of(request)

    def change(session: Session) -> None:
        project = session.get_one(StationProject, project_id)
        known = session.get_one(StationRubric, (project_id, project.rubric))
        store_guidance(session, project, read_guidance(known.document).saying(text), site.now())
        log(session, request, "rubric.changed", project.rubric)

    await site.database.write(change)
    return to_project(request)


@get("/projects/{project_id:str}/votes.jsonl", opt=route(in_project(OWNER, CURATOR, scope="read")))
async def votes_file(request: SiteRequest) -> Stream:
    """All current votes, one JSON object per line, in canonical order."""
    site, project_id = site_of(request), project_of(request)
    votes = await site.database.read(lambda session: list(votes_of(session, project_id)))

    def lines() -> Iterator[bytes]:
        for vote in votes:
            yield msgspec.json.encode(vote) + b"\n"

    headers = {"content-disposition": 'attachment; filename="votes.jsonl"'}
    return Stream(lines(), media_type="application/x-ndjson", headers=headers)


@get("/projects/{project_id:str}/annotations.jsonl", opt=route(in_project(OWNER, CURATOR, scope="read")))
async def annotations_file(request: SiteRequest) -> Stream:
    """Annotations by people, as records that `benchwright convert` reads."""
    site, project_id = site_of(request), project_of(request)

    def read(session: Session) -> list[dict[str, Any]]:
        return list(annotation_records(items_of(session, project_id), votes_of(session, project_id)))

    records = await site.database.read(read)
    headers = {"content-disposition": 'attachment; filename="annotations.jsonl"'}
    lines = (msgspec.json.encode(record) + b"\n" for record in records)
    return Stream(lines, media_type="application/x-ndjson", headers=headers)


PROJECT_ROUTES = [
    project_page,
    change_state,
    invite_member,
    withdraw_project_invitation,
    change_rubric,
    votes_file,
    annotations_file,
]


@post("/projects/{project_id:str}/members/{account_id:str}/role", opt=route(MAKERS, "role"))
async def change_member(request: SiteRequest) -> PageResponse:
    """Change the role of a member."""
    role = (await form_fields(request)).get("role", "")
    if role not in PROJECTS.roles:
        raise unknown_role()
    project_id, account_id = project_of(request), path_parameter(request, "account_id")

    def change(session: Session) -> None:
        change = RoleChange(account_id, role, by=role_of(request))
        change_role(session, project_id, change, PROJECTS.entry_roles)
        log(session, request, "member.role", f"{account_id}: {role}")

    await site_of(request).database.write(change)
    return to_project(request)


@post("/projects/{project_id:str}/members/{account_id:str}/remove", opt=route(MAKERS))
async def take_member_out(request: SiteRequest) -> PageResponse:
    """Remove a member; their work stays."""
    project_id, account_id = project_of(request), path_parameter(request, "account_id")

    def remove(session: Session) -> None:
        name = remove_member(session, project_id, account_id, by=role_of(request))
        log(session, request, "member.removed", name)

    await site_of(request).database.write(remove)
    is_self = account_id == visitor_of(request).account_id
    return Redirect("/judging", status_code=303) if is_self else to_project(request)


@post("/projects/{project_id:str}/members/{account_id:str}/votes", opt=route(in_project(OWNER), "to"))
async def count_votes(request: SiteRequest) -> PageResponse:
    """Exclude or include a judge's votes."""
    to = (await form_fields(request)).get("to", "")
    if to not in ("leave-out", "take-in"):
        raise Refusal(422, "Unknown action", "Votes can be excluded or included.")
    site, project_id, judge = site_of(request), project_of(request), path_parameter(request, "account_id")
    mine = visitor_of(request).account_id

    def settle(session: Session) -> None:
        log(session, request, "votes.left_out" if to == "leave-out" else "votes.taken_in", judge)
        leaves_out = to == "leave-out"
        is_done = has_taken_part(session, project_id, judge) and (
            exclude_votes(session, project_id, judge, mine, site.now())
            if leaves_out
            else include_votes(session, project_id, judge)
        )
        if not is_done:  # inside the transaction, to roll the log entry back
            raise not_found()

    await site.database.write(settle)
    return to_project(request)


MEMBER_ROUTES = [change_member, take_member_out, count_votes]


@get("/projects/{project_id:str}/reports", opt=route(READERS))
async def reports_page(request: SiteRequest) -> PageResponse:
    """Show reported items, open reports first."""
    project_id = project_of(request)
    given = request.query_params.get("page", "1")
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 1
    reports = await site_of(request).database.read(
        lambda session: page_of_reports(session, project_id, number)
    )
    may_change = is_maker(request)
    return page(request, "station_reports.html", shown=reports, may_change=may_change)


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
    return text_frame(text)


@post("/projects/{project_id:str}/reports/{report_id:int}", opt=route(MAKERS, "to"))
async def decide_report(request: SiteRequest) -> PageResponse:
    """Return a reported item to judges, or withdraw it."""
    restore = (await form_fields(request)).get("to", "") == "restore"
    project_id, report_id = project_of(request), int(request.path_params["report_id"])

    def settle(session: Session) -> None:
        log(session, request, "report.restored" if restore else "report.withdrawn", str(report_id))
        if not settle_report(session, project_id, report_id, restore=restore):
            raise not_found()  # inside the transaction, to roll the log entry back

    await site_of(request).database.write(settle)
    return Redirect(f"/projects/{project_id}/reports", status_code=303)


REPORT_ROUTES = [reports_page, report_text, decide_report]
