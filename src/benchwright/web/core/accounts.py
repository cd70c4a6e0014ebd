"""Accounts and their roles in projects. Every function works in the transaction of its session."""

from __future__ import annotations

import unicodedata

from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.opaque import new_id
from benchwright.web.core.policy import OWNER, ProjectView, Role, State, Who
from benchwright.web.core.tables import Account, Membership, Project

LONGEST_NAME = 64


def folded(name: str) -> str:
    """The stored form of a name: the same for names that people cannot tell apart."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def checked_name(name: str) -> str:
    """The folded name. Raises UsageError if it is empty, too long or has invisible characters."""
    plain = folded(name)
    if not plain or len(plain) > LONGEST_NAME or not plain.isprintable():
        raise UsageError(
            f"a name must have 1 to {LONGEST_NAME} visible characters", hint="letters, digits, - . _ @"
        )
    return plain


def make_account(session: Session, name: str, password: str, now: int, *, is_admin: bool = False) -> Account:
    """Add an account; `password` is a hash. Raises UsageError if the name is in use."""
    plain = checked_name(name)
    if find_account(session, plain) is not None:
        raise UsageError(f"the name {plain} is already in use", hint="choose another name")
    account = Account(id=new_id(), name=plain, password=password, is_admin=is_admin, created_ms=now)
    session.add(account)
    session.flush()
    return account


def find_account(session: Session, name: str) -> Account | None:
    """The account of this name, open or closed."""
    return session.scalar(select(Account).where(Account.name == folded(name)))


def store_password(session: Session, account_id: str, made: str) -> None:
    """Replace the password hash of an account."""
    if (account := session.get(Account, account_id)) is not None:
        account.password = made


def who_is(account: Account, scopes: frozenset[str] | None = None) -> Who:
    """The account as policies see it."""
    return Who(account.id, account.name, account.is_admin, scopes)


def make_project(
    session: Session, name: str, now: int, *, state: State, owner_id: str | None = None
) -> Project:
    """Add a project; its owner becomes a member. The first account adopts projects without an owner."""
    project = Project(id=new_id(), name=name, state=state, owner_id=owner_id, created_ms=now)
    session.add(project)
    session.flush()
    if owner_id is not None:
        join(session, project.id, owner_id, OWNER)
    return project


def join(session: Session, project_id: str, account_id: str, role: Role) -> None:
    """Give an account a role in a project, replacing an earlier one."""
    session.merge(Membership(project_id=project_id, account_id=account_id, role=role))
    session.flush()


def view_of(session: Session, project_id: str, account_id: str | None) -> ProjectView | None:
    """The project as this account sees it; None if the project does not exist."""
    found = session.execute(
        select(Project, Membership.role)
        .outerjoin(Membership, (Membership.project_id == Project.id) & (Membership.account_id == account_id))
        .where(Project.id == project_id)
    ).first()
    if found is None:
        return None
    project, role = found
    return ProjectView(project.id, project.name, project.state, role)


def projects_of(session: Session, account_id: str) -> list[ProjectView]:
    """The projects in which the account has a role, newest first."""
    rows = session.execute(
        select(Project, Membership.role)
        .join(Membership, Membership.project_id == Project.id)
        .where(Membership.account_id == account_id)
        .order_by(Project.created_ms.desc(), Project.id)
    )
    return [ProjectView(each.id, each.name, each.state, role) for each, role in rows]
