"""The tables that every page needs: who there is, who is logged in, who may do what, who did what.

Times are milliseconds since 1970 in UTC, because SQLite forgets time zones. Secrets are stored as hashes.
"""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, MetaData, Table
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# Constraints have names, so that a later migration can find them on both databases.
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Of all tables, those of other parts too."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {int: BigInteger, dict[str, Any]: JSON}


def table_of(kind: type[Base]) -> Table:
    """The table of a class, for statements that bring rows and no objects."""
    return cast(Table, kind.__table__)


class SiteFact(Base):
    """One thing that holds for the whole site, such as its secret."""

    __tablename__ = "site_facts"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Account(Base):
    """A person who can log in; `name` is folded, so that two names never differ by case alone."""

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    password: Mapped[str]  # argon2id, with its parameters
    is_admin: Mapped[bool] = mapped_column(default=False)
    created_ms: Mapped[int]
    closed_ms: Mapped[int | None]  # may not log in since then

    @property
    def is_deleted(self) -> bool:
        """Whether the person was deleted: no password's hash is empty."""
        return not self.password


class LoginSession(Base):
    """One login of one browser."""

    __tablename__ = "login_sessions"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)  # names it on the account's page; opens nothing
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    created_ms: Mapped[int]
    seen_ms: Mapped[int]
    expires_ms: Mapped[int] = mapped_column(index=True)
    address: Mapped[str]
    browser: Mapped[str]


class Project(Base):
    """What roles hang on. What it is about is another part's business."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    state: Mapped[str]  # of ProjectRules.states
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    created_ms: Mapped[int]


class Membership(Base):
    """One role of one account in one project."""

    __tablename__ = "memberships"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[str] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str]  # of ProjectRules.roles


class Invitation(Base):
    """A link that makes an account or gives one a role, or that sets the password of the account it is for.

    It works once, until it expires.
    """

    __tablename__ = "invitations"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    project_id: Mapped[str | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    role: Mapped[str | None]
    account_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    makes_admin: Mapped[bool] = mapped_column(default=False)
    made_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))  # None: by a command
    note: Mapped[str]
    created_ms: Mapped[int]
    expires_ms: Mapped[int]
    used_ms: Mapped[int | None]
    used_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))


class ApiToken(Base):
    """A secret for programs, which may do less than the account it belongs to."""

    __tablename__ = "api_tokens"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    scopes: Mapped[str]  # of policy.SCOPES, with a space between
    created_ms: Mapped[int]
    expires_ms: Mapped[int]


class AuditEntry(Base):
    """Who did what to what. Rows are only ever added."""

    __tablename__ = "audit_log"
    __table_args__ = (Index("ix_audit_log_project_id_number", "project_id", "number"),)

    number: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at_ms: Mapped[int]
    account_id: Mapped[str | None]  # no foreign key: the log outlives what it tells of
    project_id: Mapped[str | None]
    action: Mapped[str]
    subject: Mapped[str]
    address: Mapped[str]
    detail: Mapped[str]
