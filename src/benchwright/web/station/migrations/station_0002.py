"""What a judge was told is to go, what a gold item stands beside, and how many pairs have equal answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "station_0002", "station_0001", None, None


def upgrade() -> None:
    """Add them. A judge's next page counts anew what is to go, and their gold items stay as they stand."""
    op.add_column("station_seats", sa.Column("to_go", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("station_turns", sa.Column("beside", sa.BigInteger, nullable=True))
    op.add_column(
        "station_projects", sa.Column("equal_pairs", sa.BigInteger, nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Take them away."""
    op.drop_column("station_projects", "equal_pairs")
    op.drop_column("station_turns", "beside")
    op.drop_column("station_seats", "to_go")
