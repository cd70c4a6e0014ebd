"""The real application of a station: every route, every role, every state, and unusual requests."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.web.core.accounts import join
from benchwright.web.core.api_document import routes_of
from benchwright.web.core.guard import FIELDS, POLICY
from benchwright.web.core.policy import Role, State
from benchwright.web.core.tables import Project
from benchwright.web.station.roles import PROJECTS
from kit.examples import examples
from kit.route_matrix import Person, people, visited
from kit.station_kit import Judge, Station, issue_run, make

ROLES, STATES = PROJECTS.roles, tuple(PROJECTS.states)
MAKERS, LOOKERS = {"owner", "curator"}, {"owner", "curator", "viewer"}
# Written by hand, so that no policy is widened by accident.
WHO_MAY = {
    "/judging/{project_id:str}": {"judge"},
    "/judging/{project_id:str}/draft": {"judge"},
    "/judging/{project_id:str}/text/{token:str}/{place:int}": {"judge"},
    "/adjudicating/{project_id:str}": {"adjudicator", "owner"},
    "/adjudicating/{project_id:str}/text/{token:str}/{place:int}": {"adjudicator", "owner"},
    "/projects/{project_id:str}": LOOKERS,
    "/projects/{project_id:str}/agreement": LOOKERS,
    "/projects/{project_id:str}/votes.jsonl": MAKERS,
    "/projects/{project_id:str}/annotations.jsonl": MAKERS,
    "/projects/{project_id:str}/state": MAKERS,
    "/projects/{project_id:str}/rubric": MAKERS,
    "/projects/{project_id:str}/invitations": MAKERS,
    "/projects/{project_id:str}/invitations/{invitation_id:str}/withdraw": MAKERS,
    "/projects/{project_id:str}/members/{account_id:str}/role": MAKERS,
    "/projects/{project_id:str}/members/{account_id:str}/remove": MAKERS,
    "/projects/{project_id:str}/members/{account_id:str}/votes": {"owner"},
    "/projects/{project_id:str}/items": LOOKERS,
    "/projects/{project_id:str}/judgements": MAKERS,
    "/projects/{project_id:str}/delete": {"owner"},
    "/projects/{project_id:str}/reports": LOOKERS,
    "/projects/{project_id:str}/reports/text/{report_id:int}/{place:int}": LOOKERS,
    "/projects/{project_id:str}/reports/{report_id:int}": MAKERS,
}
_NAMED = re.compile(r"\{(\w+):\w+\}")


class _World(NamedTuple):
    """A station with a member for each role, own projects in each state, and projects of others."""

    station: Station
    people: dict[str, Person]
    own: dict[State, str]
    foreign: dict[State, str]


@pytest.fixture
def world(station: Callable[..., Station], tmp_path: Path) -> _World:
    """Return every visitor and project that a policy distinguishes."""
    there = station()
    everybody = people(there.served)
    accounts: dict[Role, str] = {role: everybody[role].who.account_id or "" for role in ROLES}
    own = _projects(there, tmp_path / "own", accounts)
    return _World(there, everybody, own, _projects(there, tmp_path / "foreign", {}))


def _projects(station: Station, folder: Path, accounts: dict[Role, str]) -> dict[State, str]:
    ids: dict[State, str] = {}
    for state in STATES:
        (folder / state).mkdir(parents=True)
        run = issue_run(folder / state / "run", model=f"openai:{folder.name}-{state}")
        made = ids[state] = make(station.database, [run]).project_id

        def settle(session: Any, made: str = made, state: State = state) -> None:
            session.get_one(Project, made).state = state
            for role, account in accounts.items():
                join(session, made, account, role)

        station.database.write_now(settle)
    return ids


def test_the_table_is_the_one_that_was_meant(world: _World) -> None:
    """Every route about a project is in the table above, and judges are admitted to open projects only."""
    found = {
        path: handler.opt[POLICY]
        for path, _, handler in routes_of(world.station.served.application)
        if handler.opt[POLICY].needs_project
    }

    assert {path: set(policy.allows) for path, policy in found.items()} == WHO_MAY
    judging = [policy.states for policy in found.values() if "judge" in policy.allows]
    assert all(states == {"open"} for states in judging)


def test_every_route_of_a_station_is_answered_as_the_table_says(world: _World) -> None:
    """Every visitor gets in every project what the policy grants, and nothing else."""
    tried = list(visited(world.station.served, world.people, world.own, world.foreign))

    assert [each for each in tried if not each.agrees] == []
    assert len(tried) > 600


def test_no_form_is_taken_without_its_token(world: _World) -> None:
    """This includes visitors whom the policy admits, and requests of scripts."""
    for template, method, handler in routes_of(world.station.served.application):
        policy = handler.opt[POLICY]
        if method == "POST" and policy.needs_project:
            browser = world.people[min(policy.allows)].browser
            path = _filled(template, world.own["open"])
            for headers in ({}, {"hx-request": "true"}, {"x-csrf-token": "wrong"}):
                reply = browser.request(method, path, headers=headers)
                assert reply.status_code == 403, (path, headers)


def test_a_foreign_project_is_answered_as_none(world: _World) -> None:
    """Body and headers are equal on every route, for an outsider and for a site administrator."""
    for template, method, handler in routes_of(world.station.served.application):
        if not handler.opt[POLICY].needs_project:
            continue
        for name in ("outsider", "admin"):
            answers = [
                world.people[name].browser.request(method, _filled(template, project))
                for project in (world.foreign["open"], world.foreign["draft"], "A" * 22)
            ]
            assert {answer.status_code for answer in answers} == {404}
            assert len({(answer.content, str(answer.headers)) for answer in answers}) == 1


def _filled(template: str, project: str) -> str:
    return _NAMED.sub(lambda found: project if found[1] == "project_id" else "1", template)


ODD = st.sampled_from(
    ["", "0", "-1", "5", "\0", "\ud800", "\u202e", "a" * 5000, "9" * 30, "<script>", "%00", "owner", "submit",
     "undo", "skip", "report", "correct", "restore", "close", "draft", "' or 1=1 --", "../../etc/passwd"]
)  # fmt: skip
TEXT = st.one_of(ODD, st.text(max_size=20))
NAMES = st.sampled_from(["say-decision", "say-", "say-none", "comment", "reason", "page", "step", "csrf"])
HEADERS = st.sampled_from(
    [{}, {"hx-request": "true"}, {"hx-request": "\u00e4"}, {"authorization": "Bearer bw_x"}, {"range": "bytes=9-1"},
     {"content-type": "multipart/form-data"}, {"content-type": "application/json"}, {"host": "evil.example"},
     {"host": "a:b"}, {"host": "a:99999999"}, {"host": "[::"}, {"x-forwarded-for": "1" * 900}, {"content-length": "-1"}]
)  # fmt: skip


PAGE = "\ue000"  # stands for the token of a judge's page: what is drawn must not depend on what is stored
VALUE = st.one_of(st.just(PAGE), TEXT)


def _quoted(text: str, token: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.replace(PAGE, token).encode("utf-8", "surrogatepass"))


class _Request(NamedTuple):
    """A generated request: sender, route, parts of the path, fields, one more header."""

    name: str
    route: int
    state: State
    parts: list[str]
    fields: list[tuple[str, str]]
    given: list[str]
    headers: dict[str, str]


REQUESTS = st.builds(
    _Request,
    st.sampled_from(["nobody", *ROLES, "outsider", "admin"]),
    st.integers(0, 1_000),
    st.sampled_from(STATES),
    st.lists(VALUE, min_size=3, max_size=3),
    st.lists(st.tuples(NAMES, VALUE), max_size=4),
    st.lists(VALUE, min_size=6, max_size=6),
    HEADERS,
)


def _send(world: _World, asked: _Request, token: str) -> httpx.Response:
    browser = world.people[asked.name].browser
    routes = routes_of(world.station.served.application)
    template, method, handler = routes[asked.route % len(routes)]
    path = template.replace("{project_id:str}", world.own[asked.state])
    for part, value in zip((each for each in path.split("/") if each[:1] == "{"), asked.parts, strict=False):
        path = path.replace(part, _quoted(value, token) or "%41", 1)
    browser.get("/login")
    if browser.page == "":
        browser.get("/account")
    csrf = browser.token() if 'name="csrf"' in browser.page else ""
    pairs = [("csrf", csrf), *zip(handler.opt.get(FIELDS, ()), asked.given, strict=False), *asked.fields]
    body = "&".join(f"{_quoted(field, token)}={_quoted(value, token)}" for field, value in pairs)
    headers = {"content-type": "application/x-www-form-urlencoded", **asked.headers}
    sent = [(field.encode(), value.encode("latin-1")) for field, value in headers.items()]
    return browser.request(method, path, content=body.encode(), headers=sent)


@pytest.mark.postgresql
@settings(max_examples=examples(125), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=REQUESTS)
def test_no_request_to_a_station_is_a_fault_of_ours(world: _World, asked: _Request) -> None:
    """With each role, valid tokens and arbitrary forms, the status is below 500."""
    judge = Judge(world.station, "", world.people["judge"].browser)
    page = judge.browser.get(f"/judging/{world.own['open']}").text

    answer = _send(world, asked, judge.token if 'name="page"' in page else "none")

    assert answer.status_code < 500, answer.text
    assert "evil" not in answer.headers.get("location", "")


@pytest.mark.postgresql
def test_what_is_huge_is_refused_and_nothing_is_stored(world: _World) -> None:
    """A body over the limit, ten thousand fields, a name of half a megabyte."""
    judge = Judge(world.station, "", world.people["judge"].browser)
    judge.path = f"/judging/{world.own['open']}"
    judge.open()
    token = judge.browser.token()
    bodies = [
        f"csrf={token}&page={judge.token}&step=submit&say-decision=correct&comment=" + "x" * (1 << 20),
        f"csrf={token}&" + "&".join(f"say-{n}=1" for n in range(10_000)),
        f"csrf={token}&" + "n" * 500_000 + "=1",
    ]
    kind = {"content-type": "application/x-www-form-urlencoded"}
    codes = [
        judge.browser.request("POST", judge.path, content=body, headers=kind).status_code for body in bodies
    ]

    assert codes[0] == 413
    assert all(code < 500 for code in codes)
    assert not world.station.votes()
