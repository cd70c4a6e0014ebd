"""Owners' actions on members: change the role, remove, exclude or include votes."""

from __future__ import annotations

from litestar import post
from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.web.core.forms import form_of
from benchwright.web.core.guard import route
from benchwright.web.core.members import RoleChange, change_role, remove_member
from benchwright.web.core.policy import OWNER, in_project
from benchwright.web.core.refusals import Refusal, not_found
from benchwright.web.core.site import PageResponse, SiteRequest, named, site_of, visitor_of
from benchwright.web.station.left_out import leave_out, take_in
from benchwright.web.station.overview import has_taken_part
from benchwright.web.station.project_requests import log, project_of, role_of, to_project, unknown_role
from benchwright.web.station.roles import MAKERS, PROJECTS


@post("/projects/{project_id:str}/members/{account_id:str}/role", opt=route(MAKERS, "role"))
async def change_member(request: SiteRequest) -> PageResponse:
    """Change the role of a member."""
    role = (await form_of(request)).get("role", "")
    if role not in PROJECTS.roles:
        raise unknown_role()
    project_id, account_id = project_of(request), named(request, "account_id")

    def change(session: Session) -> None:
        change = RoleChange(account_id, role, by=role_of(request))
        change_role(session, project_id, change, PROJECTS.entry_roles)
        log(session, request, "member.role", f"{account_id}: {role}")

    await site_of(request).database.write(change)
    return to_project(request)


@post("/projects/{project_id:str}/members/{account_id:str}/remove", opt=route(MAKERS))
async def take_member_out(request: SiteRequest) -> PageResponse:
    """Remove a member; their work stays."""
    project_id, account_id = project_of(request), named(request, "account_id")

    def remove(session: Session) -> None:
        name = remove_member(session, project_id, account_id, by=role_of(request))
        log(session, request, "member.removed", name)

    await site_of(request).database.write(remove)
    is_self = account_id == visitor_of(request).account_id
    return Redirect("/judging", status_code=303) if is_self else to_project(request)


@post("/projects/{project_id:str}/members/{account_id:str}/votes", opt=route(in_project(OWNER), "to"))
async def count_votes(request: SiteRequest) -> PageResponse:
    """Exclude or include a judge's votes."""
    to = (await form_of(request)).get("to", "")
    if to not in ("leave-out", "take-in"):
        raise Refusal(422, "Unknown action", "Votes can be excluded or included.")
    site, project_id, judge = site_of(request), project_of(request), named(request, "account_id")
    mine = visitor_of(request).account_id

    def settle(session: Session) -> None:
        log(session, request, "votes.left_out" if to == "leave-out" else "votes.taken_in", judge)
        leaves_out = to == "leave-out"
        is_done = has_taken_part(session, project_id, judge) and (
            leave_out(session, project_id, judge, mine, site.now())
            if leaves_out
            else take_in(session, project_id, judge)
        )
        if not is_done:  # inside the transaction, to roll the log entry back
            raise not_found()

    await site.database.write(settle)
    return to_project(request)


MEMBER_ROUTES = [change_member, take_member_out, count_votes]
