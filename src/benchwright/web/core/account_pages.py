"""Pages of the visitor's own account: password, sessions, API tokens."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect
from sqlalchemy import delete
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import AuditEvent, log_event, projects_of, store_password
from benchwright.web.core.authentication import (
    check_password,
    end_all_tokens,
    end_sessions,
    end_token,
    make_token,
    sessions_of,
    tokens_of,
)
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.guard import route
from benchwright.web.core.login_pages import begin_login, too_many_attempts
from benchwright.web.core.pages import SESSION, cookie, cookie_value, form_fields, page
from benchwright.web.core.policy import ACCOUNT_SCOPES, logged_in, not_found
from benchwright.web.core.secrets import secret_hash
from benchwright.web.core.site import (
    PageResponse,
    SiteRequest,
    address_of,
    path_parameter,
    site_of,
    visitor_of,
)
from benchwright.web.core.tables import Account, LoginSession

TOKEN_DAYS = (7, 30, 90, 365)


@get("/account", opt=route(logged_in()))
async def account_page(request: SiteRequest) -> PageResponse:
    """Show the account: projects, sessions, tokens."""
    return await _draw(request)


async def _draw(
    request: SiteRequest, *, status: int = 200, trouble: str = "", made: str = ""
) -> PageResponse:
    site, mine = site_of(request), visitor_of(request).account_id
    now = site.now()
    context: dict[str, Any] = await site.database.read(
        lambda session: {
            "sessions": sessions_of(session, mine, now),
            "tokens": tokens_of(session, mine),
            "projects": projects_of(session, mine),
        }
    )
    return page(
        request,
        "account.html",
        status=status,
        trouble=trouble,
        made=made,
        now=now,
        this=secret_hash(cookie_value(request, SESSION)),
        days=TOKEN_DAYS,
        **context,
    )


@post("/account/password", status_code=200, opt=route(logged_in(), "current", "password"))
async def change_password(request: SiteRequest) -> PageResponse:
    """Change the password, end all other sessions, and revoke all tokens, which an intruder may hold."""
    form, site, visitor = await form_fields(request), site_of(request), visitor_of(request)
    name, mine = visitor.who.name, visitor.account_id
    if wait := site.throttle.attempt(name, address_of(request)):
        raise too_many_attempts(wait)
    stored_hash = await site.database.read(lambda session: session.get_one(Account, mine).password)
    if not await site.passwords.match(stored_hash, form.get("current", "")):
        return await _draw(request, status=422, trouble="The current password is wrong.")
    site.throttle.succeeded(name, address_of(request))
    try:
        check_password(form.get("password", ""), name)
    except UsageError as error:
        return await _draw(request, status=422, trouble=str(error))
    password_hash = await site.passwords.hashed(form["password"])

    def change(session: Session) -> None:
        store_password(session, mine, password_hash)
        end_sessions(session, mine)
        end_all_tokens(session, mine, address_of(request), site.now())

    await site.database.write(change)
    return await begin_login(
        request, mine, "/account", AuditEvent("account.password", mine, address_of(request))
    )


@post("/account/sessions/{session_id:str}/end", opt=route(logged_in()))
async def end_one_session(request: SiteRequest) -> PageResponse:
    """End one session."""
    session_id = path_parameter(request, "session_id")
    site, mine = site_of(request), visitor_of(request).account_id
    ending = delete(LoginSession).where(LoginSession.account_id == mine, LoginSession.id == session_id)

    def end(session: Session) -> bool:
        return session.execute(ending.returning(LoginSession.id)).first() is not None

    if not await site.database.write(end):
        raise not_found()
    return Redirect("/account", status_code=303)


@post("/account/sessions/end", opt=route(logged_in()))
async def end_all_sessions(request: SiteRequest) -> PageResponse:
    """End all sessions, including this one."""
    site, mine = site_of(request), visitor_of(request).account_id

    def end(session: Session) -> None:
        end_sessions(session, mine)
        log_event(
            session, AuditEvent("account.logout", mine, address_of(request), detail="everywhere"), site.now()
        )

    await site.database.write(end)
    return Redirect("/login", status_code=303, cookies=[cookie(site, SESSION, "", life_s=0)])


@post("/account/tokens", status_code=200, opt=route(logged_in(), "name", "days"))
async def add_token(request: SiteRequest) -> PageResponse:
    """Create a token. Only this response shows it."""
    form, site, mine = await form_fields(request), site_of(request), visitor_of(request).account_id
    days = form.get("days", "")
    if days not in map(str, TOKEN_DAYS):
        return await _draw(request, status=422, trouble="Choose one of the listed lifetimes for the token.")

    def make(session: Session) -> str:
        now = site.now()
        log_event(session, AuditEvent("token.made", mine, address_of(request), form.get("name", "")), now)
        expires_ms = now + int(days) * DAY_MS
        return make_token(session, mine, form.get("name", ""), ACCOUNT_SCOPES, now=now, expires_ms=expires_ms)

    try:
        made = await site.database.write(make)
    except UsageError as error:
        return await _draw(request, status=422, trouble=str(error))
    return await _draw(request, made=made)


@post("/account/tokens/{token_id:str}/end", opt=route(logged_in()))
async def remove_token(request: SiteRequest) -> PageResponse:
    """Revoke a token."""
    token_id = path_parameter(request, "token_id")
    site, mine = site_of(request), visitor_of(request).account_id

    def end(session: Session) -> bool:
        return end_token(session, mine, token_id, address_of(request), site.now())

    if not await site.database.write(end):
        raise not_found()
    return Redirect("/account", status_code=303)


@get("/api/account", opt=route(logged_in(scope="read")))
async def account_for_programs(request: SiteRequest) -> Response[dict[str, Any]]:
    """The account of a token and its projects, as JSON."""
    visitor = visitor_of(request)
    mine = await site_of(request).database.read(lambda session: projects_of(session, visitor.account_id))
    projects = [{"id": each.id, "name": each.name, "state": each.state, "role": each.role} for each in mine]
    return Response({"name": visitor.who.name, "projects": projects})


ACCOUNT_ROUTES = [
    account_page,
    change_password,
    end_one_session,
    end_all_sessions,
    add_token,
    remove_token,
    account_for_programs,
]
