"""Access control: every route names its policy, and one function decides.

Roles and project states belong to the application, which declares them in `SiteSettings.projects`. Core
knows only that a project has owners. A foreign project is answered like an address that does not exist.
`Refusal` is the one exception for requests that are not served.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from litestar.exceptions import HTTPException

Role = str  # a key of ProjectRules.roles
State = str  # a key of ProjectRules.states
Scope = Literal["read", "submit"]  # of API tokens: a route accepts those with the scope that it names

OWNER: Role = "owner"
PUBLIC: Role = "public"  # of everyone, in projects whose state is in ProjectRules.public
SCOPES: tuple[Scope, ...] = get_args(Scope)
ACCOUNT_SCOPES: tuple[Scope, ...] = ("read",)  # of tokens for a whole account; others name a project
AUDIENCES = ("admin", "account", "anonymous", PUBLIC)  # names that no role may have
_ANY_STATE: Mapping[State, str] = MappingProxyType({"open": "open"})


class EntryRole(NamedTuple):
    """Why a role can only be given by invitation, and a hint for assigning it to a member."""

    reason: str
    hint: str


class ProjectRules(NamedTuple):
    """The roles and states of an application's projects."""

    roles: tuple[Role, ...] = (OWNER,)
    states: Mapping[State, str] = _ANY_STATE  # each with its name in the sentence "The project is …"
    seen_by: Mapping[State, frozenset[Role]] = MappingProxyType(
        {}
    )  # states in which a project is hidden from others
    entry_roles: Mapping[Role, EntryRole] = MappingProxyType({})  # roles that a member cannot change to
    public: frozenset[State] = frozenset()  # states in which everyone has the role PUBLIC


class Policy(NamedTuple):
    """The audience of a route.

    `allows` holds roles in the project of the path if `needs_project`, else names of AUDIENCES: "account"
    is everyone who is logged in, "anonymous" everyone, "admin" the administrators of the site. The role
    PUBLIC admits everyone to a project in a public state.
    """

    allows: frozenset[str]
    needs_project: bool = False
    states: frozenset[State] | None = None  # None: all
    scope: Scope | None = None  # required of an API token; None refuses tokens


def public() -> Policy:
    """Everyone, logged in or not."""
    return Policy(frozenset({"anonymous"}))


def logged_in(*, scope: Scope | None = None) -> Policy:
    """Everyone who is logged in."""
    return Policy(frozenset({"account"}), scope=scope)


def site_admin(*, scope: Scope | None = None) -> Policy:
    """The administrators of the site, who need no role in a project."""
    return Policy(frozenset({"admin"}), scope=scope)


def in_project(*roles: Role, states: Iterable[State] | None = None, scope: Scope | None = None) -> Policy:
    """Members with one of the roles in the project that the path names as `project_id`.

    "admin" among the roles also admits administrators of the site. `states` limits the states of the project.
    """
    limited = None if states is None else frozenset(states)
    return Policy(frozenset(roles), needs_project=True, states=limited, scope=scope)


class Principal(NamedTuple):
    """The account or program that sent a request. `scopes` are those of an API token; None for a session.

    `only_project` is the project to which a token is limited; None: all of the account's.
    """

    account_id: str | None = None
    name: str = ""
    is_admin: bool = False
    scopes: frozenset[str] | None = None
    only_project: str | None = None


class ProjectView(NamedTuple):
    """A project as one account sees it: its name, its state, and the account's role (None: not a member)."""

    id: str
    name: str
    state: State
    role: Role | None


class Access(Enum):
    """The decision about one request."""

    granted = "granted"
    log_in = "log in"  # the route needs a login
    missing = "missing"  # answered as if the address did not exist
    forbidden = "forbidden"  # the visitor may know that it exists, but not open it
    wrong_state = "wrong state"  # the role is right, but the project is in another state


def allowed(policy: Policy, who: Principal, project: ProjectView | None, rules: ProjectRules) -> Access:
    """Decide. `project` is the one that the path names; None if there is none."""
    if "anonymous" in policy.allows or _is_open(policy, project, rules):
        return Access.granted
    if who.account_id is None:
        return Access.log_in
    if who.only_project is not None and (project is None or project.id != who.only_project):
        project, who = None, who._replace(scopes=who.scopes if policy.needs_project else frozenset())
    hidden = _hidden(project, rules)
    if who.scopes is not None and policy.scope not in who.scopes:
        return Access.missing if policy.needs_project and hidden else Access.forbidden
    if policy.needs_project:
        by_admin = who.is_admin and "admin" in policy.allows
        return (
            Access.missing
            if project is None
            else _in_project(policy, project, hidden=hidden, by_admin=by_admin)
        )
    if "account" in policy.allows or (who.is_admin and "admin" in policy.allows):
        return Access.granted
    return Access.forbidden


def _is_open(policy: Policy, project: ProjectView | None, rules: ProjectRules) -> bool:
    """Whether everyone may open the route of this project."""
    if project is None or PUBLIC not in policy.allows or project.state not in rules.public:
        return False
    return policy.states is None or project.state in policy.states


def _in_project(policy: Policy, project: ProjectView, *, hidden: bool, by_admin: bool) -> Access:
    if not by_admin:
        if hidden:
            return Access.missing
        if project.role not in policy.allows:
            return Access.forbidden
    return Access.granted if policy.states is None or project.state in policy.states else Access.wrong_state


def _hidden(project: ProjectView | None, rules: ProjectRules) -> bool:
    """Whether to hide the project: the visitor is not a member, or its state is hidden from their role."""
    if project is None:
        return True
    if project.role is None:
        return project.state not in rules.public
    return project.state in rules.seen_by and project.role not in rules.seen_by[project.state]


def undeclared_names(policy: Policy, rules: ProjectRules) -> list[str]:
    """The roles, audiences and states that a policy names and nobody declared."""
    declared = {*AUDIENCES, *(rules.roles if policy.needs_project else ())}
    return sorted((policy.allows - declared) | ((policy.states or frozenset()) - set(rules.states)))


class Refusal(HTTPException):
    """A refused request: status, title, and what the visitor can do."""

    def __init__(self, status: int, title: str, why: str = "", *, retry_s: int | None = None) -> None:
        super().__init__(detail=title, status_code=status)
        self.title, self.why, self.retry_s = title, why, retry_s


def not_found() -> Refusal:
    """The same response for what never existed, was deleted or belongs to others."""
    return Refusal(404, "Page not found", "It may have moved, or you may not have access to it.")
