"""Tie each gold item of older orders to an ordinary item."""

from __future__ import annotations

from alembic import op

revision, down_revision, branch_labels, depends_on = "station_0003", "station_0002", None, None

# The ordinary item before a gold one in the judge's order, else the first of all, else none.
_NEAREST = """
    SELECT other.item_id FROM station_turns AS other JOIN station_items AS item ON item.id = other.item_id
    WHERE other.project_id = station_turns.project_id AND other.judge_id = station_turns.judge_id
    AND other.round = 'first' AND item.wanted < 1073741824
"""
_FILL = f"""
    UPDATE station_turns SET beside = coalesce(
        ({_NEAREST} AND other.position < station_turns.position ORDER BY other.position DESC LIMIT 1),
        ({_NEAREST} ORDER BY other.position LIMIT 1),
        0
    )
    WHERE beside IS NULL AND round = 'first'
    AND item_id IN (SELECT id FROM station_items WHERE wanted = 1073741824)
"""


def upgrade() -> None:
    """Fill in the ordinary item of each gold item."""
    op.execute(_FILL)


def downgrade() -> None:
    """Do nothing: the earlier version ignores these values."""
