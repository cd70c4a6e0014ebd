"""A team's server on both databases: every route for every visitor in every space, and unusual requests."""

from __future__ import annotations

import csv
import html
import json
import random
import re
from collections.abc import Iterator

import pytest
from sqlalchemy import MetaData, select

from benchwright.web.core.accounts import audit_rows
from benchwright.web.core.api_document import routes_of
from benchwright.web.core.guard import FIELDS
from benchwright.web.core.pages import SAFE
from benchwright.web.submissions.queue import take_claim
from kit.asgi_calls import AsgiReply
from kit.examples import SCALE
from kit.needs import need_module
from kit.openid_provider import OpenIdProvider
from kit.route_audiences import (
    ABOUT_A_SPACE,
    FORBIDDEN,
    GRANTED,
    LOG_IN,
    MISSING,
    ROUTES,
    WRONG_STATE,
    AskedSpace,
    expected,
)
from kit.strange_requests import strange_requests
from kit.team_site import HOSTILE, TeamSite, hostile_runs

NO_SPACE = AskedSpace("A" * 22, "")
CROSS_SITE = (b"sec-fetch-site", b"cross-site")
WRONG_HASH = (b"x-content-sha256", b"0")
_PARAMETER = re.compile(r"\{(\w+):(\w+)\}")


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenIdProvider]:
    """Return a provider at which visitors may log in."""
    need_module("authlib", reason="OpenID Connect needs Authlib")
    made = OpenIdProvider()
    yield made
    made.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, provider: OpenIdProvider
) -> Iterator[TeamSite]:
    """Return one application on one database for all tests of this file."""
    place = tmp_path_factory.mktemp("team")
    server = request.getfixturevalue("postgres_server") if request.param == "postgresql" else None
    address = server.new_database() if server else str(place / "site.db")
    runs = [] if server else [hostile_runs(place / "hostile")]
    made = TeamSite(address, place, runs, provider=provider)
    made.push_hidden()
    made.push_labels(HOSTILE)
    made.judge()
    yield made
    made.close()
    if server:
        server.drop(address)


def test_every_route_of_the_application_is_in_the_table(site: TeamSite) -> None:
    """A new route needs its audience in kit/route_audiences.py."""
    assert {f"{method} {path}" for path, method, _ in routes_of(site.application)} == set(ROUTES)


def _outcome(reply: AsgiReply) -> str:
    """Return the guard's decision, from the status and the title of the refusal."""
    if (reply.status == 401 and "Log in first" in reply.text) or (
        reply.status == 303 and reply.headers["location"].startswith("/login?back=")
    ):
        return LOG_IN
    if reply.status == 404 and "Page not found" in reply.text:
        return MISSING
    if reply.status == 403 and "You do not have permission" in reply.text:
        return FORBIDDEN
    if reply.status == 409 and "The project is closed." in reply.text:
        return WRONG_STATE
    return "failed" if _is_fault(reply) else GRANTED


def _is_fault(reply: AsgiReply) -> bool:
    """Return whether the status is 500 or above, except for /health, which returns 503 here as no judging
    process is alive."""
    return reply.status >= 500 and not (reply.status == 503 and '"judges":"failing"' in reply.text)


def _asking(site: TeamSite) -> list[str]:
    """Return the visitors who try every route: all on SQLite and in the weekly check, one of each kind otherwise.

    The policy decides in Python, so on PostgreSQL the requests of one visitor of a kind send all of its statements.
    """
    if SCALE > 1 or site.database.engine.dialect.name == "sqlite":
        return list(site.visitors)
    return ["nobody", "owner", "admin", "token to read one space", "expired token"]


def test_every_route_is_answered_as_the_table_says(site: TeamSite) -> None:
    """Changes are sent as from another site, so a granted one stops at the form's token, which is checked
    after the policy."""
    wrong, tried, asking = [], 0, _asking(site)
    for name, audience in ROUTES.items():
        method, _, template = name.partition(" ")
        about_space = ABOUT_A_SPACE in template
        spaces = [*site.own.values(), *site.foreign.values(), NO_SPACE] if about_space else [None]
        names = {found[0] for found in _PARAMETER.findall(template)} - {"project_id"}
        may_be_absent = bool(names) or template == "/models"  # these take the model from their query
        headers = [] if method in SAFE else [CROSS_SITE, WRONG_HASH]
        for who in asking:
            visitor = site.visitors[who]
            for space in spaces:
                ids = {"project_id": space.id if space else "", "run_id": site.run_id}
                target = _PARAMETER.sub(lambda found, ids=ids: ids.get(found[1], "none"), template)
                reply, wanted = site.ask(who, method, target, headers), expected(audience, visitor, space)
                got = _outcome(reply)
                if got == MISSING and wanted == GRANTED and method in SAFE and may_be_absent:
                    got = GRANTED  # the run, leaderboard or file of the address does not exist
                if got == GRANTED and method not in SAFE and visitor.scopes is None:
                    got = GRANTED if "expired" in reply.text else f"not stopped: {reply.status}"
                wrong += [(name, who, space, wanted, got, reply.status)] if got != wanted else []
                tried += 1

    assert wrong == []
    assert tried > 127 * len(asking)
    assert (site.leaks, site.scripts) == ([], [])


def test_a_foreign_host_is_refused_on_every_route(site: TeamSite) -> None:
    """A host name of an attacker that resolves to this machine is refused, with any cookie."""
    tried = [
        (path, site.ask("owner", method, _PARAMETER.sub("none", path), [(b"host", host)]))
        for path, method, _ in routes_of(site.application)
        for host in (b"rebound.example", b"team.test.rebound.example:8080")
    ]
    assert [
        path for path, reply in tried if (reply.status, "set-cookie" in reply.headers) != (400, False)
    ] == []


def test_head_is_answered_as_get_without_the_body(site: TeamSite) -> None:
    """This holds on every route; a stream ends at once, so that the connection can be reused."""
    known = {"project_id": site.own["private"].id, **_shown(site)}
    for path in (path for path, method, _ in routes_of(site.application) if method == "GET"):
        target = _PARAMETER.sub(lambda found: known.get(found[1], "none"), path)
        got, head = (site.ask("owner", method, target) for method in ("GET", "HEAD"))
        assert (head.status, head.body) == (got.status, b""), path
        assert {*head.headers} | {"refresh"} == {*got.headers} | {"refresh"}, path  # until figures are ready


def test_hostile_names_and_answers_are_shown_as_text(site: TeamSite) -> None:
    """No markup, invisible character or formula is left; this includes pushed names."""
    space = site.own["private"].id
    pages, shown = [f"/spaces/{space}", "/"], _shown(site)
    if shown:
        run = f"/runs/{shown['run']}"
        (model,) = re.findall(r'href="(/models[^"]+)"', site.ask("nobody", "GET", run).text)[:1]
        pages += [html.unescape(model), run, f"/boards/{shown['board']}"]
        pages += [f"/boards/{shown['board']}/standing.csv", f"/api{run}/answers?task=Small%2F0"]
    replies = {page: _drawn(site, page) for page in pages}

    assert site.scripts == []
    assert {reply.status for reply in replies.values()} == {200}
    raw = {
        page
        for page, reply in replies.items()
        if re.search("[\u202e\x1b]|href=[\"']?javascript:", reply.text)
    }
    assert raw - {pages[-1]} == set()
    cells = (
        [cell for row in csv.reader(replies[pages[-2]].text.splitlines()) for cell in row] if shown else []
    )
    assert [cell for cell in cells if cell[:1] in "=+-@" and not re.fullmatch(r"-?[\d.e-]+|", cell)] == []


def _drawn(site: TeamSite, page: str) -> AsgiReply:
    """Return the page after its figures are computed."""
    while True:
        reply = site.ask("owner", "GET", page)
        if "refresh" not in reply.headers:
            return reply


def test_a_run_is_reached_by_its_own_space_only(site: TeamSite) -> None:
    """This includes members of both spaces."""
    found = {
        state: site.ask("owner", "GET", f"/api/spaces/{space.id}/runs/{site.run_id}").status
        for state, space in site.own.items()
    }
    assert found == {"private": 404, "public": 200, "closed": 404}


def test_a_claim_that_was_given_up_is_requeued_once(site: TeamSite) -> None:
    """A maintainer's page has a button; the log has the maintainer's name. Other visitors see no button."""
    space = site.own["public"].id
    page, path = f"/spaces/{space}", f"/spaces/{space}/runs/{site.run_id}/requeue"
    shown = {name for name in site.visitors if path in site.ask(name, "GET", page).text}
    assert shown == {"owner", "maintainer"}
    assert site.ask("viewer", "POST", path).status == 403
    reply = site.ask("maintainer", "POST", path)
    assert (reply.status, reply.headers["location"]) == (303, page)
    assert site.ask("maintainer", "POST", path).status == 409
    assert path not in site.ask("maintainer", "GET", page).text
    rows = site.database.read_now(lambda session: audit_rows(session, project_id=space))
    logged = [(row.name, row.entry.subject) for row in rows if row.entry.action == "run.requeued"]
    assert logged == [("maintainer", site.run_id)]
    taken = site.database.write_now(lambda session: take_claim(session, site.clock()))
    assert taken is not None and (taken.id, taken.attempts) == (site.run_id, 1)


_ENDS_SESSIONS = re.compile("/(logout|password|end|close|login|setup|join)")


def test_strange_requests_are_refused_without_a_fault(site: TeamSite, provider: OpenIdProvider) -> None:
    """The status is below 500, the headers forbid scripts and types, and no reply contains a planted text."""
    drawn, faults, statuses = random.Random(30), [], set()
    people = [name for name in site.visitors if name != "expired token"]
    odd_size = [(b"content-length", "\xb2".encode("latin-1"))]
    assert site.ask("owner", "POST", f"/api/spaces/{site.own['public'].id}/runs", odd_size).status == 400
    shown, leads_to = _shown(site), rf"/(?![/\\])|{re.escape(provider.issuer)}/authorize\?"
    for template, method, handler in routes_of(site.application):
        space = drawn.choice([*site.own.values()])
        known = {"project_id": space.id, "run_id": site.run_id, **shown}
        parts = [_known(part, known, drawn) for part in template.split("/")]
        for asked in strange_requests(method, parts, handler.opt.get(FIELDS) or (), 10, drawn):
            who = drawn.choice(people)
            reply = site.ask(who, *asked)
            statuses.add(reply.status)
            is_safe = (
                not _is_fault(reply)
                and "default-src 'none'" in reply.headers.get("content-security-policy", "")
                and reply.headers.get("x-content-type-options") == "nosniff"
                and re.match(leads_to, reply.headers.get("location", "/"))
            )
            faults += [] if is_safe else [(who, asked, reply)]
            if _ENDS_SESSIONS.search(template) and not who.startswith(("token", "nobody")):
                site.log_in(who)

    assert [(who, asked, reply.status, reply.text[:300]) for who, asked, reply in faults] == []
    assert {200, 303, 400, 401, 403, 404, 405, 422} - statuses == set()
    assert (site.leaks, site.scripts) == ([], [])


def test_no_planted_text_of_hidden_tests_is_stored_or_shown(site: TeamSite) -> None:
    """After answers that print their tests were judged, replies of the space, database, files and log are
    searched."""
    runs = f"/api/spaces/{site.own['private'].id}/runs"
    pushed = {run["model"]: run for run in json.loads(site.ask("viewer", "GET", runs).body)["runs"]}
    run, (labels,) = pushed.pop("mine"), pushed.values()
    (metric,) = run["result"].pop("metrics").values()
    assert (run["state"], run["result"], metric["n"]) == ("verified", {}, 3)
    assert (labels["kind"], labels["state"]) == ("mera", "verified")
    assert labels["result"]["outcomes"] == {"passed": 1, "wrong": 1}
    for path in (
        f"{runs}/{run['submission']}",
        f"{runs}/{run['submission']}/rows",
        f"/spaces/{site.own['private'].id}",
    ):
        assert site.ask("owner", "GET", path).status == 200
    tables = MetaData()
    tables.reflect(site.database.engine)
    with site.database.engine.connect() as connection:
        stored = [str(connection.execute(select(each)).all()) for each in tables.sorted_tables]
    assert "verified" in "".join(stored)
    site.search("database", *(text.encode() for text in stored))
    site.search("log", "\n".join(site.log.lines).encode())
    files = [path for path in (site.place / "state").rglob("*") if path.is_file()]
    site.search("files", *(path.read_bytes() for path in files))

    assert site.leaks == []


def _shown(site: TeamSite) -> dict[str, str]:
    """Return a run and a leaderboard of the first page, if it has any."""
    state = site.run(site.application.state.serve.runs.complete())
    boards = re.findall("/boards/([0-9a-f]+)", site.ask("nobody", "GET", "/").text)
    return {"run": next(iter(state.runs)), "board": boards[0]} if boards else {}


def _known(part: str, known: dict[str, str], drawn: random.Random) -> str | None:
    """Return a part of a path: its text, mostly an existing id, or None for an unusual one."""
    found = _PARAMETER.match(part)
    if found is None:
        return part
    return known.get(found[1]) if drawn.random() < 0.6 else None
