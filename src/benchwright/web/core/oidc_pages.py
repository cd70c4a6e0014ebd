"""Login at an OpenID provider in addition to passwords: to the provider, back, and to which account."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import get
from litestar.response import Redirect
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.web.core.accounts import (
    AuditEvent,
    find_account,
    log_event,
    make_account,
    normalized_name,
    store_password,
)
from benchwright.web.core.authentication import end_all_tokens, end_sessions
from benchwright.web.core.guard import route
from benchwright.web.core.invitations import accept, find_invitation
from benchwright.web.core.login_pages import begin_login, invalid_link, safe_back
from benchwright.web.core.oidc import (
    LOGIN_MS,
    OidcClient,
    OidcFailure,
    OidcIdentity,
    find_attempt,
    new_attempt,
)
from benchwright.web.core.pages import INVITED, VISIT, cookie, cookie_value, is_storable
from benchwright.web.core.policy import Refusal, not_found, public
from benchwright.web.core.secrets import new_secret
from benchwright.web.core.site import (
    PageResponse,
    Site,
    SiteRequest,
    address_of,
    own_address,
    site_of,
    visitor_of,
)
from benchwright.web.core.tables import Account, ExternalIdentity

CALLBACK = "/login/oidc/callback"
NO_PASSWORD = "!"  # matches no password
_MAX_LENGTH = 4_000  # characters of a state or a code


def _client(request: SiteRequest) -> OidcClient:
    client = site_of(request).settings.oidc
    if client is None:
        raise not_found()
    return client


@get("/login/oidc", opt=route(public(), query=("back", "invitation")))
async def begin_oidc(request: SiteRequest) -> PageResponse:
    """Redirect to the provider. An invitation is kept in a cookie, so that the provider does not see it."""
    site, client = site_of(request), _client(request)
    back = safe_back(request.query_params.get("back", ""))
    if visitor_of(request).who.account_id:
        return Redirect(back or site.settings.home, status_code=303)
    visit = cookie_value(request, VISIT) or new_secret()
    attempt = new_attempt(site.secret, visit, site.now(), back)
    try:
        address = await client.address(attempt, own_address(request) + CALLBACK)
    except OidcFailure as failure:
        raise _failed(failure) from None
    invitation = request.query_params.get("invitation", "")[:128]
    life_s = LOGIN_MS // 1000 if invitation.isascii() and is_storable(invitation) and invitation else 0
    cookies = [cookie(site, VISIT, visit), cookie(site, INVITED, invitation if life_s else "", life_s=life_s)]
    return Redirect(address, status_code=303, cookies=cookies)


@get(CALLBACK, opt=route(public(), query=("code", "state", "iss", "error")))
async def end_oidc(request: SiteRequest) -> PageResponse:
    """Take the provider's reply, find or make the account, and log in."""
    site, client, given = site_of(request), _client(request), request.query_params
    state, code = given.get("state", "")[:_MAX_LENGTH], given.get("code", "")[:_MAX_LENGTH]
    attempt = find_attempt(site.secret, cookie_value(request, VISIT), site.now(), state)
    if attempt is None or given.get("iss", client.settings.issuer) != client.settings.issuer:
        raise Refusal(
            400, "This login is not valid", "It began in another browser or too long ago. Log in again."
        )
    if given.get("error") or not code:
        why = escaped_name(given.get("error", "no code"), 100)
        raise Refusal(401, "The provider refused the login", f"{why}. Log in again.")
    try:
        found = await client.identity(attempt, own_address(request) + CALLBACK, code)
    except OidcFailure as failure:
        await _log_refusal(request, site, failure.message)
        raise _failed(failure) from None
    invitation, address, now = cookie_value(request, INVITED), address_of(request), site.now()
    domains = client.settings.domains
    account_id = await site.database.write(
        lambda session: _account_of(session, found, invitation, domains, address, now)
    )
    if account_id is None:
        await _log_refusal(
            request, site, f"no account for {found.email or 'a person without a verified address'}"
        )
        raise Refusal(403, "You have no account here", "Ask an administrator or an owner for an invitation.")
    event = AuditEvent("account.login", account_id, address, detail="openid connect")
    reply = await begin_login(request, account_id, attempt.back or site.settings.home, event)
    reply.set_cookie(cookie(site, INVITED, "", life_s=0))
    return reply


def _failed(failure: OidcFailure) -> Refusal:
    return Refusal(502, "The login at the provider failed", f"{failure.message.capitalize()}. Log in again.")


async def _log_refusal(request: SiteRequest, site: Site, why: str) -> None:
    act = AuditEvent("account.refused", None, address_of(request), detail=f"openid connect: {why}")
    await site.database.write(lambda session: log_event(session, act, site.now()))


def _account_of(
    session: Session, who: OidcIdentity, invitation: str, domains: Sequence[str], address: str, now: int
) -> str | None:
    """The account of a person: linked before, invited now, of a verified address, or of an open domain."""
    known = session.get(ExternalIdentity, (who.issuer, who.subject))
    if known is not None:
        account = session.get_one(Account, known.account_id)
        return account.id if account.closed_ms is None else None
    account_id = (
        _invited(session, who, invitation, now)
        if invitation
        else _account_by_address(session, who, domains, address, now)
    )
    if account_id is not None:
        session.add(
            ExternalIdentity(issuer=who.issuer, subject=who.subject, account_id=account_id, created_ms=now)
        )
        log_event(
            session, AuditEvent("account.linked", account_id, address, who.issuer, detail=who.subject), now
        )
        session.flush()
    return account_id


def _invited(session: Session, who: OidcIdentity, secret: str, now: int) -> str:
    """Use an invitation: for a new account, or to link the account whose password it would reset."""
    found = find_invitation(session, secret, now)
    if found is None:
        raise invalid_link()
    if found.account_id is not None:
        account_id = found.account_id
    else:
        if not who.email:
            raise UsageError("the provider has not verified your e-mail address", hint="use a password")
        account_id = make_account(session, who.email, NO_PASSWORD, now).id
    if accept(session, secret, account_id, now) is None:
        raise invalid_link()
    return account_id


def _account_by_address(
    session: Session, who: OidcIdentity, domains: Sequence[str], address: str, now: int
) -> str | None:
    """The account whose name is the verified address.

    A person chooses a name freely, so the account may be that of another one. Its password, sessions and
    tokens end when it is linked; else that person could read and act as the owner of the address.
    """
    if not who.email:
        return None
    account = find_account(session, who.email)
    if account is not None:
        linked = select(ExternalIdentity.subject).where(ExternalIdentity.account_id == account.id)
        if account.closed_ms is not None or session.scalar(linked) is not None:
            return None
        store_password(session, account.id, NO_PASSWORD)
        end_sessions(session, account.id)
        end_all_tokens(session, account.id, address, now)
        return account.id
    domain = normalized_name(who.email).rpartition("@")[2]
    if domain in domains:
        return make_account(session, who.email, NO_PASSWORD, now).id
    return None


OIDC_ROUTES = [begin_oidc, end_oidc]
