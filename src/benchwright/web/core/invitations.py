"""Invitations: the first account of a site, other accounts, roles in a project."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.web.core.accounts import join, make_account
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.policy import OWNER, Role
from benchwright.web.core.secrets import new_id, new_secret, secret_hash, store_site_setting
from benchwright.web.core.tables import Account, Invitation, Membership, Project, SiteFact

SETUP = "setup"  # the setting with the hash of the token for the first account
LIFE_MS = 7 * DAY_MS


def setup_token(session: Session) -> str | None:
    """A new token for the first account, replacing an earlier one; None if there is an account."""
    if session.scalar(select(func.count()).select_from(Account)):
        return None
    secret = new_secret()
    store_site_setting(session, SETUP, secret_hash(secret))
    return secret


def is_setup_token(session: Session, secret: str) -> bool:
    """Whether the token can still create the first account."""
    return _setup_fact(session, secret) is not None


def create_first_account(session: Session, secret: str, name: str, password: str, now: int) -> Account | None:
    """Create the first account: it is an administrator and owns all existing projects.

    None if the token is invalid. `password` is a hash.
    """
    fact = delete(SiteFact).where(SiteFact.name == SETUP, SiteFact.value == secret_hash(secret))
    if session.execute(fact.returning(SiteFact.name)).first() is None:
        return None
    account = make_account(session, name, password, now, is_admin=True)
    for project in list(session.scalars(select(Project).where(Project.owner_id.is_(None)))):
        project.owner_id = account.id
        join(session, project.id, account.id, OWNER)
    return account


def _setup_fact(session: Session, secret: str) -> SiteFact | None:
    return session.scalar(
        select(SiteFact).where(SiteFact.name == SETUP, SiteFact.value == secret_hash(secret))
    )


class InvitationTerms(NamedTuple):
    """Terms of an invitation: a role in a project, an account, or a new password of `account_id`."""

    project_id: str | None = None
    role: Role | None = None
    account_id: str | None = None
    makes_admin: bool = False
    note: str = ""
    life_ms: int = LIFE_MS


def invite(session: Session, made_by: str | None, now: int, invited: InvitationTerms) -> str:
    """Create an invitation; return the secret of its link, `/invitations/SECRET`."""
    secret = new_secret()
    session.add(
        Invitation(
            token_hash=secret_hash(secret),
            id=new_id(),
            project_id=invited.project_id,
            role=invited.role,
            account_id=invited.account_id,
            makes_admin=invited.makes_admin,
            made_by=made_by,
            note=escaped_name(invited.note),
            created_ms=now,
            expires_ms=now + invited.life_ms,
        )
    )
    return secret


def find_invitation(session: Session, secret: str, now: int) -> Invitation | None:
    """The invitation of a link, if it is valid."""
    return session.scalar(select(Invitation).where(*_is_valid(secret, now)))


def accept(session: Session, secret: str, account_id: str, now: int) -> Invitation | None:
    """Use an invitation for this account; None if it is invalid. Two simultaneous calls cannot both
    succeed.

    Raises UsageError if the account already has a role in the project: a link must not replace it.
    """
    mine = Invitation.account_id.is_(None) | (Invitation.account_id == account_id)
    used = update(Invitation).where(*_is_valid(secret, now), mine).values(used_ms=now, used_by=account_id)
    if session.execute(used.returning(Invitation.id)).first() is None:
        return None
    invitation = session.scalars(select(Invitation).where(Invitation.token_hash == secret_hash(secret))).one()
    if invitation.project_id is not None and invitation.role is not None:
        if session.get(Membership, (invitation.project_id, account_id)) is not None:
            raise UsageError(
                "you already have a role in this project", hint="forward the link to its recipient"
            )
        join(session, invitation.project_id, account_id, invitation.role)
    if invitation.makes_admin and (account := session.get(Account, account_id)) is not None:
        account.is_admin = True
    return invitation


def _is_valid(secret: str, now: int) -> tuple[ColumnElement[bool], ...]:
    return (
        Invitation.token_hash == secret_hash(secret),
        Invitation.used_ms.is_(None),
        Invitation.expires_ms > now,
    )


def withdraw(session: Session, invitation_id: str, *, project_id: str | None = None) -> bool:
    """Withdraw an unused invitation, of this project only if given. Returns whether there was one."""
    statement = delete(Invitation).where(Invitation.id == invitation_id, Invitation.used_ms.is_(None))
    if project_id is not None:
        statement = statement.where(Invitation.project_id == project_id)
    return session.execute(statement.returning(Invitation.id)).first() is not None


def invitations(session: Session, now: int, *, project_id: str | None = None) -> list[Invitation]:
    """The valid invitations, newest first; of one project or of all."""
    query = select(Invitation).where(Invitation.used_ms.is_(None), Invitation.expires_ms > now)
    if project_id is not None:
        query = query.where(Invitation.project_id == project_id)
    return list(session.scalars(query.order_by(Invitation.created_ms.desc(), Invitation.id)))
