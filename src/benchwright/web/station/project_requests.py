"""Project, role and audit log of a request to a project's page."""

from __future__ import annotations

from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.web.core.audit import Act, note
from benchwright.web.core.policy import Role
from benchwright.web.core.refusals import Refusal
from benchwright.web.core.site import PageResponse, SiteRequest, address_of, named, site_of, visitor_of
from benchwright.web.station.roles import MAKERS, PROJECTS


def is_maker(request: SiteRequest) -> bool:
    """Whether the visitor may change the project."""
    return role_of(request) in MAKERS.allows


def unknown_role() -> Refusal:
    """The response to a role that does not exist or that the visitor may not assign."""
    return Refusal(422, "You cannot assign this role", ", ".join(PROJECTS.roles))


def project_of(request: SiteRequest) -> str:
    """The id of the project that the path names."""
    return named(request, "project_id")


def role_of(request: SiteRequest) -> Role | None:
    """The visitor's role in the project."""
    project = visitor_of(request).project
    return None if project is None else project.role


def log(session: Session, request: SiteRequest, action: str, detail: str) -> None:
    """Add an entry about the project to the audit log, in the transaction of the event."""
    project_id = project_of(request)
    act = Act(action, visitor_of(request).account_id, address_of(request), project_id, project_id, detail)
    note(session, act, site_of(request).now())


def to_project(request: SiteRequest) -> PageResponse:
    """Redirect to the project's page."""
    return Redirect(f"/projects/{project_of(request)}", status_code=303)
