"""Forms of other sites, malformed forms, and the headers of every response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from litestar import Response, get, post

from benchwright.web.core.api_document import routes_of
from benchwright.web.core.database import Database
from benchwright.web.core.guard import route
from benchwright.web.core.pages import form_fields, page
from benchwright.web.core.policy import logged_in, public
from benchwright.web.core.site import SiteRequest
from kit.web_client import Browser, Served

Serve = Callable[..., Served]


@post("/change", status_code=200, opt=route(logged_in(), "what"))
async def change(request: SiteRequest) -> Response[Any]:
    return Response((await form_fields(request)).get("what", "nothing"))


@get("/broken", opt=route(public()))
async def broken(request: SiteRequest) -> Response[Any]:
    raise ZeroDivisionError("the secret is 1234")


@get("/framed", opt=route(public()))
async def framed(request: SiteRequest) -> Response[Any]:
    return page(
        request, "login.html", headers={"content-security-policy": "sandbox"}, back="", name="", trouble=""
    )


def _anna(serve: Serve) -> tuple[Served, Browser]:
    served = serve(change, broken, framed)
    browser = served.logged_in(served.account("anna"))
    browser.get("/account")
    return served, browser


def test_a_form_with_its_token_is_taken(serve: Serve) -> None:
    """The token may be a field, or the header that scripts send."""
    _, anna = _anna(serve)
    token = anna.token()

    assert anna.request("POST", "/change", data={"csrf": token, "what": "by field"}).text == "by field"
    by_header = anna.request("POST", "/change", data={"what": "by header"}, headers={"x-csrf-token": token})
    assert by_header.text == "by header"


def test_a_form_without_the_right_token_is_refused(serve: Serve) -> None:
    """The token is missing, wrong, empty, another person's, from before the login, or sent from another site."""
    served, anna = _anna(serve)
    other = served.logged_in(served.account("bert"))
    stranger = served.browser()
    for browser, path in ((other, "/account"), (stranger, "/login")):
        browser.get(path)
    wrong: list[dict[str, Any]] = [
        {"data": {"what": "x"}},
        {"data": {"what": "x", "csrf": ""}},
        {"data": {"what": "x", "csrf": "ä" * 43}},
        {"data": {"what": "x", "csrf": other.token()}},
        {"data": {"what": "x", "csrf": stranger.token()}},
        {"data": {"what": "x"}, "headers": {"x-csrf-token": other.token()}},
        {"data": {"what": "x", "csrf": anna.token()}, "headers": {"sec-fetch-site": "cross-site"}},
        {"data": {"what": "x", "csrf": anna.token()}, "headers": {"sec-fetch-site": "same-site"}},
        {"json": {"what": "x", "csrf": anna.token()}},
    ]

    assert [anna.request("POST", "/change", **options).status_code for options in wrong] == [403] * len(wrong)


def test_a_form_without_a_cookie_is_refused(serve: Serve) -> None:
    """An empty cookie has no token, so nobody can compute one for it."""
    from benchwright.web.core.pages import form_token

    served, _ = _anna(serve)
    fields = {"name": "anna", "password": "x", "csrf": form_token("")}

    assert served.browser().request("POST", "/login", data=fields).status_code == 403


def test_a_refused_page_leaves_the_form_in_another_tab_alone(serve: Serve) -> None:
    """An open login form remains valid while the same browser requests missing pages."""
    served = serve()
    browser = served.browser()
    browser.get("/login")
    login = browser.page
    browser.get("/nothing/here")
    browser.page = login

    assert browser.send("/login", name="anna", password="wrong password").status_code == 401


@pytest.mark.parametrize(
    "content, kind",
    [
        (b"what=%00", "application/x-www-form-urlencoded"),
        (b"what=%ED%A0%80&\xff\xfe=%", "application/x-www-form-urlencoded"),
        (b"--x\r\nnot a part", "multipart/form-data; boundary=x"),
        (b"what", "multipart/form-data"),
        (b"\x00" * 100, "application/x-www-form-urlencoded"),
        (b"{}", "application/json"),
        (b"{", "nonsense"),
    ],
)
def test_what_is_no_form_is_refused(serve: Serve, content: bytes, kind: str) -> None:
    """The refusal states the reason, and is not a server error."""
    _, anna = _anna(serve)
    headers = {"content-type": kind, "x-csrf-token": anna.token()}

    assert anna.request("POST", "/change", content=content, headers=headers).status_code in (200, 400)


def test_a_request_that_is_too_large_is_refused(serve: Serve) -> None:
    """The limit applies with and without a Content-Length header."""
    served = serve(change, max_body=1000)
    anna = served.logged_in(served.account("anna"))
    anna.get("/account")
    headers = {"x-csrf-token": anna.token(), "content-type": "application/x-www-form-urlencoded"}

    async def pieces() -> Any:
        for _ in range(20):
            yield b"what=" + b"x" * 100

    said = anna.request("POST", "/change", content=b"what=" + b"x" * 2000, headers=headers)
    unsaid = anna.request("POST", "/change", content=pieces(), headers=headers)

    assert (said.status_code, unsaid.status_code) == (413, 413)
    assert "too large" in said.text


def test_every_answer_has_the_headers(serve: Serve) -> None:
    """Pages, files, redirects, refusals, errors, missing pages, and unknown methods have the headers."""
    served, anna = _anna(serve)
    paths = {path.replace(":str", "").replace("{name}", "x") for path, _, _ in routes_of(served.application)}
    answers = [
        browser.request(method, path)
        for browser in (anna, served.browser())
        for path in sorted({*paths, "/nothing/here", "/api/nothing"} - {"/logout", "/framed"})
        for method in ("GET", "HEAD", "OPTIONS", "POST", "TRACE")
    ]

    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "server" not in answer.headers
    assert {200, 303, 401, 403, 404, 405, 500} <= {answer.status_code for answer in answers}


def test_a_route_may_have_a_stricter_policy_for_content(serve: Serve) -> None:
    """All other headers stay the same."""
    _, anna = _anna(serve)
    answer = anna.get("/framed")

    assert answer.headers.get_list("content-security-policy") == ["sandbox"]
    assert answer.headers["cache-control"] == "no-store"


def test_a_fault_of_ours_tells_nothing(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    """The page only says that the error was logged; the log has the details."""
    _, anna = _anna(serve)
    answer = anna.get("/broken")

    assert (answer.status_code, "1234" in answer.text) == (500, False)
    assert "ZeroDivisionError: the secret is 1234" in caplog.text


def test_behind_tls_cookies_are_bound_to_the_host(serve: Serve) -> None:
    """The cookies are Secure, valid for this host only, and hidden from scripts."""
    served = serve(secure=True)
    answer = served.browser().get("/login")
    set_cookie = answer.headers["set-cookie"]

    assert set_cookie.startswith("__Host-visit-")
    assert all(word in set_cookie for word in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))
    assert "Domain" not in set_cookie
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_two_sites_on_one_host_have_cookies_of_their_own(serve: Serve, tmp_path: Any) -> None:
    """Browsers send cookies to all ports of a host, so a login at one site must not end that of the other."""
    from benchwright.web.core.database import open_database
    from benchwright.web.core.pages import SESSION, cookie_name

    served = serve()
    second: Database = open_database(tmp_path / "second.db")
    other = Served(second, (), {})

    assert cookie_name(served.site, SESSION) != cookie_name(other.site, SESSION)
    other.close()
    second.close()


def test_files_are_kept_by_their_content(serve: Serve) -> None:
    """The address of a style sheet contains a hash of its content, so it may be cached for ever; no other
    address is served."""
    served, anna = _anna(serve)
    address = served.site.assets.address("site.css")
    answer = served.browser().get(address)

    assert address in anna.page
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in answer.headers["cache-control"]
    assert "set-cookie" not in answer.headers
    assert served.browser().get("/assets/..%2Fsite.py").status_code == 404


@pytest.mark.parametrize("host", ["a:b", "a:99999999", "[::"])
def test_a_host_that_names_none_is_no_fault_of_ours(serve: Callable[..., Served], host: str) -> None:
    """The request is refused if the page exists and gets 404 if not; no link is generated for it."""
    served = serve()
    boss = served.logged_in(served.account("boss", is_admin=True))
    boss.get("/account")
    codes = [boss.get(path, headers={"host": host}).status_code for path in ("/account", "/none")]
    sent = boss.request("POST", "/admin/invitations", data={"csrf": _token_of(boss)}, headers={"host": host})

    assert codes == [400, 404]
    assert sent.status_code == 400


def _token_of(browser: Browser) -> str:
    browser.get("/account")
    return browser.token()
