"""The first tables: site, accounts, logins, projects, memberships, invitations, tokens, audit log."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "core_0001"
down_revision = None
branch_labels = ("core",)
depends_on = None

TABLES = (
    "site_facts",
    "accounts",
    "login_sessions",
    "projects",
    "memberships",
    "invitations",
    "api_tokens",
    "audit_log",
)


def upgrade() -> None:
    """Make the tables. Names of constraints follow from the convention of `tables.Base`."""
    op.create_table("site_facts", _key("name"), _text("value"))
    _accounts()
    _projects()
    _log()


def downgrade() -> None:
    """Drop the tables, with all they hold."""
    for name in reversed(TABLES):
        op.drop_table(name)


def _accounts() -> None:
    op.create_table(
        "accounts",
        _key("id"),
        _text("name", unique=True),
        _text("password"),
        sa.Column("is_admin", sa.Boolean, nullable=False),
        _number("created_ms"),
        _number("closed_ms", nullable=True),
    )
    op.create_table(
        "login_sessions",
        _key("token_hash"),
        _text("id", unique=True),
        _of("accounts", "account_id", cascade=True, index=True),
        _number("created_ms"),
        _number("seen_ms"),
        _number("expires_ms", index=True),
        _text("address"),
        _text("browser"),
    )
    op.create_table(
        "api_tokens",
        _key("token_hash"),
        _text("id", unique=True),
        _of("accounts", "account_id", cascade=True, index=True),
        _text("name"),
        _text("scopes"),
        _number("created_ms"),
        _number("expires_ms"),
    )


def _projects() -> None:
    op.create_table(
        "projects",
        _key("id"),
        _text("name"),
        _text("state"),
        _of("accounts", "owner_id", nullable=True, index=True),
        _number("created_ms"),
    )
    op.create_table(
        "memberships",
        _of("projects", "project_id", cascade=True, primary_key=True),
        _of("accounts", "account_id", cascade=True, primary_key=True, index=True),
        _text("role"),
    )
    op.create_table(
        "invitations",
        _key("token_hash"),
        _text("id", unique=True),
        _of("projects", "project_id", cascade=True, nullable=True, index=True),
        _text("role", nullable=True),
        _of("accounts", "account_id", cascade=True, nullable=True, index=True),
        sa.Column("makes_admin", sa.Boolean, nullable=False),
        _of("accounts", "made_by", nullable=True),
        _text("note"),
        _number("created_ms"),
        _number("expires_ms"),
        _number("used_ms", nullable=True),
        _of("accounts", "used_by", nullable=True),
    )


def _log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        _number("at_ms"),
        _text("account_id", nullable=True),
        _text("project_id", nullable=True),
        _text("action"),
        _text("subject"),
        _text("address"),
        _text("detail"),
    )
    op.create_index("ix_audit_log_project_id_number", "audit_log", ["project_id", "number"])


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String, primary_key=True)


def _text(name: str, *, nullable: bool = False, unique: bool | None = None) -> sa.Column[str]:
    return sa.Column(name, sa.String, nullable=nullable, unique=unique)


def _number(name: str, *, nullable: bool = False, index: bool | None = None) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable, index=index)


def _of(table: str, name: str, *, cascade: bool = False, **options: Any) -> sa.Column[str]:
    key = sa.ForeignKey(f"{table}.id", ondelete="CASCADE" if cascade else None)
    return sa.Column(name, sa.String, key, **{"nullable": False, **options})
