"""Permissions: a table of all cases, and the same through the application, generated from its routes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from litestar import Response, get, post

from benchwright.errors import BenchwrightError, UsageError
from benchwright.web.core.accounts import join, make_project
from benchwright.web.core.authentication import make_token
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.database import Database
from benchwright.web.core.guard import route
from benchwright.web.core.policy import (
    Access,
    Policy,
    Principal,
    ProjectRules,
    ProjectView,
    Role,
    State,
    allowed,
    in_project,
    public,
)
from benchwright.web.core.site import SiteRequest
from benchwright.web.core.tables import Project
from kit.route_matrix import people, visited
from kit.web_client import PROJECTS, START_MS, Served

Serve = Callable[..., Served]
ROLES, STATES = PROJECTS.roles, tuple(PROJECTS.states)
PERSON, ADMIN = Principal("a", "anna"), Principal("b", "boss", is_admin=True)


def _access(policy: Policy, who: Principal, project: ProjectView | None) -> Access:
    return allowed(policy, who, project, PROJECTS)


def _view(role: Role | None, state: State = "open") -> ProjectView:
    return ProjectView("p", "Runs", state, role)


@pytest.mark.parametrize("role, state", list(product(ROLES, STATES)))
def test_a_role_that_is_named_is_let_in(role: Role, state: State) -> None:
    """It applies in every state of the policy, but only authors see a draft."""
    seen = state != "draft" or role in ("owner", "curator")

    expected = Access.granted if seen else Access.missing
    assert _access(in_project(role), PERSON, _view(role, state)) is expected


@pytest.mark.parametrize("role", ROLES)
def test_a_role_that_is_not_named_is_told_so(role: Role) -> None:
    """A member knows that the project exists, so the refusal is explicit."""
    others = [each for each in ROLES if each != role]

    assert _access(in_project(*others), PERSON, _view(role)) is Access.forbidden


@pytest.mark.parametrize("who", [PERSON, ADMIN])
@pytest.mark.parametrize("project", [None, _view(None), _view(None, "draft"), _view(None, "closed")])
def test_what_is_foreign_does_not_exist(who: Principal, project: ProjectView | None) -> None:
    """Another's project and an unknown one get the same reply; an administrator is not a member."""
    assert _access(in_project(*ROLES), who, project) is Access.missing


def test_an_admin_is_let_in_where_the_policy_says_so() -> None:
    """Nobody else is admitted by that."""
    policy = in_project("owner", "admin")

    assert _access(policy, ADMIN, _view(None, "draft")) is Access.granted
    assert _access(policy, ADMIN, None) is Access.missing
    assert _access(policy, PERSON, _view(None)) is Access.missing


def test_a_state_that_is_not_named_is_told() -> None:
    """Members who would otherwise be admitted are told the state."""
    assert (
        _access(in_project("judge", states=["open"]), PERSON, _view("judge", "closed")) is Access.wrong_state
    )


def test_nobody_is_asked_to_log_in() -> None:
    """The reply is the same whether or not the project exists."""
    for project in (None, _view(None)):
        assert _access(in_project("judge"), Principal(), project) is Access.log_in


@pytest.mark.parametrize("scopes, expected", [({"read"}, Access.granted), ({"write"}, Access.forbidden), (set(), Access.forbidden)])  # fmt: skip
def test_a_token_does_what_its_scopes_say(scopes: set[str], expected: Access) -> None:
    """Without a scope in the policy no token is valid; another's project stays unknown."""
    program = PERSON._replace(scopes=frozenset(scopes))

    assert _access(in_project("judge", scope="read"), program, _view("judge")) is expected
    assert _access(in_project("judge"), program, _view("judge")) is Access.forbidden
    assert _access(in_project("judge"), program, _view(None)) is Access.missing


def test_a_route_without_a_policy_ends_the_start(database: Database) -> None:
    """The error names the route and its path."""
    from benchwright.web.core.application import make_application

    @get("/forgotten")
    async def forgotten() -> str:
        return ""

    with pytest.raises(BenchwrightError, match=r"forgotten at /forgotten has no policy"):
        make_application([forgotten], database)


@pytest.mark.parametrize("path, policy", [("/other/{thing:str}", in_project("owner")), ("/projects/{project_id:str}", public())])  # fmt: skip
def test_a_policy_that_does_not_fit_its_path_ends_the_start(
    database: Database, path: str, policy: Policy
) -> None:
    """A policy for a project whose path has no project, and the reverse."""
    from benchwright.web.core.application import make_application

    @get(path, opt=route(policy))
    async def wrong() -> str:
        return ""

    with pytest.raises(BenchwrightError, match="does not match"):
        make_application([wrong], database)


@pytest.mark.parametrize("policy, name", [(in_project("referee"), "referee"), (in_project("owner", states=["archived"]), "archived")])  # fmt: skip
def test_a_policy_with_an_undeclared_name_ends_the_start(serve: Serve, policy: Policy, name: str) -> None:
    """A role or state that the application does not declare would never match, so it is a typing error."""

    @get("/projects/{project_id:str}", opt=route(policy))
    async def mistyped() -> str:
        return ""

    with pytest.raises(BenchwrightError, match=f"undeclared roles or states: {name}"):
        serve(mistyped)


def test_an_application_declares_its_own_roles_and_states(serve: Serve) -> None:
    """The core knows only owners: a reviewer gets what the policy grants, in a state declared by the
    application."""
    rules = ProjectRules(roles=("owner", "reviewer"), states={"running": "running", "done": "over"})

    @get("/projects/{project_id:str}/board", opt=route(in_project("reviewer", states=["running"])))
    async def board() -> str:
        return "board"

    served = serve(board, projects=rules)
    ann = served.account("ann")

    def make(session: Any) -> tuple[str, str]:
        made = [make_project(session, name, START_MS, state=name).id for name in ("running", "done")]
        for project in made:
            join(session, project, ann, "reviewer")
        return made[0], made[1]

    running, done = served.database.write_now(make)
    browser = served.logged_in(ann)

    assert browser.get(f"/projects/{running}/board").text == "board"
    assert browser.get(f"/projects/{done}/board").status_code == 409
    assert "The project is over." in browser.page


async def _fine(request: SiteRequest) -> Response[Any]:
    return Response("fine", status_code=200)


POLICIES = {
    "makers": in_project("owner", "curator"),
    "judging": in_project("judge", states=["open"]),
    "settling": in_project("adjudicator", "admin", states=["open", "closed"]),
    "looking": in_project(*ROLES, scope="read"),
}
ROUTES = [
    decorate(f"/projects/{{project_id:str}}/{name}{suffix}", status_code=200, opt=route(policy))(_fine)
    for name, policy in POLICIES.items()
    for decorate, suffix in ((get, ""), (post, "/do"))
]


def _projects(served: Served, role_of: dict[Role, str]) -> dict[State, str]:
    def make(session: Any) -> dict[State, str]:
        made = {}
        for state in STATES:
            project = make_project(session, state, START_MS, state=state)
            made[state] = project.id
            for role, account in role_of.items():
                join(session, project.id, account, role)
        return made

    return served.database.write_now(make)


def test_every_route_role_and_project_is_answered_as_the_table_says(serve: Serve) -> None:
    """All routes, including the core's, for every visitor, and for own, foreign, draft and closed projects:
    each reply is the one that the policy grants."""
    served = serve(*ROUTES)
    everybody = people(served)
    role_of: dict[Role, str] = {role: everybody[role].who.account_id or "" for role in ROLES}
    cases = list(visited(served, everybody, _projects(served, role_of), _projects(served, {})))

    assert [case for case in cases if not case.agrees] == []
    assert {case.access for case in cases} == set(Access)
    assert len(cases) > 500


def test_a_foreign_project_and_none_look_the_same(serve: Serve) -> None:
    """The replies are equal in body and headers, for each kind of visitor."""
    served = serve(*ROUTES)
    foreign = served.database.write_now(
        lambda session: make_project(session, "Secret", START_MS, state="draft").id
    )
    for name in ("outsider", "admin"):
        browser = served.logged_in(served.account(name, is_admin=name == "admin"))
        answers = [browser.get(f"/projects/{each}/makers") for each in (foreign, "never-made")]

        assert answers[0].text == answers[1].text
        assert list(answers[0].headers.items()) == list(answers[1].headers.items())
        assert answers[0].status_code == 404


@pytest.mark.postgresql
def test_a_state_that_changes_counts_at_once(serve: Serve) -> None:
    """The policy is evaluated at each request."""
    served = serve(*ROUTES)
    judge = served.account("judge")
    ids = _projects(served, {"judge": judge})
    browser = served.logged_in(judge)

    def close(session: Any) -> None:
        session.get_one(Project, ids["open"]).state = "closed"

    before = browser.get(f"/projects/{ids['open']}/judging").status_code
    served.database.write_now(close)

    assert (before, browser.get(f"/projects/{ids['open']}/judging").status_code) == (200, 409)


@pytest.mark.postgresql
def test_tokens_for_programs(serve: Serve) -> None:
    """A token is valid within its scope until it ends, and needs no form token."""
    served = serve(*ROUTES)
    judge = served.account("judge")
    ids = _projects(served, {"judge": judge})

    def make(scope: str) -> dict[str, str]:
        secret = served.database.write_now(
            lambda session: make_token(
                session, judge, scope, [scope], now=START_MS, expires_ms=START_MS + DAY_MS
            )
        )
        return {"authorization": f"Bearer {secret}"}

    reads, program = make("read"), served.browser()
    with pytest.raises(UsageError, match="scope"):
        make("write")

    def code(path: str, headers: dict[str, str], method: str = "GET") -> int:
        return program.request(method, path, headers=headers).status_code

    looking = f"/projects/{ids['open']}/looking"
    assert (code(looking, reads), code(looking + "/do", reads, "POST")) == (200, 200)
    assert code(f"/projects/{ids['open']}/judging", reads) == 403
    assert code("/account", reads) == 403
    assert program.get("/api/account", headers=reads).json()["name"] == "judge"
    assert code("/api/account", {"authorization": "Bearer bw_wrong"}) == 401
    served.clock.now += DAY_MS
    assert code("/api/account", reads) == 401
