"""Deletion of a person: personal data is deleted, work stays without a name."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from benchwright.errors import UsageError
from benchwright.web.core.members import sole_owner_of
from benchwright.web.core.opaque import new_id
from benchwright.web.core.tables import (
    Account,
    ApiToken,
    AuditEntry,
    Invitation,
    LoginSession,
    Membership,
    Project,
)


class Erasure(NamedTuple):
    """Whose data to delete, who requested it, when, and whether their votes still count."""

    account_id: str
    by: str
    now: int
    keep_work: bool


def erase(session: Session, account: Account, erasure: Erasure) -> None:
    """Delete a person. The account's row stays, empty and closed, because work refers to it.

    Raises UsageError if the account is the only owner of a project.
    """
    if names := [session.get_one(Project, each).name for each in sole_owner_of(session, account.id)]:
        raise UsageError(
            f"{account.name} is the only owner of {', '.join(names)}",
            hint="first make another member an owner on the project's page",
        )
    _redact_log(session, account)
    for table in (LoginSession, ApiToken, Membership, Invitation):
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
