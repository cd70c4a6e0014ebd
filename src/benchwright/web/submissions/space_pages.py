"""Pages of spaces: the list, a space with its submissions, one submission, and settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litestar import Response, get
from litestar.response import Redirect
from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import projects_of
from benchwright.web.core.guard import route
from benchwright.web.core.pages import page
from benchwright.web.core.policy import Policy, logged_in
from benchwright.web.core.site import (
    PageResponse,
    SiteRequest,
    own_address,
    path_of,
    path_parameter,
    site_of,
    visitor_of,
)
from benchwright.web.core.tables import Account, Membership, Project
from benchwright.web.submissions.queue import default_settings
from benchwright.web.submissions.roles import HOLD_TOKENS, MAINTAIN, MEMBERS, OWN, READ, SPACES
from benchwright.web.submissions.routes import (
    differing_rows_of,
    newest_submissions,
    submission_of,
    submission_view,
)
from benchwright.web.submissions.tables import SpaceSettings

SHOWN_ROWS = 200  # differing answers on the page of a submission
LONGEST_DAYS = (7, 30, 90, 365)  # of tokens, as the page offers them


def may(request: SiteRequest, policy: Policy) -> bool:
    """Whether the visitor's role in the space is among those of a policy."""
    space = visitor_of(request).project
    return space is not None and space.role in policy.allows and visitor_of(request).who.scopes is None


def is_form(request: SiteRequest) -> bool:
    """Whether the request is that of a page's form, whose reply is a page."""
    return not path_of(request).startswith("/api/")


def space_reply(
    request: SiteRequest, document: dict[str, Any], *, status: int = 200, page_at: str
) -> Response[Any]:
    """The reply to a change: a document below /api, and for a form the way to a page."""
    return Redirect(page_at, status_code=303) if is_form(request) else Response(document, status_code=status)


@get("/spaces", opt=route(logged_in()))
async def spaces_page(request: SiteRequest) -> PageResponse:
    """List the visitor's spaces and public ones; administrators can make one."""
    mine = visitor_of(request).account_id

    def find(session: Session) -> dict[str, Any]:
        spaces = projects_of(session, mine)
        others = select(Project).where(
            Project.state.in_(SPACES.public), Project.id.not_in([each.id for each in spaces])
        )
        return {"spaces": spaces, "others": list(session.scalars(others.order_by(Project.name)))}

    return page(request, "spaces.html", **await site_of(request).database.read(find))


@get("/spaces/{project_id:str}", opt=route(READ))
async def space_page(request: SiteRequest) -> PageResponse:
    """Show the submissions of a space, and how to push."""
    return await draw_space(request)


async def draw_space(request: SiteRequest, *, token: str = "") -> PageResponse:
    """The page of a space, with a new token if there is one."""
    runs = [submission_view(request, row) for row in await newest_submissions(request)]
    return page(
        request,
        "space.html",
        space=visitor_of(request).project,
        runs=runs,
        token=token,
        address=own_address(request),
        days=LONGEST_DAYS,
        holds_tokens=may(request, HOLD_TOKENS),
        maintains=may(request, MAINTAIN),
    )


@get("/spaces/{project_id:str}/runs/{run_id:str}", opt=route(READ))
async def submission_page(request: SiteRequest) -> PageResponse:
    """Show a submission: its state, its figures, and to members the answers that differ."""
    row = await submission_of(request)
    space = visitor_of(request).project
    is_member = space is not None and space.role is not None
    rows = await differing_rows_of(request, row) if is_member else []
    return page(
        request,
        "submission.html",
        space=space,
        run=submission_view(request, row),
        rows=rows[:SHOWN_ROWS],
        differing=len(rows),
        maintains=may(request, MAINTAIN),
    )


@get("/spaces/{project_id:str}/settings", opt=route(MAINTAIN))
async def settings_page(request: SiteRequest) -> PageResponse:
    """Show members and settings of a space."""
    return await draw_settings(request)


def members_of(session: Session, space: str) -> Sequence[Row[str, str, str]]:
    """The (account id, name, role) of each member of a space, by name."""
    query = (
        select(Account.id, Account.name, Membership.role)
        .join(Membership, Membership.account_id == Account.id)
        .where(Membership.project_id == space)
        .order_by(Account.name)
    )
    return session.execute(query).all()


async def draw_settings(request: SiteRequest, *, link: str = "") -> PageResponse:
    """The page of settings, with a new invitation link if there is one."""
    space = path_parameter(request, "project_id")

    def find(session: Session) -> dict[str, Any]:
        settings = session.get(SpaceSettings, space)
        return {
            "members": members_of(session, space),
            "settings": settings or default_settings(space),
        }

    found = await site_of(request).database.read(find)
    return page(
        request,
        "space_settings.html",
        space=visitor_of(request).project,
        link=link,
        roles=MEMBERS,
        states=list(SPACES.states),
        owns=may(request, OWN),
        **found,
    )


SPACE_PAGES = (spaces_page, space_page, submission_page, settings_page)
