"""The page of an invitation link."""

from __future__ import annotations

from typing import Any, NamedTuple

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import make_account, store_password
from benchwright.web.core.audit import Act, note
from benchwright.web.core.forms import form_of, is_storable
from benchwright.web.core.guard import route
from benchwright.web.core.inviting import accept, find_invitation
from benchwright.web.core.login_pages import enter, used_up
from benchwright.web.core.pages import page
from benchwright.web.core.passwords import check_password
from benchwright.web.core.policy import logged_in, public
from benchwright.web.core.sessions import end_sessions
from benchwright.web.core.site import PageResponse, SiteRequest, address_of, named, site_of, visitor_of
from benchwright.web.core.tables import Account, Invitation, Project
from benchwright.web.core.tokens import end_all_tokens


class Offer(NamedTuple):
    """What a link offers: a role in the named project, or a new password of the named account."""

    project: str
    role: str
    account: str


@get("/invitations/{secret:str}", opt=route(public()))
async def invitation_page(request: SiteRequest) -> PageResponse:
    """Show the invitation and its form. Opening the page does not use the link."""
    secret = named(request, "secret")
    offer = await _offer(request, secret)
    return page(request, "invitation.html", secret=secret, offer=offer, name="", trouble="")


@post("/invitations/{secret:str}", status_code=200, opt=route(public(), "name", "password"))
async def take_up(request: SiteRequest) -> PageResponse:
    """Create the invited account, or set its password, and log in."""
    secret = named(request, "secret")
    form, site = await form_of(request), site_of(request)
    offer = await _offer(request, secret)
    name, password = offer.account or form.get("name", ""), form.get("password", "")
    try:
        check_password(password, name)
        made = await site.passwords.hashed(password)
        address, now = address_of(request), site.now()
        account_id = await site.database.write(
            lambda session: _use(session, secret, name, made, now, address)
        )
    except UsageError as error:
        context: dict[str, Any] = {"secret": secret, "offer": offer, "name": name, "trouble": str(error)}
        return page(request, "invitation.html", status=422, **context)
    act = Act("account.reset" if offer.account else "account.made", account_id, address_of(request))
    return await enter(request, account_id, site.settings.home, act)


@post("/invitations/{secret:str}/join", opt=route(logged_in()))
async def join_project(request: SiteRequest) -> PageResponse:
    """Join the project with the account that is logged in."""
    secret = named(request, "secret")
    await _offer(request, secret)
    site, visitor = site_of(request), visitor_of(request)

    def use(session: Session) -> Invitation | None:
        used = accept(session, secret, visitor.account_id, site.now())
        if used is not None:
            act = Act("invitation.used", visitor.account_id, address_of(request), used.id, used.project_id)
            note(session, act, site.now())
        return used

    if await site.database.write(use) is None:
        raise used_up()
    return Redirect(site.settings.home, status_code=303)


def _use(session: Session, secret: str, name: str, made: str, now: int, address: str) -> str:
    """The account. An exception raised here rolls back, so a link used twice leaves no account."""
    invitation = find_invitation(session, secret, now)
    if invitation is None:
        raise used_up()
    if invitation.account_id is None:
        account_id = make_account(session, name, made, now).id
    else:
        account_id = invitation.account_id
        store_password(session, account_id, made)
        end_sessions(session, account_id)
        end_all_tokens(session, account_id, address, now)
    if accept(session, secret, account_id, now) is None:
        raise used_up()
    return account_id


async def _offer(request: SiteRequest, secret: str) -> Offer:
    """The offer of a link. Raises Refusal if the link is invalid."""
    site = site_of(request)

    def find(session: Session) -> Offer | None:
        invitation = find_invitation(session, secret, site.now())
        if invitation is None:
            return None
        project = session.get(Project, invitation.project_id) if invitation.project_id else None
        account = session.get(Account, invitation.account_id) if invitation.account_id else None
        return Offer(project.name if project else "", invitation.role or "", account.name if account else "")

    offer = await site.database.read(find) if is_storable(secret) else None
    if offer is None:
        raise used_up()
    return offer


INVITATION_ROUTES = [invitation_page, take_up, join_project]
