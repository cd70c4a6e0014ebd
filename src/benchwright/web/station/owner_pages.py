"""Pages of a project's owners: progress, members, rubric, exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from litestar import get, post
from litestar.response import Stream
from sqlalchemy.orm import Session

from benchwright.web.core.admin_pages import link_to
from benchwright.web.core.forms import form_of
from benchwright.web.core.guard import route
from benchwright.web.core.inviting import Invited, invitations, invite, withdraw
from benchwright.web.core.pages import page
from benchwright.web.core.policy import OWNER, in_project
from benchwright.web.core.refusals import Refusal, not_found
from benchwright.web.core.site import PageResponse, SiteRequest, site_of, visitor_of
from benchwright.web.core.tables import Invitation, Project
from benchwright.web.station.annotating import annotation_records
from benchwright.web.station.desks import read_guidance
from benchwright.web.station.making import keep_guidance
from benchwright.web.station.overview import Overview, overview_of
from benchwright.web.station.project_requests import (
    is_maker,
    log,
    project_of,
    role_of,
    to_project,
    unknown_role,
)
from benchwright.web.station.roles import CLOSED, CURATOR, MAKERS, OPEN, PROJECTS, READERS
from benchwright.web.station.rows import items_of, votes_of
from benchwright.web.station.tables import StationProject, StationRubric

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
    state = _STATES.get((await form_of(request)).get("to", ""))
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
    form = await form_of(request)
    role = form.get("role", "")
    if role not in PROJECTS.roles or (role == OWNER and role_of(request) != OWNER):
        raise unknown_role()
    site, project_id = site_of(request), project_of(request)
    invited = Invited(project_id=project_id, role=role, note=form.get("note", "")[:200])

    def make(session: Session) -> str:
        log(session, request, "invitation.made", role)
        return invite(session, visitor_of(request).account_id, site.now(), invited)

    secret = await site.database.write(make)
    return await _project_page(request, link=link_to(request, secret))


@post("/projects/{project_id:str}/invitations/{invitation_id:str}/withdraw", opt=route(MAKERS))
async def withdraw_member(request: SiteRequest) -> PageResponse:
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
    text = (await form_of(request)).get("text", "").replace("\r\n", "\n")
    site, project_id = site_of(request), project_of(request)

    def change(session: Session) -> None:
        project = session.get_one(StationProject, project_id)
        known = session.get_one(StationRubric, (project_id, project.rubric))
        keep_guidance(session, project, read_guidance(known.document).saying(text), site.now())
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
    withdraw_member,
    change_rubric,
    votes_file,
    annotations_file,
]
