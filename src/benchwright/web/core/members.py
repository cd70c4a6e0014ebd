"""Changing who takes part in a project. Every function works in the transaction it is given."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.accounts import join
from benchwright.web.core.policy import Role
from benchwright.web.core.refusals import not_found
from benchwright.web.core.tables import Account, Membership


def change_role(session: Session, project_id: str, account_id: str, role: Role, *, by: Role | None) -> str:
    """Give a member another role; the member's name. Raises UsageError where that must not be."""
    member = _changeable(session, project_id, account_id, by)
    if role == "owner" and by != "owner":
        raise UsageError("only an owner makes owners", hint="ask an owner of the project")
    if role == "judge" and member.role != "judge":
        raise UsageError(
            "who has seen the project's results cannot judge it blind", hint="invite another account"
        )
    if member.role == "owner" and role != "owner":
        _keep_an_owner(session, project_id)
    join(session, project_id, account_id, role)
    return _name(session, account_id)


def remove_member(session: Session, project_id: str, account_id: str, *, by: Role | None) -> str:
    """Take a member out of a project; the member's name. What they did there stays."""
    member = _changeable(session, project_id, account_id, by)
    if member.role == "owner":
        _keep_an_owner(session, project_id)
    session.delete(member)
    session.flush()
    return _name(session, account_id)


def sole_owner_of(session: Session, account_id: str) -> list[str]:
    """The projects that would have no owner without this account."""
    owned = select(Membership.project_id).where(
        Membership.account_id == account_id, Membership.role == "owner"
    )
    return [each for each in session.scalars(owned) if _owners(session, each) == 1]


def _changeable(session: Session, project_id: str, account_id: str, by: Role | None) -> Membership:
    member = session.get(Membership, (project_id, account_id))
    if member is None:
        raise not_found()
    if member.role == "owner" and by != "owner":
        raise UsageError("only an owner changes owners", hint="ask an owner of the project")
    return member


def _keep_an_owner(session: Session, project_id: str) -> None:
    if _owners(session, project_id) == 1:
        raise UsageError("a project needs an owner", hint="make somebody else an owner first")


def _owners(session: Session, project_id: str) -> int:
    query = select(func.count()).where(Membership.project_id == project_id, Membership.role == "owner")
    return session.scalar(query) or 0


def _name(session: Session, account_id: str) -> str:
    return session.get_one(Account, account_id).name
