"""The first tables of judging stations: projects, items, turns, actions, votes, reports, seats."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "station_0001"
down_revision = None
branch_labels = ("station",)
depends_on = "core_0001"

TABLES = (
    "station_projects",
    "station_runs",
    "station_rubrics",
    "station_texts",
    "station_items",
    "station_item_answers",
    "station_turns",
    "station_actions",
    "station_votes",
    "station_reports",
    "station_seats",
)
_HELD = sa.text("state = 'held'")
_IN_FORCE = sa.text("NOT superseded")
_DECIDED = sa.text("NOT superseded AND round = 'adjudication'")


def upgrade() -> None:
    """Make the tables. Names of constraints follow from the convention of `tables.Base`."""
    _projects()
    _items()
    _turns()
    _votes()


def downgrade() -> None:
    """Drop the tables, with all they hold."""
    for name in reversed(TABLES):
        op.drop_table(name)


def _projects() -> None:
    op.create_table(
        "station_projects",
        _of("projects", "project_id", cascade=True, primary_key=True),
        _text("fingerprint", 32, unique=True),
        _text("kind", 16),
        _text("track", 200),
        _number("judgements"),
        sa.Column("repeat_share", sa.Float, nullable=False),
        sa.Column("threshold", sa.Float, nullable=False),
        _number("lease_s"),
        _number("gap"),
        _text("secret", 64),
        _text("rubric", 32),
        _number("made_at"),
    )
    op.create_table(
        "station_runs",
        _id(),
        _of("projects", "project_id", cascade=True, index=True),
        _number("place"),
        _text("digest", 64),
        _text("path"),
        sa.UniqueConstraint("project_id", "digest"),
    )
    op.create_table(
        "station_rubrics",
        _of("projects", "project_id", cascade=True, primary_key=True),
        _text("digest", 32, primary_key=True),
        _number("number"),
        _text("document"),
        _number("made_at"),
    )
    op.create_table("station_texts", _text("digest", 32, primary_key=True), _text("body"))


def _items() -> None:
    op.create_table(
        "station_items",
        _id(),
        _of("projects", "project_id", cascade=True),
        _number("place"),
        _text("item", 32),
        _text("kind", 16),
        _text("task_id"),
        _text("track", 200),
        _of("station_texts", "subject", key="digest"),
        _text("fields"),
        _text("expected"),
        _text("state", 16),
        _number("wanted"),
        _number("taken"),
        sa.UniqueConstraint("project_id", "item"),
    )
    op.create_index("ix_station_items_place", "station_items", ["project_id", "place"])
    op.create_table(
        "station_item_answers",
        _of("station_items", "item_id", cascade=True, number=True, primary_key=True),
        _number("place", primary_key=True),
        _text("run", 64),
        _text("key"),
        _number("sample"),
        _of("station_texts", "text", key="digest"),
    )


def _turns() -> None:
    op.create_table(
        "station_turns",
        _id(),
        _of("projects", "project_id", cascade=True),
        _of("accounts", "judge_id", cascade=True),
        _of("station_items", "item_id", cascade=True, number=True, index=True),
        _text("round", 16),
        _number("position"),
        _number("not_before"),
        _text("state", 16),
        _flag("counted"),
        _flag("again"),
        _text("page", 43, server_default=""),
        _text("draft", server_default=""),
        _number("begun_at", server_default="0"),
        _number("until", server_default="0"),
        sa.UniqueConstraint("judge_id", "item_id", "round"),
    )
    op.create_index("ix_station_turns_next", "station_turns", ["project_id", "judge_id", "state", "position"])
    _partial("uq_station_turns_held", "station_turns", ["project_id", "judge_id"], _HELD, unique=True)
    _partial("ix_station_turns_ending", "station_turns", ["project_id", "until"], _HELD)
    op.create_table(
        "station_actions",
        _id(),
        _of("projects", "project_id", cascade=True),
        _of("accounts", "judge_id", cascade=True),
        _of("station_turns", "turn_id", cascade=True, number=True),
        _text("kind", 16),
        _text("key", 43, unique=True),
        _number("at"),
        _flag("undone"),
    )
    op.create_index("ix_station_actions_last", "station_actions", ["project_id", "judge_id", "id"])


def _votes() -> None:
    op.create_table(
        "station_votes",
        _id(),
        _of("projects", "project_id", cascade=True, index=True),
        _of("accounts", "judge_id"),
        _of("station_items", "item_id", number=True, index=True),
        _text("round", 16),
        _text("field", 40),
        _text("value"),
        _text("comment"),
        _text("shown", 2),
        _number("started_at"),
        _number("submitted_at"),
        _text("rubric", 32),
        _text("interface", 40),
        _text("submission", 43),
        _flag("superseded"),
        _flag("withdrawn"),
        _of("station_votes", "supersedes", number=True, nullable=True),
        sa.UniqueConstraint("submission", "field"),
    )
    _partial(
        "uq_station_votes_in_force",
        "station_votes",
        ["judge_id", "item_id", "round", "field"],
        _IN_FORCE,
        unique=True,
    )
    _partial("uq_station_votes_decided", "station_votes", ["item_id", "field"], _DECIDED, unique=True)
    op.create_table(
        "station_reports",
        _id(),
        _of("projects", "project_id", cascade=True, index=True),
        _of("station_items", "item_id", cascade=True, number=True),
        _of("accounts", "judge_id"),
        _text("reason"),
        _text("action", 43, unique=True),
        _number("at"),
        _text("state", 16),
    )
    op.create_table(
        "station_seats",
        _of("projects", "project_id", cascade=True, primary_key=True),
        _of("accounts", "judge_id", cascade=True, primary_key=True),
        *(_number(name) for name in ("decided", "paced", "worked", "sat_at", "last_at")),
    )


def _partial(name: str, table: str, columns: list[str], where: Any, *, unique: bool = False) -> None:
    op.create_index(name, table, columns, unique=unique, sqlite_where=where, postgresql_where=where)


def _id() -> sa.Column[int]:
    kind = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return sa.Column("id", kind, primary_key=True, autoincrement=True)


def _text(name: str, length: int | None = None, **options: Any) -> sa.Column[str]:
    kind = sa.Text() if length is None else sa.String(length)
    return sa.Column(name, kind, **{"nullable": False, **options})


def _number(name: str, **options: Any) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, **{"nullable": False, **options})


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def _of(
    table: str, name: str, *, key: str = "id", cascade: bool = False, number: bool = False, **options: Any
) -> sa.Column[Any]:
    reference = sa.ForeignKey(f"{table}.{key}", ondelete="CASCADE" if cascade else None)
    kind: Any = sa.BigInteger() if number else sa.String()
    return sa.Column(name, kind, reference, **{"nullable": False, **options})
