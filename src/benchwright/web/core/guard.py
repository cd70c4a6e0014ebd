"""The gate before every route: identify the visitor, apply the policy, check the form."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote

from litestar.handlers.base import BaseRouteHandler
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import project_view
from benchwright.web.core.authentication import SEEN_MS, find_session, find_token, note_seen
from benchwright.web.core.pages import SAFE, SESSION, VISIT, check_form, cookie_value, is_storable
from benchwright.web.core.policy import (
    PUBLIC,
    Access,
    Policy,
    Principal,
    ProjectView,
    Refusal,
    allowed,
    not_found,
)
from benchwright.web.core.site import Connection, Visitor, path_of, site_of

POLICY, FIELDS, QUERY, BODY = "policy", "fields", "query", "body"  # the keys of a route's `opt`
PROJECT = "project_id"  # the path parameter
LONGEST_BACK = 2_000  # characters of the address to return to after a login
_BEARER = "bearer "


def route(
    policy: Policy, *fields: str, query: tuple[str, ...] = (), body: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The `opt` of a route: its policy, and what it reads: form fields, query, or a body of these types."""
    return {POLICY: policy, FIELDS: fields, QUERY: query, BODY: body}


class LoginRequired(Exception):
    """The page needs a login; the visitor is sent to the login page and back."""

    def __init__(self, back: str) -> None:
        super().__init__(back)
        self.back = back


class _Visit(NamedTuple):
    who: Principal
    project: ProjectView | None
    stale: str | None = None  # the session whose use is to be recorded


async def guard(connection: Connection, handler: BaseRouteHandler) -> None:
    """Admit the request with its visitor at `request.user`, or raise the response."""
    policy = handler.opt.get(POLICY)
    if not isinstance(policy, Policy):  # only litestar's own routes: ours are checked at start-up
        raise not_found()
    if not all(is_storable(str(value)) for value in connection.path_params.values()):
        raise not_found()
    site, program = site_of(connection), _bearer(connection)
    secret = "" if program else cookie_value(connection, SESSION)
    now, project_id = site.now(), connection.path_params.get(PROJECT)

    def find(session: Session) -> _Visit:
        return _find(session, now, program=program, secret=secret, project_id=project_id)

    looks = secret or program or (project_id and PUBLIC in policy.allows)
    found = await site.database.read(find) if looks else _Visit(Principal(), None)
    if found.stale is not None:
        stale = found.stale
        await site.database.write(lambda session: note_seen(session, stale, now))
    visitor_secret = secret if found.who.account_id and secret else cookie_value(connection, VISIT)
    connection.scope["user"] = Visitor(found.who, found.project, visitor_secret)
    _decide(connection, policy, found)
    if found.who.scopes is None:
        await check_form(connection, visitor_secret)


def _find(session: Session, now: int, *, program: str, secret: str, project_id: str | None) -> _Visit:
    if program:
        who = find_token(session, program, now) or Principal()
        return _Visit(who, project_view(session, project_id, who.account_id) if project_id else None)
    login = find_session(session, secret, now, project_id) if secret else None
    if login is None:
        return _Visit(Principal(), project_view(session, project_id, None) if project_id else None)
    return _Visit(login.who, login.project, login.token_hash if now - login.seen_ms > SEEN_MS else None)


def _decide(connection: Connection, policy: Policy, found: _Visit) -> None:
    rules = site_of(connection).settings.projects
    access = allowed(policy, found.who, found.project, rules)
    if access is Access.granted:
        return
    if access is Access.missing:
        raise not_found()
    if access is Access.log_in:
        is_program = path_of(connection).startswith("/api/") or bool(_bearer(connection))
        if is_program or connection.scope["method"] not in SAFE:  # type: ignore[typeddict-item]
            raise Refusal(401, "Log in first", "Your session may have expired. Your input was not stored.")
        query = connection.scope["query_string"].decode("latin-1")
        back = path_of(connection) + (f"?{query}" if query else "")
        raise LoginRequired(quote(back, safe="") if len(back) < LONGEST_BACK else "")
    if access is Access.wrong_state:
        state = found.project.state if found.project else ""
        raise Refusal(409, "Not available now", f"The project is {rules.states.get(state, state)}.")
    raise Refusal(
        403,
        "You do not have permission",
        "Your role does not include this page. Ask an owner or administrator.",
    )


def _bearer(connection: Connection) -> str:
    given = connection.headers.get("authorization", "")
    return given[len(_BEARER) :].strip() if given.lower().startswith(_BEARER) else ""
