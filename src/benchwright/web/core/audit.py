"""The audit log: who did what, to which subject, from which address."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.web.core.tables import Account, AuditEntry

LONGEST = 300  # characters of a detail
A_PAGE = 100


class Act(NamedTuple):
    """An event for the log. `action` is a dotted name, such as "account.login"."""

    action: str
    account_id: str | None
    address: str
    subject: str = ""
    project_id: str | None = None
    detail: str = ""


class ShownAct(NamedTuple):
    """An entry of the log with the account's name."""

    entry: AuditEntry
    name: str | None


def note(session: Session, act: Act, now: int) -> None:
    """Add an entry, in the transaction of the event."""
    entry = act._replace(subject=escaped_name(act.subject, LONGEST), detail=escaped_name(act.detail, LONGEST))
    session.add(AuditEntry(at_ms=now, **entry._asdict()))


def acts(session: Session, *, before: int | None = None, project_id: str | None = None) -> list[ShownAct]:
    """The newest entries with numbers below `before`, of one project or of all."""
    query = select(AuditEntry, Account.name).outerjoin(Account, Account.id == AuditEntry.account_id)
    if before is not None:
        query = query.where(AuditEntry.number < before)
    if project_id is not None:
        query = query.where(AuditEntry.project_id == project_id)
    rows = session.execute(query.order_by(AuditEntry.number.desc()).limit(A_PAGE))
    return [ShownAct(entry, name) for entry, name in rows]
