"""Who may do what: every route names its policy, and one function decides.

A project that is not one's own does not exist: the answer is that of an address that nobody ever made.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Literal, NamedTuple, get_args

Role = Literal["owner", "curator", "judge", "adjudicator", "viewer"]
Audience = Literal["owner", "curator", "judge", "adjudicator", "viewer", "admin", "account", "anonymous"]
State = Literal["draft", "open", "closed"]
Scope = Literal["read"]  # of tokens for programs: only pages that read serve them

ROLES: tuple[Role, ...] = get_args(Role)
AUDIENCES: tuple[Audience, ...] = get_args(Audience)
STATES: tuple[State, ...] = get_args(State)
SCOPES: tuple[Scope, ...] = get_args(Scope)
MAKERS: frozenset[str] = frozenset({"owner", "curator"})  # who sees a draft


class Policy(NamedTuple):
    """Whom a route serves. `allows` names roles in the path's project where `needs_project`, else audiences:
    "account" is anybody who is logged in, "anonymous" everybody, "admin" who looks after the site."""

    allows: frozenset[Audience]
    needs_project: bool = False
    states: frozenset[State] = frozenset(STATES)
    scope: Scope | None = None  # what a program's token must allow; None serves no token


def public() -> Policy:
    """Everybody, logged in or not."""
    return Policy(frozenset({"anonymous"}))


def logged_in(*, scope: Scope | None = None) -> Policy:
    """Anybody who has an account."""
    return Policy(frozenset({"account"}), scope=scope)


def site_admin(*, scope: Scope | None = None) -> Policy:
    """Who looks after the site; that is no role in any project."""
    return Policy(frozenset({"admin"}), scope=scope)


def in_project(
    *roles: Role | Literal["admin"], states: Iterable[State] = STATES, scope: Scope | None = None
) -> Policy:
    """Who has one of the roles in the project that the path names as `project_id`, while it is in a state."""
    return Policy(frozenset(roles), needs_project=True, states=frozenset(states), scope=scope)


class Who(NamedTuple):
    """Who asks. `scopes` are those of a program's token; None for a person with a session."""

    account_id: str | None = None
    name: str = ""
    is_admin: bool = False
    scopes: frozenset[str] | None = None


class ProjectView(NamedTuple):
    """What a project is to who asks: its name, its state, and the role they have in it."""

    id: str
    name: str
    state: State
    role: Role | None


class Access(Enum):
    """What is decided."""

    granted = "granted"
    log_in = "log in"  # nobody is logged in, and the route is not for everybody
    missing = "missing"  # there is no such thing, as far as they may know
    forbidden = "forbidden"  # it is there, they know it, and it is not for them
    wrong_state = "wrong state"  # it would be for them, but the project is a draft or closed


def allowed(policy: Policy, who: Who, project: ProjectView | None) -> Access:
    """The decision; `project` is that of the path, None where it names none that exists."""
    if "anonymous" in policy.allows:
        return Access.granted
    if who.account_id is None:
        return Access.log_in
    if who.scopes is not None and policy.scope not in who.scopes:
        return Access.missing if policy.needs_project and _hidden(who, project) else Access.forbidden
    if policy.needs_project:
        return _in_project(policy, who, project)
    if "account" in policy.allows or (who.is_admin and "admin" in policy.allows):
        return Access.granted
    return Access.forbidden


def _in_project(policy: Policy, who: Who, project: ProjectView | None) -> Access:
    by_admin = who.is_admin and "admin" in policy.allows
    if project is None or (_hidden(who, project) and not by_admin):
        return Access.missing
    if not by_admin and project.role not in policy.allows:
        return Access.forbidden
    return Access.granted if project.state in policy.states else Access.wrong_state


def _hidden(who: Who, project: ProjectView | None) -> bool:
    """A foreign project, or a draft of somebody else's."""
    return (
        project is None or project.role is None or (project.state == "draft" and project.role not in MAKERS)
    )
