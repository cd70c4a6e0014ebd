"""Columns: items left as shown to a judge, the ordinary item of a gold one, number of equal pairs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "station_0002", "station_0001", None, None


def upgrade() -> None:
    """Add the columns. A judge's next page counts the items left again; gold items keep their places."""
    op.add_column("station_seats", sa.Column("to_go", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("station_turns", sa.Column("beside", sa.BigInteger, nullable=True))
    op.add_column(
        "station_projects", sa.Column("equal_pairs", sa.BigInteger, nullable=False, server_default="0")
    )


def downgrade() -> None:
    """Remove the columns."""
    op.drop_column("station_projects", "equal_pairs")
    op.drop_column("station_turns", "beside")
    op.drop_column("station_seats", "to_go")
