"""Unusual requests, generated from the OpenAPI document: none causes a server error."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import make_project
from benchwright.web.core.api_document import API, openapi_document, routes_of
from benchwright.web.core.authentication import make_token
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.invitations import InvitationTerms, invite, setup_token
from benchwright.web.core.tables import Account
from benchwright.web.serve.application import serve_settings
from benchwright.web.serve.routes import page_routes
from benchwright.web.serve.team import TEAM, team_settings
from kit.examples import examples
from kit.web_client import START_MS, Browser, Served

pytestmark = pytest.mark.postgresql

Serve = Callable[..., Served]
ODD = st.sampled_from(
    ["", "0", "-1", "../..", "a" * 3000, "\0", "\x1b[31m", "\u202e", "ä", "\ud800", "' or 1=1 --", "<script>", "%00", "%", "9" * 30]
)  # fmt: skip
ENDING = re.compile("(logout|end|close|password|login)$")
TEXT = st.one_of(ODD, st.text(max_size=20))
BODIES = st.one_of(
    st.binary(max_size=60), st.just(b""), st.just(b"{}"), st.just(b"csrf=%ff&name=%00&a=1&a=2")
)
KINDS = st.sampled_from(
    ["application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=b", "multipart/form-data", "a", ""]
)  # fmt: skip
HEADERS = st.dictionaries(
    st.sampled_from(["authorization", "cookie", "x-csrf-token", "accept", "range", "if-none-match", "origin", "hx-request"]),
    st.one_of(st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40), st.sampled_from(["Bearer ", "Bearer bw_x", "session=" + "x" * 500])),
    max_size=3,
)  # fmt: skip


class _Fuzzed:
    """A site with content, and its visitors."""

    def __init__(self, served: Served) -> None:
        self.served, self.document = served, openapi_document(served.application, "/")
        self.people = [served.account("boss", is_admin=True), served.account("anna")]
        self.log_in()
        boss, anna = self.people
        self.known = served.database.write_now(
            lambda session: [
                anna,
                make_project(session, "Runs", START_MS, state="draft", owner_id=anna).id,
                invite(session, boss, START_MS, InvitationTerms()),
                setup_token(session) or "",
                make_token(session, anna, "t", ["read"], now=START_MS, expires_ms=START_MS + DAY_MS),
            ]
        )
        self.operations = [
            (path, method, operation)
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        ]

    def log_in(self) -> None:
        """Open a page as an anonymous visitor, an administrator and a member; repeated after each request
        that may end a session."""

        def reopen(session: Session) -> None:
            for account in session.scalars(select(Account)):
                account.closed_ms = None

        self.served.database.write_now(reopen)
        members = [self.served.logged_in(account) for account in self.people]
        self.browsers: list[Browser] = [self.served.browser(), *members]
        for browser, path in zip(self.browsers, ("/login", "/account", "/account"), strict=True):
            browser.get(path)
        self.tokens = [browser.token() for browser in self.browsers]


def _send(fuzzed: _Fuzzed, data: st.DataObject) -> httpx.Response:
    path, method, operation = data.draw(st.sampled_from(fuzzed.operations))
    number = data.draw(st.integers(0, len(fuzzed.browsers) - 1))
    values = st.one_of(st.sampled_from(fuzzed.known), TEXT)
    for parameter in operation["parameters"]:
        value = data.draw(values).encode("utf-8", "surrogatepass").hex("%") or "41"
        path = path.replace(f"{{{parameter['name']}}}", f"%{value}")
    fields = operation.get("requestBody", {}).get("content", {}).get("application/x-www-form-urlencoded", {})
    options: dict[str, Any] = {"headers": data.draw(HEADERS)}
    if data.draw(st.booleans()):
        named = {name: data.draw(values) for name in fields.get("schema", {}).get("properties", {})}
        pairs = {**named, "csrf": fuzzed.tokens[number]}
        options["content"] = "&".join(
            f"{name}=%{_hex(value)}" if value else name for name, value in pairs.items()
        )
        options["headers"] = {**options["headers"], "content-type": "application/x-www-form-urlencoded"}
    else:
        options["content"] = data.draw(BODIES)
        options["headers"] = {**options["headers"], "content-type": data.draw(KINDS)}
    query = data.draw(st.sampled_from(["", "?back=%2F%2Fevil", "?before=9999999999999999999", "?before=%00", "?token=%ff%00", "?a&a&="]))  # fmt: skip
    asked = (
        method.upper()
        if data.draw(st.integers(0, 5))
        else data.draw(st.sampled_from(["PUT", "PATCH", "HEAD", "DELETE"]))
    )
    options["headers"] = [
        (name.encode(), value.encode("latin-1")) for name, value in options["headers"].items()
    ]
    return fuzzed.browsers[number].request(asked, path + query, **options)


def _hex(value: str) -> str:
    return value.encode("utf-8", "surrogatepass").hex("%")


@pytest.fixture
def fuzzed(serve: Serve) -> _Fuzzed:
    """Create one site for all examples of a test: they share its database."""
    return _Fuzzed(serve())


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_request_is_a_fault_of_ours(fuzzed: _Fuzzed, data: st.DataObject) -> None:
    """The status is below 500, the headers are set, and the body is JSON or a page, depending on the path."""
    answer = _send(fuzzed, data)
    if ENDING.search(answer.request.url.path):
        fuzzed.log_in()

    assert answer.status_code < 500
    assert "content-security-policy" in answer.headers
    assert re.match(r"/(?![/\\])", answer.headers.get("location", "/"))


def test_the_document_has_every_route_below_api(serve: Serve) -> None:
    """The document is public and valid, lists the inputs and permissions of each route, and leaves out pages."""
    from openapi_spec_validator import OpenAPIV31SpecValidator

    settings = team_settings(serve_settings())._asdict()
    named = {each: settings[each] for each in ("templates", "assets", "projects")}
    served = serve(*page_routes(TEAM.policies), *TEAM.routes, **named)
    document = served.browser().get("/api/openapi.json").json()
    OpenAPIV31SpecValidator(document).validate()

    operations = {
        (method, path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    expected = {
        (method.lower(), re.sub(r":\w+}", "}", path))
        for path, method, _ in routes_of(served.application)
        if path.startswith(API)
    }
    assert (set(operations), len(operations) > 15) == (expected, True)
    assert all(each["summary"] for each in operations.values())
    push = operations["post", "/api/spaces/{project_id}/runs"]
    assert (push["security"], push["x-scope"]) == ([{"session": []}, {"token": []}], "submit")
    assert [each["name"] for each in push["parameters"]] == ["project_id", "data", "model"]
    assert "application/zip" in push["requestBody"]["content"]
    assert {} in operations["get", "/api/spaces/{project_id}/runs"]["security"]
    schema = operations["post", "/api/spaces"]["requestBody"]["content"]["application/x-www-form-urlencoded"]
    assert set(schema["schema"]["properties"]) == {"name"}
    name = document["components"]["securitySchemes"]["session"]["name"]
    browser = served.logged_in(served.account("boss"))
    assert name in browser.client.cookies
    pages = openapi_document(served.application, "/")["paths"]
    assert pages["/login"]["post"]["security"] == []
