"""Routes of spaces for their members: make a space, members, tokens, settings, retention."""

from __future__ import annotations

import asyncio
from typing import Any

from litestar import Response, get, post
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import (
    AuditEvent,
    Erasure,
    RoleChange,
    change_role,
    log_event,
    make_project,
    remove_member,
)
from benchwright.web.core.admin_pages import link_to
from benchwright.web.core.authentication import make_token
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.guard import route
from benchwright.web.core.invitations import InvitationTerms, invite
from benchwright.web.core.pages import form_fields
from benchwright.web.core.policy import OWNER, SCOPES, Refusal, not_found, site_admin
from benchwright.web.core.site import (
    SiteRequest,
    address_of,
    path_parameter,
    site_of,
    visitor_of,
)
from benchwright.web.core.tables import ApiToken, Project
from benchwright.web.submissions.intake import parts_of
from benchwright.web.submissions.queue import space_settings
from benchwright.web.submissions.roles import HOLD_TOKENS, MAINTAIN, MEMBERS, OWN, PRIVATE_SPACE, SPACES
from benchwright.web.submissions.space_pages import (
    draw_settings,
    draw_space,
    is_form,
    members_of,
    space_reply,
)
from benchwright.web.submissions.tables import Submission
from benchwright.web.submissions.webhooks import check_webhook

MOST_PUSHES, MOST_DAYS = 10_000, 3_650
TOKEN_DAYS = 365  # at most


def _both(change: str) -> list[str]:
    """The addresses of a change: for programs, which get a document, and for the forms of pages."""
    return [f"{top}/spaces/{{project_id:str}}/{change}" for top in ("/api", "")]


@post(["/api/spaces", "/spaces"], opt=route(site_admin(), "name"), status_code=201)
async def make_space(request: SiteRequest) -> Response[Any]:
    """Make a private space; its maker owns it."""
    name, site = (await form_fields(request)).get("name", "").strip(), site_of(request)
    if not name or len(name) > 200 or not name.isprintable():
        raise Refusal(422, "A name has 1 to 200 visible characters")
    mine = visitor_of(request).account_id

    def make(session: Session) -> str:
        project = make_project(session, name, site.now(), state=PRIVATE_SPACE, owner_id=mine)
        space_settings(session, project.id)
        log_event(
            session,
            AuditEvent("space.made", mine, address_of(request), project.id, project.id, name),
            site.now(),
        )
        return project.id

    space = await site.database.write(make)
    return space_reply(request, {"space": space}, status=201, page_at=f"/spaces/{space}")


def _log(session: Session, request: SiteRequest, action: str, detail: str) -> None:
    space = path_parameter(request, "project_id")
    event = AuditEvent(action, visitor_of(request).account_id, address_of(request), space, space, detail)
    log_event(session, event, site_of(request).now())


@get("/api/spaces/{project_id:str}/members", opt=route(MAINTAIN))
async def list_members(request: SiteRequest) -> Response[Any]:
    """List the members with their roles."""
    space = path_parameter(request, "project_id")
    rows = await site_of(request).database.read(lambda session: members_of(session, space))
    return Response({"members": [{"account": a, "name": n, "role": r} for a, n, r in rows]})


@post(_both("invitations"), opt=route(MAINTAIN, "role"), status_code=201)
async def invite_to_space(request: SiteRequest) -> Response[Any]:
    """Make a link that gives a role. Only this response shows it."""
    role = (await form_fields(request)).get("role", "")
    site, visitor = site_of(request), visitor_of(request)
    mine = visitor.project.role if visitor.project else None
    if role not in MEMBERS or (role == OWNER and mine != OWNER):
        raise Refusal(422, "You cannot assign this role", ", ".join(MEMBERS))
    terms = InvitationTerms(project_id=path_parameter(request, "project_id"), role=role)

    def make(session: Session) -> str:
        _log(session, request, "invitation.made", role)
        return invite(session, visitor.account_id, site.now(), terms)

    link = link_to(request, await site.database.write(make))
    if is_form(request):
        return await draw_settings(request, link=link)
    return Response({"link": link}, status_code=201)


@post(_both("members/{account_id:str}/role"), opt=route(MAINTAIN, "role"), status_code=200)
async def change_member(request: SiteRequest) -> Response[Any]:
    """Give a member another role; an empty one removes the member."""
    role, visitor = (await form_fields(request)).get("role", ""), visitor_of(request)
    if role and role not in MEMBERS:
        raise Refusal(422, "Unknown role", ", ".join(MEMBERS))
    space, account = path_parameter(request, "project_id"), path_parameter(request, "account_id")
    by = visitor.project.role if visitor.project else None

    def change(session: Session) -> str:
        _log(session, request, "member.changed" if role else "member.removed", role)
        if role:
            return change_role(session, space, RoleChange(account, role, by), SPACES.entry_roles)
        session.execute(delete(ApiToken).where(ApiToken.project_id == space, ApiToken.account_id == account))
        return remove_member(session, space, account, by=by)

    changed = {"member": await site_of(request).database.write(change), "role": role}
    return space_reply(request, changed, page_at=f"/spaces/{space}/settings")


@post(_both("tokens"), opt=route(HOLD_TOKENS, "name", "days"), status_code=201)
async def make_space_token(request: SiteRequest) -> Response[Any]:
    """Make a token of this account for this space alone. Only this response shows it."""
    form, site = await form_fields(request), site_of(request)
    days = _number(form.get("days", "30"), "days", 1, TOKEN_DAYS)
    space, mine = path_parameter(request, "project_id"), visitor_of(request).account_id

    def make(session: Session) -> str:
        _log(session, request, "token.made", form.get("name", ""))
        now = site.now()
        return make_token(
            session,
            mine,
            form.get("name", ""),
            SCOPES,
            now=now,
            expires_ms=now + days * DAY_MS,
            project_id=space,
        )

    token = await site.database.write(make)
    if is_form(request):
        return await draw_space(request, token=token)
    return Response({"token": token, "days": days}, status_code=201)


def _number(text: str, name: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high):
        raise Refusal(422, f"{name} must be a number from {low} to {high}")
    return int(text)


@post(
    _both("settings"),
    opt=route(OWN, "pushes_a_day", "keep_days", "webhook"),
    status_code=200,
)
async def change_settings(request: SiteRequest) -> Response[Any]:
    """Change the quota of an account, the retention of uploads, and the webhook."""
    form, space = await form_fields(request), path_parameter(request, "project_id")
    numbers = {
        name: _number(form[name], name, 0, most)
        for name, most in (("pushes_a_day", MOST_PUSHES), ("keep_days", MOST_DAYS))
        if name in form
    }
    if "webhook" in form:
        check_webhook(form["webhook"])

    def change(session: Session) -> dict[str, Any]:
        found = space_settings(session, space, lock=True)
        for name, value in numbers.items():
            setattr(found, name, value)
        found.webhook = form.get("webhook", found.webhook)
        _log(session, request, "space.settings", ", ".join(sorted({*numbers, *form} - {"csrf"})))
        return {name: getattr(found, name) for name in ("pushes_a_day", "keep_days", "webhook")}

    changed = await site_of(request).database.write(change)
    return space_reply(request, changed, page_at=f"/spaces/{space}/settings")


@post(_both("state"), opt=route(OWN, "to"), status_code=200)
async def change_space_state(request: SiteRequest) -> Response[Any]:
    """Make the space private, public or closed. Leaderboards show runs of public spaces only."""
    state, site = (await form_fields(request)).get("to", ""), site_of(request)
    if state not in SPACES.states:
        raise Refusal(422, "Unknown state", ", ".join(SPACES.states))

    def change(session: Session) -> None:
        session.get_one(Project, path_parameter(request, "project_id")).state = state
        _log(session, request, "space.state", state)

    await site.database.write(change)
    await site.database.read(parts_of(request).folders.settle)
    page_at = f"/spaces/{path_parameter(request, 'project_id')}/settings"
    return space_reply(request, {"state": state}, page_at=page_at)


@post(_both("delete"), opt=route(OWN, "name"), status_code=200)
async def delete_space(request: SiteRequest) -> Response[Any]:
    """Delete a space with all submissions and files. The form repeats its name."""
    space, site = path_parameter(request, "project_id"), site_of(request)
    name = (await form_fields(request)).get("name", "")

    def drop(session: Session) -> list[str]:
        found = session.get(Project, space)
        if found is None:
            raise not_found()
        if found.name != name:
            raise UsageError("the name is not that of the space", hint="repeat the name of the space")
        ids = list(session.scalars(select(Submission.id).where(Submission.project_id == space)))
        _log(session, request, "space.deleted", name)
        session.delete(found)
        return ids

    ids = await site.database.write(drop)
    for each in ids:
        await asyncio.to_thread(parts_of(request).folders.drop, each)
    return space_reply(request, {"deleted": space, "submissions": len(ids)}, page_at="/spaces")


def erase_submissions(session: Session, erasure: Erasure) -> None:
    """Unlink a deleted person from submissions, or delete these; their folders go with `settle`."""
    own = select(Submission).where(Submission.account_id == erasure.account_id)
    for row in session.scalars(own):
        row.account_id = None
        if not erasure.keep_work:
            session.delete(row)


SPACE_ROUTES = (
    make_space,
    list_members,
    invite_to_space,
    change_member,
    make_space_token,
    change_settings,
    change_space_state,
    delete_space,
)
