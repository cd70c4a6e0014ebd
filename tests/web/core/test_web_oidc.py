"""Login with OpenID Connect: a small provider on loopback, with real keys and a real token endpoint."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import Erasure, erase_account, make_project
from benchwright.web.core.invitations import InvitationTerms, invite
from benchwright.web.core.oidc import OidcClient, OidcSettings, check_oidc
from benchwright.web.core.tables import Account, ExternalIdentity, Membership
from kit.needs import need_module
from kit.openid_provider import CLIENT, SECRET, OpenIdProvider
from kit.web_client import START_MS, Browser, Served

Serve = Callable[..., Served]
ONE_DATABASE = pytest.mark.parametrize("database_place", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def shared_provider() -> Iterator[OpenIdProvider]:
    """Shared, because generating its key takes a while."""
    need_module("authlib", reason="OpenID Connect needs Authlib")
    made = OpenIdProvider()
    yield made
    made.close()


@pytest.fixture
def provider(shared_provider: OpenIdProvider) -> OpenIdProvider:
    """Return the provider without changes."""
    shared_provider.changes, shared_provider.sign = {}, shared_provider.signed
    shared_provider.claims = {"sub": "s-1", "email": "Anna@Example.org", "email_verified": True}
    return shared_provider


def _site(serve: Serve, provider: OpenIdProvider, *domains: str) -> Served:
    settings = OidcSettings(provider.issuer, CLIENT, SECRET, domains)
    return serve(oidc=OidcClient(settings, clock=lambda: START_MS), home="/account")


def _to_provider(browser: Browser, query: str = "") -> str:
    """Log in at the provider; return the path of its reply on our site."""
    begun = browser.get(f"/login/oidc{query}")
    assert begun.status_code == 303
    replied = httpx.get(begun.headers["location"], follow_redirects=False)
    parts = urlsplit(replied.headers["location"])
    assert parts.hostname == "station.test"
    return f"{parts.path}?{parts.query}"


def _log_in(browser: Browser, query: str = "") -> httpx.Response:
    return browser.get(_to_provider(browser, query))


@pytest.mark.postgresql
def test_a_person_is_invited_linked_and_deleted(serve: Serve, provider: OpenIdProvider) -> None:
    """The first login needs an invitation; later ones use the subject alone. Neither works without an
    account."""
    served = _site(serve, provider)
    boss = served.account("boss", is_admin=True)
    stranger = served.browser()
    assert "127.0.0.1" in stranger.get("/login").text
    assert (_log_in(stranger).status_code, stranger.get("/account").status_code) == (403, 303)

    def make(session: Session) -> str:
        project = make_project(session, "Team", START_MS, state="open", owner_id=boss).id
        return invite(session, boss, START_MS, InvitationTerms(project_id=project, role="judge"))

    secret = served.database.write_now(make)
    anna = served.browser()
    assert f"/login/oidc?invitation={secret}" in anna.get(f"/invitations/{secret}").text
    begun = anna.get(f"/login/oidc?invitation={secret}")
    assert secret not in begun.headers["location"]
    joined = _log_in(anna, f"?invitation={secret}")
    assert (joined.status_code, joined.headers["location"]) == (303, "/account")
    assert "anna@example.org" in anna.get("/account").text

    provider.claims = {"sub": "s-1", "email": "other@example.org", "email_verified": False}
    again = served.browser()
    back = _log_in(again, "?back=%2Faccount%3Fa%3D1")
    assert back.headers["location"] == "/account?a=1"
    assert "anna@example.org" in again.get("/account").text
    assert _log_in(served.browser(), "?back=%2F%2Fevil.test").headers["location"] == "/account"

    def erase(session: Session) -> tuple[list[str], int]:
        account = session.scalars(select(Account).where(Account.name == "anna@example.org")).one()
        roles = [each.role for each in session.scalars(select(Membership).filter_by(account_id=account.id))]
        erase_account(session, account, Erasure(account.id, boss, START_MS, keep_work=True))
        return roles, len(session.scalars(select(ExternalIdentity)).all())

    assert served.database.write_now(erase) == (["judge"], 0)
    assert _log_in(served.browser()).status_code == 403


@pytest.mark.postgresql
def test_a_verified_address_opens_an_account(serve: Serve, provider: OpenIdProvider) -> None:
    """A verified address opens the account of that name, ending its password and sessions, or creates one for
    an open domain; once per account."""
    served = _site(serve, provider, "corp.test")
    anna = served.account("anna@example.org", password="known to who took the name")
    earlier, closed = served.logged_in(anna), served.account("gone@corp.test")
    served.database.write_now(lambda session: setattr(session.get_one(Account, closed), "closed_ms", 1))
    for unverified in (False, "true", None):
        provider.claims["email_verified"] = unverified
        assert _log_in(served.browser()).status_code == 403
    provider.claims["email_verified"] = True
    assert _log_in(served.browser()).status_code == 303
    assert earlier.get("/account").status_code == 303
    assert served.database.read_now(lambda session: session.get_one(Account, anna).password) == "!"

    found = {}
    for subject, email in [
        ("s-2", "anna@example.org"),
        ("s-3", "new@corp.test"),
        ("s-4", "gone@corp.test"),
        ("s-5", "x@notcorp.test"),
        ("s-6", "x@corp.test.evil.test"),
    ]:
        provider.claims = {"sub": subject, "email": email, "email_verified": True}
        found[subject] = _log_in(served.browser()).status_code
    assert found == {"s-2": 403, "s-3": 303, "s-4": 403, "s-5": 403, "s-6": 403}


@ONE_DATABASE
def test_forged_replies_are_refused(serve: Serve, provider: OpenIdProvider) -> None:
    """Tokens with another key, algorithm, audience, time or login are refused, and so are replies of another
    browser."""
    from joserfc import jwt
    from joserfc.jwk import OctKey, RSAKey

    served = _site(serve, provider, "example.org")
    other = RSAKey.generate_key(2048, {"kid": "1"}, private=True)
    shared = OctKey.import_key(SECRET)

    def unsigned(claims: dict[str, Any]) -> str:
        parts = [{"alg": "none"}, claims]
        return (
            ".".join(
                base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts
            )
            + "."
        )

    def by_other(claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims, other)

    def by_secret(claims: dict[str, Any]) -> str:
        return jwt.encode({"alg": "HS256"}, claims, shared)

    now = START_MS // 1000
    changed: list[dict[str, Any]] = [
        {"nonce": "other"},
        {"iss": "https://evil.test"},
        {"aud": "another"},
        {"aud": [CLIENT, "another"]},
        {"azp": "another"},
        {"exp": now - 61},
        {"nbf": now + 61},
        {"at_hash": "x"},
    ]
    for changes in changed:
        provider.changes = changes
        assert _log_in(served.browser()).status_code == 502, changes
    provider.changes = {}
    for sign in (unsigned, by_other, by_secret):
        provider.sign = sign
        assert _log_in(served.browser()).status_code == 502, sign
    provider.sign = provider.signed

    browser = served.browser()
    path = _to_provider(browser)
    state = parse_qs(urlsplit(path).query)["state"][0]
    assert served.browser().get(path).status_code == 400
    assert browser.get(path.replace(state, state[:-1] + "_")).status_code == 400
    assert browser.get(path.replace("iss=http", "iss=https")).status_code == 400
    assert browser.get(f"/login/oidc/callback?state={state}&error=access_denied").status_code == 401
    assert browser.get("/login/oidc/callback?state=%ff%00&code=x").status_code == 400
    served.clock.now += 601_000
    assert browser.get(path).status_code == 400
    served.clock.now -= 601_000
    assert (browser.get(path).status_code, browser.get("/account").status_code) == (303, 200)
    browser.send("/logout")
    assert browser.get(path).status_code == 400  # the cookie of that login is deleted


@ONE_DATABASE
def test_what_settings_are_refused(serve: Serve, provider: OpenIdProvider) -> None:
    """Issuers without TLS, and pages of a site without a provider."""
    for issuer in ("http://login.example.org", "login.example.org", "https://", "file:///x", "https://a?b"):
        with pytest.raises(UsageError, match="OpenID provider"):
            check_oidc(OidcSettings(issuer, CLIENT))
    check_oidc(OidcSettings(provider.issuer, CLIENT))
    assert serve().browser().get("/login/oidc").status_code == 404
    settings = OidcSettings(provider.issuer + "/", CLIENT, SECRET)
    other = serve(oidc=OidcClient(settings, clock=lambda: START_MS))
    assert other.browser().get("/login/oidc").status_code == 502
