"""Tables of submissions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels = "submissions_0001", None, ("submissions",)
depends_on = "core_0002"


def _key(table: str, column: str, target: str, *, cascade: bool = True) -> sa.ForeignKeyConstraint:
    ends = "CASCADE" if cascade else None
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}", ondelete=ends)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "submission_spaces",
        sa.Column("project_id", sa.String, nullable=False),
        sa.Column("pushes_a_day", sa.BigInteger, nullable=False),
        sa.Column("keep_days", sa.BigInteger, nullable=False),
        sa.Column("webhook", sa.Text, nullable=False, server_default=""),
        _key("submission_spaces", "project_id", "projects.id"),
        sa.PrimaryKeyConstraint("project_id", name="pk_submission_spaces"),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("project_id", sa.String, nullable=False),
        sa.Column("account_id", sa.String, nullable=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(40), nullable=False, server_default=""),
        sa.Column("detail", sa.Text, nullable=False, server_default=""),
        sa.Column("claim", sa.JSON, nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("judged_ms", sa.BigInteger, nullable=True),
        sa.Column("dropped_ms", sa.BigInteger, nullable=True),
        sa.Column("lease", sa.String(43), nullable=False, server_default=""),
        sa.Column("lease_until_ms", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("attempts", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("told_ms", sa.BigInteger, nullable=True),
        _key("submissions", "project_id", "projects.id"),
        _key("submissions", "account_id", "accounts.id", cascade=False),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        sa.UniqueConstraint("project_id", "sha256", name="uq_submissions_project_id_sha256"),
    )
    op.create_index("ix_submissions_account_id", "submissions", ["account_id"])
    op.create_index("ix_submissions_queue", "submissions", ["state", "lease_until_ms"])
    op.create_index("ix_submissions_quota", "submissions", ["project_id", "account_id", "created_ms"])
    op.create_table(
        "submission_rows",
        sa.Column("submission_id", sa.String(32), nullable=False),
        sa.Column("place", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("task_id", sa.Text, nullable=False),
        sa.Column("sample", sa.BigInteger, nullable=False),
        sa.Column("claimed", sa.String(40), nullable=False),
        sa.Column("judged", sa.String(40), nullable=False),
        _key("submission_rows", "submission_id", "submissions.id"),
        sa.PrimaryKeyConstraint("submission_id", "place", name="pk_submission_rows"),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("submission_rows", "submissions", "submission_spaces"):
        op.drop_table(table)
