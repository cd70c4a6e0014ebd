"""The roles and states of a station's projects, the policies of its pages, and the project of a request."""

from __future__ import annotations

from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import AuditEvent, log_event
from benchwright.web.core.policy import OWNER, EntryRole, ProjectRules, Refusal, Role, in_project
from benchwright.web.core.site import (
    PageResponse,
    SiteRequest,
    address_of,
    path_parameter,
    site_of,
    visitor_of,
)

CURATOR, JUDGE, ADJUDICATOR, VIEWER = "curator", "judge", "adjudicator", "viewer"
DRAFT, OPEN, CLOSED = "draft", "open", "closed"

PROJECTS = ProjectRules(
    roles=(OWNER, CURATOR, JUDGE, ADJUDICATOR, VIEWER),
    states={DRAFT: "a draft", OPEN: "open", CLOSED: "closed"},
    seen_by={DRAFT: frozenset({OWNER, CURATOR})},
    entry_roles={
        JUDGE: EntryRole(
            "a member who has seen the project's results cannot judge it blind", "invite another account"
        )
    },
)
JUDGES = in_project(JUDGE, states=(OPEN,))
ADJUDICATORS = in_project(ADJUDICATOR, OWNER)
MAKERS = in_project(OWNER, CURATOR)
READERS = in_project(OWNER, CURATOR, VIEWER)


def is_maker(request: SiteRequest) -> bool:
    """Whether the visitor may change the project."""
    return role_of(request) in MAKERS.allows


def unknown_role() -> Refusal:
    """The response to a role that does not exist or that the visitor may not assign."""
    return Refusal(422, "You cannot assign this role", ", ".join(PROJECTS.roles))


def project_of(request: SiteRequest) -> str:
    """The id of the project that the path names."""
    return path_parameter(request, "project_id")


def role_of(request: SiteRequest) -> Role | None:
    """The visitor's role in the project."""
    project = visitor_of(request).project
    return None if project is None else project.role


def log(session: Session, request: SiteRequest, action: str, detail: str) -> None:
    """Add an entry about the project to the audit log, in the transaction of the event."""
    project_id = project_of(request)
    act = AuditEvent(
        action, visitor_of(request).account_id, address_of(request), project_id, project_id, detail
    )
    log_event(session, act, site_of(request).now())


def to_project(request: SiteRequest) -> PageResponse:
    """Redirect to the project's page."""
    return Redirect(f"/projects/{project_of(request)}", status_code=303)
