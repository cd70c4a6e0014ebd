"""Accounts at OpenID providers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "core_0003", "core_0002", None, None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "external_identities",
        sa.Column("issuer", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("account_id", sa.String, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_external_identities"),
        sa.ForeignKeyConstraint(
            ["account_id"],
            ["accounts.id"],
            name="fk_external_identities_account_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_external_identities_account_id", "external_identities", ["account_id"])


def downgrade() -> None:
    """Drop the table. Its people need a new password."""
    op.drop_table("external_identities")
