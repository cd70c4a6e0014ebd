"""Tokens for programs that are limited to one project."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "core_0002", "core_0001", None, None


def upgrade() -> None:
    """Add the column; existing tokens keep all projects of their account."""
    with op.batch_alter_table("api_tokens") as table:
        table.add_column(
            sa.Column(
                "project_id",
                sa.String,
                sa.ForeignKey("projects.id", name="fk_api_tokens_project_id", ondelete="CASCADE"),
                nullable=True,
            )
        )
        table.create_index("ix_api_tokens_project_id", ["project_id"])


def downgrade() -> None:
    """Remove the column, and tokens that are limited to a project: they would open all."""
    op.execute("DELETE FROM api_tokens WHERE project_id IS NOT NULL")
    with op.batch_alter_table("api_tokens") as table:
        table.drop_index("ix_api_tokens_project_id")
        table.drop_constraint("fk_api_tokens_project_id", type_="foreignkey")
        table.drop_column("project_id")
