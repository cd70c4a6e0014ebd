"""Judges whose votes an owner has excluded from results. The votes stay and can be included again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.orm import Session

from benchwright.web.core.erasure import Erasure
from benchwright.web.station.tables import LEFT_OUT, VOTES, StationLeftOut, StationReport, StationVote

COUNTS: tuple[ColumnElement[bool], ...] = (  # current votes of judges who are not excluded
    ~VOTES.c.superseded,
    ~VOTES.c.withdrawn,
    ~select(LEFT_OUT.c.judge_id)
    .where(LEFT_OUT.c.project_id == VOTES.c.project_id, LEFT_OUT.c.judge_id == VOTES.c.judge_id)
    .correlate(VOTES)
    .exists(),
)


def leave_out(session: Session, project_id: str, judge_id: str, by: str, now: int) -> bool:
    """Exclude a judge's votes from results. Returns whether they were included."""
    if session.get(StationLeftOut, (project_id, judge_id)) is not None:
        return False
    session.add(StationLeftOut(project_id=project_id, judge_id=judge_id, by=by, at=now))
    session.flush()
    return True


def take_in(session: Session, project_id: str, judge_id: str) -> bool:
    """Include a judge's votes again. Returns whether they were excluded."""
    found = session.get(StationLeftOut, (project_id, judge_id))
    if found is None:
        return False
    session.delete(found)
    session.flush()
    return True


def left_out_of(session: Session, project_id: str) -> frozenset[str]:
    """The judges whose votes are excluded."""
    return frozenset(session.scalars(_judges(project_id)))


def _judges(project_id: str) -> Select[Any]:
    return select(StationLeftOut.judge_id).where(StationLeftOut.project_id == project_id)


def erase_votes(session: Session, erasure: Erasure) -> None:
    """If a deleted person's votes are not to count: exclude them and delete the texts."""
    if erasure.keep_work:
        return
    judge = erasure.account_id
    for project in list(
        session.scalars(select(StationVote.project_id).where(StationVote.judge_id == judge).distinct())
    ):
        leave_out(session, project, judge, erasure.by, erasure.now)
    session.execute(update(StationVote).where(StationVote.judge_id == judge).values(comment=""))
    session.execute(update(StationReport).where(StationReport.judge_id == judge).values(reason=""))
