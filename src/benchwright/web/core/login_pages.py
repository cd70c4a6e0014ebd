"""Pages of visitors without a session: first setup, login, logout, invitations."""

from __future__ import annotations

from typing import Any, NamedTuple

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import (
    AuditEvent,
    find_account,
    log_event,
    make_account,
    normalized_name,
    store_password,
)
from benchwright.web.core.authentication import (
    LIFE_MS,
    begin_session,
    check_password,
    end_all_tokens,
    end_session,
    end_sessions,
)
from benchwright.web.core.guard import LONGEST_BACK, route
from benchwright.web.core.invitations import accept, create_first_account, find_invitation, is_setup_token
from benchwright.web.core.pages import SESSION, VISIT, cookie, cookie_value, form_fields, is_storable, page
from benchwright.web.core.policy import Refusal, logged_in, public
from benchwright.web.core.site import (
    PageResponse,
    SiteRequest,
    address_of,
    path_parameter,
    site_of,
    visitor_of,
)
from benchwright.web.core.tables import Account, Invitation, Project


@get("/", opt=route(public()))
async def first_page(request: SiteRequest) -> PageResponse:
    """Redirect to the start page."""
    return Redirect(site_of(request).settings.home, status_code=303)


@get("/login", opt=route(public()))
async def login_page(request: SiteRequest) -> PageResponse:
    """Show the login form."""
    back = safe_back(request.query_params.get("back", ""))
    if visitor_of(request).who.account_id:
        return Redirect(back or site_of(request).settings.home, status_code=303)
    return page(request, "login.html", back=back, name="", trouble="")


@post("/login", status_code=200, opt=route(public(), "name", "password", "back"))
async def log_in(request: SiteRequest) -> PageResponse:
    """Log in. The error is the same for a wrong name and for a wrong password."""
    form, site = await form_fields(request), site_of(request)
    name, back = form.get("name", ""), safe_back(form.get("back", ""))
    who, address = normalized_name(name), address_of(request)
    if wait := site.throttle.attempt(who, address):
        raise too_many_attempts(wait)
    account = await site.database.read(lambda session: find_account(session, who))
    stored_hash = account.password if account is not None and account.closed_ms is None else None
    if not await site.passwords.match(stored_hash, form.get("password", "")) or account is None:
        act = AuditEvent("account.refused", None, address, subject=who)
        await site.database.write(lambda session: log_event(session, act, site.now()))
        trouble = "Wrong name or password."
        return page(request, "login.html", status=401, back=back, name=name, trouble=trouble)
    site.throttle.succeeded(who, address)
    if stored_hash is not None and site.passwords.outdated(stored_hash):
        await _renew(request, account.id, form["password"])
    return await begin_login(
        request, account.id, back or site.settings.home, AuditEvent("account.login", account.id, address)
    )


async def _renew(request: SiteRequest, account_id: str, password: str) -> None:
    """Hash the password with the current parameters."""
    password_hash = await site_of(request).passwords.hashed(password)
    await site_of(request).database.write(lambda session: store_password(session, account_id, password_hash))


async def begin_login(request: SiteRequest, account_id: str, target: str, act: AuditEvent) -> PageResponse:
    """Begin a session with a new secret, end the browser's earlier one, and redirect."""
    site, now = site_of(request), site_of(request).now()
    earlier, browser = cookie_value(request, SESSION), request.headers.get("user-agent", "")

    def begin(session: Session) -> str:
        if earlier:
            end_session(session, earlier)
        log_event(session, act, now)
        return begin_session(session, account_id, now, address=address_of(request), browser=browser)

    secret = await site.database.write(begin)
    cookies = [cookie(site, SESSION, secret, life_s=LIFE_MS // 1000), cookie(site, VISIT, "", life_s=0)]
    return Redirect(target, status_code=303, cookies=cookies)


@post("/logout", opt=route(logged_in()))
async def log_out(request: SiteRequest) -> PageResponse:
    """End the session of this browser."""
    site, secret, visitor = site_of(request), cookie_value(request, SESSION), visitor_of(request)

    def end(session: Session) -> None:
        end_session(session, secret)
        log_event(session, AuditEvent("account.logout", visitor.account_id, address_of(request)), site.now())

    await site.database.write(end)
    return Redirect("/login", status_code=303, cookies=[cookie(site, SESSION, "", life_s=0)])


@get("/setup", opt=route(public()))
async def setup_page(request: SiteRequest) -> PageResponse:
    """Show the form for the first account; needs the token that the command printed."""
    token = request.query_params.get("token", "")
    await _check_setup(request, token)
    return page(request, "setup.html", token=token, name="", trouble="")


@post("/setup", status_code=200, opt=route(public(), "token", "name", "password"))
async def make_first_account(request: SiteRequest) -> PageResponse:
    """Create the first account."""
    form, site = await form_fields(request), site_of(request)
    token, name, password = (form.get(field, "") for field in ("token", "name", "password"))
    await _check_setup(request, token)
    try:
        check_password(password, name)
        password_hash = await site.passwords.hashed(password)
        account = await site.database.write(
            lambda session: create_first_account(session, token, name, password_hash, site.now())
        )
    except UsageError as error:
        return page(request, "setup.html", status=422, token=token, name=name, trouble=str(error))
    if account is None:
        raise invalid_link()
    act = AuditEvent("site.setup", account.id, address_of(request))
    return await begin_login(request, account.id, site.settings.home, act)


async def _check_setup(request: SiteRequest, token: str) -> None:
    if not await site_of(request).database.read(lambda session: is_setup_token(session, token)):
        raise invalid_link()


def invalid_link() -> Refusal:
    """The response to an invalid, used or expired link."""
    return Refusal(
        410, "This link is no longer valid", "It was used, has expired or was withdrawn. Ask for a new one."
    )


def too_many_attempts(wait_s: int) -> Refusal:
    """The response to too many attempts."""
    return Refusal(429, "Too many attempts", f"Wait {wait_s} seconds and try again.", retry_s=wait_s)


def safe_back(address: str) -> str:
    """An address on this site; empty for any other address."""
    plain = address.isprintable() and "\\" not in address and len(address) < LONGEST_BACK
    return address if plain and address.startswith("/") and not address.startswith("//") else ""


LOGIN_ROUTES = [first_page, login_page, log_in, log_out, setup_page, make_first_account]


class InvitationOffer(NamedTuple):
    """The offer of a link: a role in the named project, or a new password of the named account."""

    project: str
    role: str
    account: str


@get("/invitations/{secret:str}", opt=route(public()))
async def invitation_page(request: SiteRequest) -> PageResponse:
    """Show the invitation and its form. Opening the page does not use the link."""
    secret = path_parameter(request, "secret")
    offer = await _offer(request, secret)
    return page(request, "invitation.html", secret=secret, offer=offer, name="", trouble="")


@post("/invitations/{secret:str}", status_code=200, opt=route(public(), "name", "password"))
async def accept_invitation(request: SiteRequest) -> PageResponse:
    """Create the invited account, or set its password, and log in."""
    secret = path_parameter(request, "secret")
    form, site = await form_fields(request), site_of(request)
    offer = await _offer(request, secret)
    name, password = offer.account or form.get("name", ""), form.get("password", "")
    try:
        check_password(password, name)
        password_hash = await site.passwords.hashed(password)
        address, now = address_of(request), site.now()
        account_id = await site.database.write(
            lambda session: _consume(session, secret, name, password_hash, now, address)
        )
    except UsageError as error:
        context: dict[str, Any] = {"secret": secret, "offer": offer, "name": name, "trouble": str(error)}
        return page(request, "invitation.html", status=422, **context)
    act = AuditEvent("account.reset" if offer.account else "account.made", account_id, address_of(request))
    return await begin_login(request, account_id, site.settings.home, act)


@post("/invitations/{secret:str}/join", opt=route(logged_in()))
async def join_project(request: SiteRequest) -> PageResponse:
    """Join the project with the account that is logged in."""
    secret = path_parameter(request, "secret")
    await _offer(request, secret)
    site, visitor = site_of(request), visitor_of(request)

    def use(session: Session) -> Invitation | None:
        used = accept(session, secret, visitor.account_id, site.now())
        if used is not None:
            act = AuditEvent(
                "invitation.used", visitor.account_id, address_of(request), used.id, used.project_id
            )
            log_event(session, act, site.now())
        return used

    if await site.database.write(use) is None:
        raise invalid_link()
    return Redirect(site.settings.home, status_code=303)


def _consume(session: Session, secret: str, name: str, password_hash: str, now: int, address: str) -> str:
    """The account. An exception raised here rolls back, so a link used twice leaves no account."""
    invitation = find_invitation(session, secret, now)
    if invitation is None:
        raise invalid_link()
    if invitation.account_id is None:
        account_id = make_account(session, name, password_hash, now).id
    else:
        account_id = invitation.account_id
        store_password(session, account_id, password_hash)
        end_sessions(session, account_id)
        end_all_tokens(session, account_id, address, now)
    if accept(session, secret, account_id, now) is None:
        raise invalid_link()
    return account_id


async def _offer(request: SiteRequest, secret: str) -> InvitationOffer:
    """The offer of a link. Raises Refusal if the link is invalid."""
    site = site_of(request)

    def find(session: Session) -> InvitationOffer | None:
        invitation = find_invitation(session, secret, site.now())
        if invitation is None:
            return None
        project = session.get(Project, invitation.project_id) if invitation.project_id else None
        account = session.get(Account, invitation.account_id) if invitation.account_id else None
        return InvitationOffer(
            project.name if project else "", invitation.role or "", account.name if account else ""
        )

    offer = await site.database.read(find) if is_storable(secret) else None
    if offer is None:
        raise invalid_link()
    return offer


INVITATION_ROUTES = [invitation_page, accept_invitation, join_project]
