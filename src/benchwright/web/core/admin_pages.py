"""Pages of site administrators: accounts, invitations, audit log."""

from __future__ import annotations

from typing import Any

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import AuditEvent, Erasure, audit_rows, erase_account, log_event
from benchwright.web.core.authentication import end_sessions
from benchwright.web.core.guard import route
from benchwright.web.core.invitations import InvitationTerms, invitations, invite, withdraw
from benchwright.web.core.pages import form_fields, page
from benchwright.web.core.policy import not_found, site_admin
from benchwright.web.core.site import (
    PageResponse,
    SiteRequest,
    address_of,
    own_address,
    path_parameter,
    site_of,
    visitor_of,
)
from benchwright.web.core.tables import Account, ApiToken


@get("/admin", opt=route(site_admin()))
async def admin_page(request: SiteRequest) -> PageResponse:
    """Show accounts and invitations."""
    return await _draw(request)


async def _draw(request: SiteRequest, *, link: str = "") -> PageResponse:
    site = site_of(request)
    context: dict[str, Any] = await site.database.read(
        lambda session: {
            "accounts": list(session.scalars(select(Account).order_by(Account.name))),
            "invitations": invitations(session, site.now()),
        }
    )
    return page(request, "admin.html", link=link, mine=visitor_of(request).account_id, **context)


@post("/admin/invitations", status_code=200, opt=route(site_admin(), "note", "admin"))
async def invite_account(request: SiteRequest) -> PageResponse:
    """Create an invitation link. Only this response shows it."""
    form, site, mine = await form_fields(request), site_of(request), visitor_of(request).account_id
    makes_admin = form.get("admin") == "yes"

    def make(session: Session) -> str:
        act = AuditEvent("invitation.made", mine, address_of(request), form.get("note", ""))
        log_event(session, act._replace(detail="admin" if makes_admin else ""), site.now())
        return invite(
            session, mine, site.now(), InvitationTerms(makes_admin=makes_admin, note=form.get("note", ""))
        )

    return await _draw(request, link=link_to(request, await site.database.write(make)))


def link_to(request: SiteRequest, secret: str) -> str:
    """The address of an invitation, on the host that the visitor uses."""
    return f"{own_address(request)}/invitations/{secret}"


@post("/admin/invitations/{invitation_id:str}/withdraw", opt=route(site_admin()))
async def withdraw_invitation(request: SiteRequest) -> PageResponse:
    """Withdraw an invitation."""
    invitation_id = path_parameter(request, "invitation_id")
    site, mine = site_of(request), visitor_of(request).account_id

    def end(session: Session) -> None:
        log_event(
            session, AuditEvent("invitation.withdrawn", mine, address_of(request), invitation_id), site.now()
        )
        if not withdraw(session, invitation_id):
            raise not_found()

    await site.database.write(end)
    return Redirect("/admin", status_code=303)


@post("/admin/accounts/{account_id:str}/password", status_code=200, opt=route(site_admin()))
async def offer_password(request: SiteRequest) -> PageResponse:
    """Create a password reset link."""
    account_id = path_parameter(request, "account_id")
    site, mine = site_of(request), visitor_of(request).account_id

    def make(session: Session) -> str:
        account = _account(session, account_id)
        log_event(
            session, AuditEvent("account.reset_offered", mine, address_of(request), account.name), site.now()
        )
        for_whom = InvitationTerms(account_id=account.id, note=f"new password of {account.name}")
        return invite(session, mine, site.now(), for_whom)

    return await _draw(request, link=link_to(request, await site.database.write(make)))


@post("/admin/accounts/{account_id:str}/close", opt=route(site_admin()))
async def close_account(request: SiteRequest) -> PageResponse:
    """End the sessions of an account and refuse further logins. Its work stays."""
    account_id = path_parameter(request, "account_id")
    site, mine = site_of(request), visitor_of(request).account_id
    if account_id == mine:
        raise UsageError("you cannot close your own account", hint="ask another administrator")

    def close(session: Session) -> None:
        account = _account(session, account_id)
        account.closed_ms = site.now()
        end_sessions(session, account.id)
        session.execute(delete(ApiToken).where(ApiToken.account_id == account.id))
        log_event(session, AuditEvent("account.closed", mine, address_of(request), account.name), site.now())

    await site.database.write(close)
    return Redirect("/admin", status_code=303)


@post("/admin/accounts/{account_id:str}/delete", opt=route(site_admin(), "work"))
async def delete_person(request: SiteRequest) -> PageResponse:
    """Delete a person permanently. Their votes are kept anonymously or excluded, as the form says."""
    account_id, work = path_parameter(request, "account_id"), (await form_fields(request)).get("work", "")
    site, mine = site_of(request), visitor_of(request).account_id
    if account_id == mine:
        raise UsageError("you cannot delete your own account", hint="ask another administrator")
    if work not in ("keep", "leave-out"):
        raise UsageError("choose what happens to their votes", hint="keep or leave-out")
    erasure = Erasure(account_id, mine, site.now(), keep_work=work == "keep")

    def delete_all(session: Session) -> None:
        account = _account(session, account_id)
        erase_account(session, account, erasure)
        for erase_part in site.settings.erasers:
            erase_part(session, erasure)
        log_event(
            session,
            AuditEvent("account.deleted", mine, address_of(request), account.id, detail=work),
            site.now(),
        )

    await site.database.write(delete_all)
    return Redirect("/admin", status_code=303)


@post("/admin/accounts/{account_id:str}/open", opt=route(site_admin()))
async def reopen_account(request: SiteRequest) -> PageResponse:
    """Allow logins again."""
    account_id = path_parameter(request, "account_id")
    site, mine = site_of(request), visitor_of(request).account_id

    def reopen(session: Session) -> None:
        account = _account(session, account_id)
        account.closed_ms = None
        log_event(session, AuditEvent("account.opened", mine, address_of(request), account.name), site.now())

    await site.database.write(reopen)
    return Redirect("/admin", status_code=303)


@get("/admin/audit", opt=route(site_admin()))
async def audit_page(request: SiteRequest) -> PageResponse:
    """Show the audit log, newest entries first."""
    given = request.query_params.get("before", "")
    before = int(given) if given.isascii() and given.isdigit() and len(given) < 19 else None
    rows = await site_of(request).database.read(lambda session: audit_rows(session, before=before))
    return page(request, "audit_log.html", acts=rows)


def _account(session: Session, account_id: str) -> Account:
    """The account, unless it was deleted. An exception raised here rolls the transaction back."""
    account = session.get(Account, account_id)
    if account is None or account.is_deleted:
        raise not_found()
    return account


ADMIN_ROUTES = [
    admin_page,
    invite_account,
    withdraw_invitation,
    offer_password,
    close_account,
    delete_person,
    reopen_account,
    audit_page,
]
