"""Tables of submissions: settings of spaces, pushed runs with their state, and rows on which judging differs.

A submission is claimed until it is judged, then verified or refused, and never changes after that. Times are
milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from benchwright.web.core.tables import Base

CLAIMED, VERIFIED, REFUSED = "claimed", "verified", "refused"
STATES = (CLAIMED, VERIFIED, REFUSED)
ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite autoincrements only INTEGER


class SpaceSettings(Base):
    """Settings of a space, chosen by its owners."""

    __tablename__ = "submission_spaces"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    pushes_a_day: Mapped[int]  # of one account
    keep_days: Mapped[int]  # of uploads after judging; 0: for ever
    webhook: Mapped[str] = mapped_column(Text, default="", server_default="")


class Submission(Base):
    """A pushed run. `claim` and `result` are documents; `result` is empty before it is judged."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("project_id", "sha256"),
        Index("ix_submissions_queue", "state", "lease_until_ms"),
        Index("ix_submissions_quota", "project_id", "account_id", "created_ms"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    account_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    kind: Mapped[str] = mapped_column(String(16))
    model: Mapped[str] = mapped_column(Text)
    data: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(String(40), default="", server_default="")
    detail: Mapped[str] = mapped_column(Text, default="", server_default="")
    claim: Mapped[dict[str, Any]] = mapped_column(JSON)
    result: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_ms: Mapped[int]
    judged_ms: Mapped[int | None]
    dropped_ms: Mapped[int | None]  # when its files were deleted
    lease: Mapped[str] = mapped_column(String(43), default="", server_default="")  # of a judging process
    lease_until_ms: Mapped[int] = mapped_column(default=0, server_default="0")
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    told_ms: Mapped[int | None]  # when the webhook was called


class DifferingRow(Base):
    """An answer whose verdict differs from the claimed one."""

    __tablename__ = "submission_rows"

    submission_id: Mapped[str] = mapped_column(
        ForeignKey("submissions.id", ondelete="CASCADE"), primary_key=True
    )
    place: Mapped[int] = mapped_column(ID, primary_key=True, autoincrement=False)
    task_id: Mapped[str] = mapped_column(Text)
    sample: Mapped[int]
    claimed: Mapped[str] = mapped_column(String(40))
    judged: Mapped[str] = mapped_column(String(40))
