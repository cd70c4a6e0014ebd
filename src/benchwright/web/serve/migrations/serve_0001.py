"""The index of runs, and computed leaderboards."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "serve_0001"
down_revision = None
branch_labels = ("serve",)
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "runs",
        sa.Column("key", sa.String, nullable=False),
        sa.Column("path", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("track", sa.String, nullable=False),
        sa.Column("data", sa.String, nullable=False),
        sa.Column("profile", sa.String, nullable=False),
        sa.Column("form", sa.String, nullable=False),
        sa.Column("judging", sa.BigInteger, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("stamp", sa.String, nullable=False),
        sa.Column("facts", sa.LargeBinary, nullable=False),
        sa.Column("contestant", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_runs"),
    )
    op.create_index("ix_runs_data", "runs", ["data"])
    op.create_table(
        "board_figures",
        sa.Column("key", sa.String, nullable=False),
        sa.Column("made_ms", sa.BigInteger, nullable=False),
        sa.Column("page", sa.LargeBinary, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_board_figures"),
    )


def downgrade() -> None:
    """Drop the tables; run folders hold all that was in them."""
    op.drop_table("board_figures")
    op.drop_table("runs")
