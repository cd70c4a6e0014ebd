"""A judge at work in one transaction: the project's facts and the judge's seat, read once and locked.

Statements are made once, when the module is loaded: making them anew for each step cost more than running
them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.orm import Session

from benchwright.web.station.guidance import Guidance
from benchwright.web.station.pacing import Seat
from benchwright.web.station.tables import StationItem, StationProject, StationRubric, StationSeat, table_of

_P, _R, _S = table_of(StationProject), table_of(StationRubric), table_of(StationSeat)
_FACTS = (
    select(
        _P.c.project_id, _P.c.secret, _P.c.repeat_share, _P.c.lease_s, _P.c.gap, _P.c.rubric, _R.c.document
    )
    .join(_R, (_R.c.project_id == _P.c.project_id) & (_R.c.digest == _P.c.rubric))
    .where(_P.c.project_id == bindparam("project"))
)
_OURS = (_S.c.project_id == bindparam("project"), _S.c.judge_id == bindparam("judge"))
_SEAT = (
    select(_S.c.decided, _S.c.paced, _S.c.worked, _S.c.sat_at, _S.c.last_at).where(*_OURS).with_for_update()
)
_KEEP_SEAT = update(_S).where(*_OURS).values({name: bindparam(f"new_{name}") for name in Seat._fields})
_ITEMS = select(table_of(StationItem).c.id, table_of(StationItem).c.item).where(
    table_of(StationItem).c.project_id == bindparam("project")
)


class Facts(NamedTuple):
    """What a step has to know of its project."""

    project_id: str
    secret: str
    repeat_share: float
    lease_s: int
    gap: int
    rubric: str
    document: str

    @property
    def guidance(self) -> Guidance:
        """The rubric in force."""
        return read_guidance(self.document)


class Desk(NamedTuple):
    """One step of a judge: who, in which project, when, and by which connection."""

    connection: Connection
    facts: Facts
    judge: str
    now: int
    seat: Seat
    is_new: bool

    @property
    def ours(self) -> dict[str, str]:
        """The judge and the project, as statements name them."""
        return {"project": self.facts.project_id, "judge": self.judge}


def facts_of(connection: Connection, project_id: str) -> Facts:
    """What steps have to know of a project."""
    return Facts(*connection.execute(_FACTS, {"project": project_id}).one())


def open_desk(session: Session, project_id: str, judge: str, now: int) -> Desk:
    """Begin a step in a writing transaction. On PostgreSQL another step of the judge waits until this one has
    ended; SQLite has one writer anyway."""
    connection = session.connection()
    facts = facts_of(connection, project_id)
    row = connection.execute(_SEAT, {"project": project_id, "judge": judge}).first()
    if row is not None:
        return Desk(connection, facts, judge, now, Seat(*row), False)
    seat = Seat()
    connection.execute(insert(_S), {"project_id": project_id, "judge_id": judge, **seat._asdict()})
    return Desk(connection, facts, judge, now, seat, True)


def keep_seat(desk: Desk, seat: Seat) -> Desk:
    """Store what has changed of a judge's seat."""
    new = {f"new_{name}": value for name, value in seat._asdict().items()}
    desk.connection.execute(_KEEP_SEAT, {**desk.ours, **new})
    return desk._replace(seat=seat)


def all_items(connection: Connection, project_id: str) -> list[tuple[int, str]]:
    """The number and the key of each item of a project."""
    return [(number, key) for number, key in connection.execute(_ITEMS, {"project": project_id})]


@lru_cache(maxsize=64)
def read_guidance(document: str) -> Guidance:
    """A rubric as it is stored."""
    return msgspec.json.decode(document, type=Guidance)
