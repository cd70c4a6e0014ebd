"""Table of who may send each request to a team's server, written by hand, so that no policy is widened by
accident.

A new route needs a line in ROUTES. `expected` repeats the guard's decision from this table alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

EVERYBODY, LOGGED_IN, ADMINS = "everybody", "logged in", "administrators"
ABOUT_A_SPACE = "{project_id:str}"
GRANTED, LOG_IN, MISSING, FORBIDDEN, WRONG_STATE = "granted", "log in", "missing", "forbidden", "wrong state"


class RouteAudience(NamedTuple):
    """Roles in the space of the path, or one of the audiences above; the scope of tokens; the space's
    states."""

    who: frozenset[str]
    scope: str = ""  # empty: no token is accepted
    readers: bool = False  # everybody in a public space
    states: frozenset[str] = frozenset({"private", "public", "closed"})


MEMBERS = frozenset({"owner", "maintainer", "submitter", "viewer"})
_PAGE = RouteAudience(frozenset({EVERYBODY}))
_ACCOUNT = RouteAudience(frozenset({LOGGED_IN}))
_ADMIN = RouteAudience(frozenset({ADMINS}))
_MAINTAIN = RouteAudience(frozenset({"owner", "maintainer"}))
_READ = RouteAudience(MEMBERS, "read", readers=True)
_SUBMIT = RouteAudience(MEMBERS - {"viewer"}, "submit", states=frozenset({"private", "public"}))
_AUDIENCES: dict[RouteAudience, str] = {
    _PAGE: """
        GET /                                       GET /assets/{name:str}
        GET /live                                   GET /models
        GET /runs/{run:str}                         GET /runs/{run:str}/stream
        GET /api/runs/{run:str}/answers             GET /boards/{board:str}
        GET /boards/{board:str}/standing.json       GET /boards/{board:str}/standing.csv
        GET /boards/{board:str}/comparison          GET /boards/{board:str}/comparison.json
        GET /boards/{board:str}/comparison.csv      GET /login
        POST /login                                 GET /setup
        POST /setup                                 GET /invitations/{secret:str}
        POST /invitations/{secret:str}              GET /health
        GET /login/oidc                             GET /login/oidc/callback
        GET /api/openapi.json
        """,
    _ACCOUNT: """
        GET /account                                POST /account/password
        POST /account/sessions/end                  POST /account/sessions/{session_id:str}/end
        POST /account/tokens                        POST /account/tokens/{token_id:str}/end
        POST /invitations/{secret:str}/join         POST /logout
        GET /spaces
        """,
    _ACCOUNT._replace(scope="read"): "GET /api/account",
    _ADMIN._replace(scope="read"): "GET /metrics",
    _ADMIN: """
        GET /admin                                  GET /admin/audit
        POST /admin/accounts/{account_id:str}/close POST /admin/accounts/{account_id:str}/open
        POST /admin/accounts/{account_id:str}/delete
        POST /admin/accounts/{account_id:str}/password
        POST /admin/invitations                     POST /admin/invitations/{invitation_id:str}/withdraw
        POST /api/spaces                            POST /spaces
        """,
    _READ: """
        GET /spaces/{project_id:str}                GET /api/spaces/{project_id:str}/data
        GET /api/spaces/{project_id:str}/runs       GET /api/spaces/{project_id:str}/runs/{run_id:str}
        GET /spaces/{project_id:str}/runs/{run_id:str}
        """,
    _READ._replace(readers=False): "GET /api/spaces/{project_id:str}/runs/{run_id:str}/rows",
    _SUBMIT: "POST /api/spaces/{project_id:str}/runs",
    RouteAudience(MEMBERS - {"viewer"}): """
        POST /api/spaces/{project_id:str}/tokens    POST /spaces/{project_id:str}/tokens
        """,
    _MAINTAIN: """
        GET /api/spaces/{project_id:str}/members    POST /api/spaces/{project_id:str}/invitations
        POST /api/spaces/{project_id:str}/members/{account_id:str}/role
        DELETE /api/spaces/{project_id:str}/runs/{run_id:str}
        POST /spaces/{project_id:str}/runs/{run_id:str}/requeue
        POST /spaces/{project_id:str}/runs/{run_id:str}/delete
        GET /spaces/{project_id:str}/settings       POST /spaces/{project_id:str}/invitations
        POST /spaces/{project_id:str}/members/{account_id:str}/role
        """,
    RouteAudience(frozenset({"owner"})): """
        POST /api/spaces/{project_id:str}/settings  POST /api/spaces/{project_id:str}/state
        POST /api/spaces/{project_id:str}/delete    POST /spaces/{project_id:str}/settings
        POST /spaces/{project_id:str}/state         POST /spaces/{project_id:str}/delete
        """,
}


def _routes() -> dict[str, RouteAudience]:
    found = {}
    for audience, text in _AUDIENCES.items():
        words = text.split()
        found |= {f"{method} {path}": audience for method, path in zip(words[::2], words[1::2], strict=True)}
    return found


ROUTES: Mapping[str, RouteAudience] = _routes()


class AskedSpace(NamedTuple):
    """A space in the path. `state` is empty if the id is unknown."""

    id: str
    state: str


class TeamVisitor(NamedTuple):
    """The sender of a request. `roles` are by space; a token has scopes, and may be limited to one space."""

    account: str = ""  # empty: no account, or an invalid token
    roles: Mapping[str, str] = {}
    is_admin: bool = False
    scopes: frozenset[str] | None = None
    only: str = ""


def expected(audience: RouteAudience, visitor: TeamVisitor, space: AskedSpace | None) -> str:
    """Return the reply that the visitor must get; `space` is that of the path."""
    is_reader = space is not None and audience.readers and space.state == "public"
    if EVERYBODY in audience.who or is_reader:
        return GRANTED
    if not visitor.account:
        return LOG_IN
    return _site_wide(audience, visitor) if space is None else _in_space(audience, visitor, space)


def _in_space(audience: RouteAudience, visitor: TeamVisitor, space: AskedSpace) -> str:
    is_elsewhere = bool(visitor.only) and visitor.only != space.id
    role = "" if is_elsewhere else visitor.roles.get(space.id, "")
    if not role and (is_elsewhere or space.state != "public"):
        return MISSING
    takes_token = visitor.scopes is None or audience.scope in visitor.scopes
    if not takes_token or role not in audience.who:
        return FORBIDDEN
    return GRANTED if space.state in audience.states else WRONG_STATE


def _site_wide(audience: RouteAudience, visitor: TeamVisitor) -> str:
    if visitor.scopes is not None and (visitor.only or audience.scope not in visitor.scopes):
        return FORBIDDEN
    return GRANTED if LOGGED_IN in audience.who or visitor.is_admin else FORBIDDEN
