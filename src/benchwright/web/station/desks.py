"""A judge in one transaction: the project's facts and the judge's progress, read once and locked.

Statements are built once, at import: building them for each step cost more than running them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, insert, select
from sqlalchemy.orm import Session

from benchwright.judges.people.guidance import Guidance
from benchwright.web.station.pacing import Seat
from benchwright.web.station.tables import ITEMS, PROJECTS, RUBRICS, SEATS

ENDLESS = 1 << 30  # judges that a gold item needs: all

_FACTS = (
    select(
        PROJECTS.c.project_id,
        PROJECTS.c.secret,
        PROJECTS.c.repeat_share,
        PROJECTS.c.lease_s,
        PROJECTS.c.gap,
        PROJECTS.c.rubric,
        RUBRICS.c.document,
    )
    .join(RUBRICS, (RUBRICS.c.project_id == PROJECTS.c.project_id) & (RUBRICS.c.digest == PROJECTS.c.rubric))
    .where(PROJECTS.c.project_id == bindparam("project"))
)
_DESK = (
    _FACTS.add_columns(*(SEATS.c[name] for name in Seat._fields))
    .join(SEATS, (SEATS.c.project_id == PROJECTS.c.project_id) & (SEATS.c.judge_id == bindparam("judge")))
    .with_for_update(of=SEATS)
)
_ITEMS = select(ITEMS.c.id, ITEMS.c.item, ITEMS.c.wanted).where(ITEMS.c.project_id == bindparam("project"))


class ListedItem(NamedTuple):
    """An item of a project, with what orders of judges need."""

    number: int
    key: str
    is_gold: bool


class Facts(NamedTuple):
    """The facts of a project that actions need."""

    project_id: str
    secret: str
    repeat_share: float
    lease_s: int
    gap: int
    rubric: str
    document: str

    @property
    def guidance(self) -> Guidance:
        """The current rubric."""
        return read_guidance(self.document)


class Desk(NamedTuple):
    """An action of a judge: the judge, the project, the time and the connection."""

    connection: Connection
    facts: Facts
    judge: str
    now: int
    seat: Seat
    is_new: bool
    is_counted: bool = False  # whether `to_go` is valid after this step

    @property
    def ours(self) -> dict[str, str]:
        """Judge and project as parameters of statements."""
        return {"project": self.facts.project_id, "judge": self.judge}


def facts_of(connection: Connection, project_id: str) -> Facts:
    """Read the facts of a project."""
    return Facts(*connection.execute(_FACTS, {"project": project_id}).one())


def open_desk(session: Session, project_id: str, judge: str, now: int) -> Desk:
    """Begin an action in a writing transaction. On PostgreSQL it waits for another action of the same
    judge; SQLite has a single writer.
    """
    connection = session.connection()
    row = connection.execute(_DESK, {"project": project_id, "judge": judge}).first()
    if row is not None:
        known = len(Facts._fields)
        return Desk(connection, Facts(*row[:known]), judge, now, Seat(*row[known:]), False)
    facts, seat = facts_of(connection, project_id), Seat()
    connection.execute(insert(SEATS), {"project_id": project_id, "judge_id": judge, **seat._asdict()})
    return Desk(connection, facts, judge, now, seat, True)


def all_items(connection: Connection, project_id: str) -> list[ListedItem]:
    """All items of a project."""
    rows = connection.execute(_ITEMS, {"project": project_id})
    return [ListedItem(number, key, wanted >= ENDLESS) for number, key, wanted in rows]


@lru_cache(maxsize=64)
def read_guidance(document: str) -> Guidance:
    """Decode a stored rubric."""
    return msgspec.json.decode(document, type=Guidance)
