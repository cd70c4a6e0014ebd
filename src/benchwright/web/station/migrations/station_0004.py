"""Judges whose votes are left out of results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "station_0004", "station_0003", None, None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "station_left_out",
        sa.Column(
            "project_id",
            sa.String,
            sa.ForeignKey("projects.id", name="fk_station_left_out_project_id_projects", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "judge_id",
            sa.String,
            sa.ForeignKey("accounts.id", name="fk_station_left_out_judge_id_accounts"),
            nullable=False,
        ),
        sa.Column("by", sa.String, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("project_id", "judge_id", name="pk_station_left_out"),
    )


def downgrade() -> None:
    """Take it away: all votes count again."""
    op.drop_table("station_left_out")
