"""Changes of a project's members. Every function works in the transaction of its session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import join
from benchwright.web.core.policy import OWNER, EntryRole, Role
from benchwright.web.core.refusals import not_found
from benchwright.web.core.tables import Account, Membership


class RoleChange(NamedTuple):
    """The new role of a member, and the role of the account that gives it."""

    account_id: str
    role: Role
    by: Role | None


def change_role(
    session: Session, project_id: str, change: RoleChange, entry_roles: Mapping[Role, EntryRole]
) -> str:
    """Give a member another role; return the member's name. Raises UsageError if that is not allowed."""
    account_id, role, by = change
    member = _changeable(session, project_id, account_id, by)
    if role == OWNER and by != OWNER:
        raise UsageError("only an owner can make owners", hint="ask an owner of the project")
    if role in entry_roles and member.role != role:
        raise UsageError(entry_roles[role].reason, hint=entry_roles[role].hint)
    if member.role == OWNER and role != OWNER:
        _keep_an_owner(session, project_id)
    join(session, project_id, account_id, role)
    return _name(session, account_id)


def remove_member(session: Session, project_id: str, account_id: str, *, by: Role | None) -> str:
    """Remove a member from a project; return the member's name. Their work stays."""
    member = _changeable(session, project_id, account_id, by)
    if member.role == OWNER:
        _keep_an_owner(session, project_id)
    session.delete(member)
    session.flush()
    return _name(session, account_id)


def sole_owner_of(session: Session, account_id: str) -> list[str]:
    """The projects whose only owner is this account."""
    owned = select(Membership.project_id).where(Membership.account_id == account_id, Membership.role == OWNER)
    return [each for each in session.scalars(owned) if _owners(session, each) == 1]


def _changeable(session: Session, project_id: str, account_id: str, by: Role | None) -> Membership:
    member = session.get(Membership, (project_id, account_id))
    if member is None:
        raise not_found()
    if member.role == OWNER and by != OWNER:
        raise UsageError("only an owner can change owners", hint="ask an owner of the project")
    return member


def _keep_an_owner(session: Session, project_id: str) -> None:
    if _owners(session, project_id) == 1:
        raise UsageError("a project needs at least one owner", hint="first make another member an owner")


def _owners(session: Session, project_id: str) -> int:
    query = select(func.count()).where(Membership.project_id == project_id, Membership.role == OWNER)
    return session.scalar(query) or 0


def _name(session: Session, account_id: str) -> str:
    return session.get_one(Account, account_id).name
