"""Accounts: creation, project roles, deletion of a person, and the audit log.

Every function works in the transaction of its session.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError
from benchwright.web.core.policy import OWNER, EntryRole, Principal, ProjectView, Role, State, not_found
from benchwright.web.core.secrets import new_id
from benchwright.web.core.tables import (
    Account,
    ApiToken,
    AuditEntry,
    ExternalIdentity,
    Invitation,
    LoginSession,
    Membership,
    Project,
)

LONGEST_NAME = 64


def normalized_name(name: str) -> str:
    """The stored form of a name: the same for names that look alike."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def checked_name(name: str) -> str:
    """The folded name. Raises UsageError if it is empty, too long or has invisible characters."""
    plain = normalized_name(name)
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
    return session.scalar(select(Account).where(Account.name == normalized_name(name)))


def store_password(session: Session, account_id: str, password_hash: str) -> None:
    """Replace the password hash of an account."""
    if (account := session.get(Account, account_id)) is not None:
        account.password = password_hash


def principal_of(account: Account, scopes: frozenset[str] | None = None) -> Principal:
    """The account as policies see it."""
    return Principal(account.id, account.name, account.is_admin, scopes)


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


def project_view(session: Session, project_id: str, account_id: str | None) -> ProjectView | None:
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
    member = _find_member(session, project_id, account_id, by)
    if role == OWNER and by != OWNER:
        raise UsageError("only an owner can make owners", hint="ask an owner of the project")
    if role in entry_roles and member.role != role:
        raise UsageError(entry_roles[role].reason, hint=entry_roles[role].hint)
    if member.role == OWNER and role != OWNER:
        _keep_an_owner(session, project_id)
    join(session, project_id, account_id, role)
    return _account_name(session, account_id)


def remove_member(session: Session, project_id: str, account_id: str, *, by: Role | None) -> str:
    """Remove a member from a project; return the member's name. Their work stays."""
    member = _find_member(session, project_id, account_id, by)
    if member.role == OWNER:
        _keep_an_owner(session, project_id)
    session.delete(member)
    session.flush()
    return _account_name(session, account_id)


def sole_owner_of(session: Session, account_id: str) -> list[str]:
    """The projects whose only owner is this account."""
    owned = select(Membership.project_id).where(Membership.account_id == account_id, Membership.role == OWNER)
    return [each for each in session.scalars(owned) if _owners(session, each) == 1]


def _find_member(session: Session, project_id: str, account_id: str, by: Role | None) -> Membership:
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


def _account_name(session: Session, account_id: str) -> str:
    return session.get_one(Account, account_id).name


class Erasure(NamedTuple):
    """A request to delete an account's data: its author and time, and whether the votes still count."""

    account_id: str
    by: str
    now: int
    keep_work: bool


def erase_account(session: Session, account: Account, erasure: Erasure) -> None:
    """Delete a person. The account's row stays, empty and closed, because work refers to it.

    Raises UsageError if the account is the only owner of a project.
    """
    if names := [session.get_one(Project, each).name for each in sole_owner_of(session, account.id)]:
        raise UsageError(
            f"{account.name} is the only owner of {', '.join(names)}",
            hint="first make another member an owner on the project's page",
        )
    _redact_log(session, account)
    for table in (LoginSession, ApiToken, ExternalIdentity, Membership, Invitation):
        session.execute(delete(table).where(table.account_id == account.id))
    session.execute(update(Invitation).where(Invitation.used_by == account.id).values(note=""))
    session.execute(update(Project).where(Project.owner_id == account.id).values(owner_id=None))
    account.name, account.password, account.is_admin = f"deleted-{new_id()}", "", False
    account.closed_ms = account.closed_ms or erasure.now
    session.flush()


def _redact_log(session: Session, account: Account) -> None:
    """Remove the person's name and addresses from the log. Entries stay."""
    own = update(AuditEntry).where(AuditEntry.account_id == account.id)
    session.execute(own.values(address=""))
    for column in (AuditEntry.subject, AuditEntry.detail):
        session.execute(update(AuditEntry).where(column == account.name).values({column: "deleted"}))


LONGEST = 300  # characters of a detail
A_PAGE = 100


class AuditEvent(NamedTuple):
    """An event for the log. `action` is a dotted name, such as "account.login"."""

    action: str
    account_id: str | None
    address: str
    subject: str = ""
    project_id: str | None = None
    detail: str = ""


class AuditRow(NamedTuple):
    """An entry of the log with the account's name."""

    entry: AuditEntry
    name: str | None


def log_event(session: Session, act: AuditEvent, now: int) -> None:
    """Add an entry, in the transaction of the event."""
    entry = act._replace(subject=escaped_name(act.subject, LONGEST), detail=escaped_name(act.detail, LONGEST))
    session.add(AuditEntry(at_ms=now, **entry._asdict()))


def audit_rows(
    session: Session, *, before: int | None = None, project_id: str | None = None
) -> list[AuditRow]:
    """The newest entries with numbers below `before`, of one project or of all."""
    query = select(AuditEntry, Account.name).outerjoin(Account, Account.id == AuditEntry.account_id)
    if before is not None:
        query = query.where(AuditEntry.number < before)
    if project_id is not None:
        query = query.where(AuditEntry.project_id == project_id)
    rows = session.execute(query.order_by(AuditEntry.number.desc()).limit(A_PAGE))
    return [AuditRow(entry, name) for entry, name in rows]
