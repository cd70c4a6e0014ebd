"""Pages without a session: first setup, login and logout."""

from __future__ import annotations

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import find_account, folded, store_password
from benchwright.web.core.audit import Act, note
from benchwright.web.core.cookies import SESSION, VISIT, cookie, cookie_value
from benchwright.web.core.forms import form_of
from benchwright.web.core.guard import LONGEST_BACK, route
from benchwright.web.core.inviting import is_setup_token, set_up
from benchwright.web.core.pages import page
from benchwright.web.core.passwords import check_password
from benchwright.web.core.policy import logged_in, public
from benchwright.web.core.refusals import Refusal
from benchwright.web.core.sessions import LIFE_MS, begin_session, end_session
from benchwright.web.core.site import PageResponse, SiteRequest, address_of, site_of, visitor_of


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
    """Log in. The error does not tell whether the name or the password is wrong."""
    form, site = await form_of(request), site_of(request)
    name, back = form.get("name", ""), safe_back(form.get("back", ""))
    who, address = folded(name), address_of(request)
    if wait := site.throttle.attempt(who, address):
        raise too_many(wait)
    account = await site.database.read(lambda session: find_account(session, who))
    kept = account.password if account is not None and account.closed_ms is None else None
    if not await site.passwords.match(kept, form.get("password", "")) or account is None:
        act = Act("account.refused", None, address, subject=who)
        await site.database.write(lambda session: note(session, act, site.now()))
        trouble = "Wrong name or password."
        return page(request, "login.html", status=401, back=back, name=name, trouble=trouble)
    site.throttle.succeeded(who, address)
    if kept is not None and site.passwords.outdated(kept):
        await _renew(request, account.id, form["password"])
    return await enter(
        request, account.id, back or site.settings.home, Act("account.login", account.id, address)
    )


async def _renew(request: SiteRequest, account_id: str, password: str) -> None:
    """Hash the password with the current parameters."""
    made = await site_of(request).passwords.hashed(password)
    await site_of(request).database.write(lambda session: store_password(session, account_id, made))


async def enter(request: SiteRequest, account_id: str, target: str, act: Act) -> PageResponse:
    """Begin a session with a new secret, end the browser's earlier one, and redirect."""
    site, now = site_of(request), site_of(request).now()
    earlier, browser = cookie_value(request, SESSION), request.headers.get("user-agent", "")

    def begin(session: Session) -> str:
        if earlier:
            end_session(session, earlier)
        note(session, act, now)
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
        note(session, Act("account.logout", visitor.account_id, address_of(request)), site.now())

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
    form, site = await form_of(request), site_of(request)
    token, name, password = (form.get(field, "") for field in ("token", "name", "password"))
    await _check_setup(request, token)
    try:
        check_password(password, name)
        made = await site.passwords.hashed(password)
        account = await site.database.write(lambda session: set_up(session, token, name, made, site.now()))
    except UsageError as error:
        return page(request, "setup.html", status=422, token=token, name=name, trouble=str(error))
    if account is None:
        raise used_up()
    act = Act("site.setup", account.id, address_of(request))
    return await enter(request, account.id, site.settings.home, act)


async def _check_setup(request: SiteRequest, token: str) -> None:
    if not await site_of(request).database.read(lambda session: is_setup_token(session, token)):
        raise used_up()


def used_up() -> Refusal:
    """The response to an invalid, used or expired link."""
    return Refusal(
        410, "This link is no longer valid", "It was used, has expired or was withdrawn. Ask for a new one."
    )


def too_many(wait_s: int) -> Refusal:
    """The response to too many attempts."""
    return Refusal(429, "Too many attempts", f"Wait {wait_s} seconds and try again.", retry_s=wait_s)


def safe_back(address: str) -> str:
    """An address on this site; empty for any other address."""
    plain = address.isprintable() and "\\" not in address and len(address) < LONGEST_BACK
    return address if plain and address.startswith("/") and not address.startswith("//") else ""


LOGIN_ROUTES = [first_page, login_page, log_in, log_out, setup_page, make_first_account]
