"""Undo a judge's last action: nothing is deleted, new rows withdraw the old ones."""

from __future__ import annotations

import msgspec
from sqlalchemy import func, insert, select, update

from benchwright.judges.people.records import ANNOTATION
from benchwright.judges.people.votes import turned
from benchwright.web.station.annotating import as_typed
from benchwright.web.station.assigning import claim, lay_aside
from benchwright.web.station.blinding import turn_of
from benchwright.web.station.counting import count_anew
from benchwright.web.station.deciding import (
    Ended,
    Entered,
    Step,
    Turn,
    as_draft,
    is_replay,
    note,
    supersede,
    vote_place,
)
from benchwright.web.station.desks import Desk
from benchwright.web.station.tables import ACTIONS, ITEMS, REPORTS, TURNS, VOTES


def undo(desk: Desk, page: str) -> Step:
    """Undo the judge's last action and show its item again with the earlier input."""
    if is_replay(desk, page):
        return Step(Ended("replayed"), desk)
    if turn_of(desk.facts.secret, page) is None:
        return Step(Ended("unknown"), desk)
    last = (
        select(ACTIONS.c.id, ACTIONS.c.turn_id, ACTIONS.c.kind, ACTIONS.c.key)
        .where(
            ACTIONS.c.project_id == desk.facts.project_id,
            ACTIONS.c.judge_id == desk.judge,
            ACTIONS.c.kind != "undo",
            ~ACTIONS.c.undone,
        )
        .order_by(ACTIONS.c.id.desc())
        .limit(1)
    )
    action = desk.connection.execute(last).first()
    if action is None:
        return Step(Ended("nothing"), desk)
    turn = desk.connection.execute(select(TURNS).where(TURNS.c.id == action.turn_id)).one()
    desk.connection.execute(update(ACTIONS).where(ACTIONS.c.id == action.id).values(undone=True))
    note(desk, turn.id, "undo", page)
    if not _reopen(desk, turn, action):
        return Step(Ended("taken"), desk)
    if action.kind == "vote":
        desk = count_anew(desk, desk.seat._replace(decided=desk.seat.decided - 1))
    return Step(Ended("kept"), desk)


def _reopen(desk: Desk, turn: Turn, action: Turn) -> bool:
    """Assign the item to the judge again; False if other judges have taken its place."""
    if action.kind == "report":
        _take_back_report(desk, turn.item_id, action.key)
    if action.kind != "vote" and not claim(desk.connection, turn.item_id, turn.round):
        return False
    lay_aside(desk)
    was_voted = action.kind == "vote"
    draft = _withdraw(desk, turn, action.id) if was_voted else ""
    desk.connection.execute(
        update(TURNS)
        .where(TURNS.c.id == turn.id)
        .values(
            state="held",
            counted=turn.round == "first",
            again=turn.again or was_voted,
            begun_at=desk.now,
            until=desk.now + desk.facts.lease_s * 1_000,
            draft=draft,
            page="",
        )
    )
    return True


def _withdraw(desk: Desk, turn: Turn, action: int) -> str:
    """Withdraw the votes of an action by new rows; return their values as a draft."""
    votes = supersede(desk, turn)
    rows = [
        {
            **vote_place(turn),
            "field": vote.field,
            "value": vote.value,
            "comment": "",
            "shown": vote.shown,
            "started_at": vote.started_at,
            "submitted_at": desk.now,
            "rubric": vote.rubric,
            "interface": vote.interface,
            "submission": f"{action} undone",
            "superseded": False,
            "withdrawn": True,
            "supersedes": vote.id,
        }
        for vote in votes
    ]
    desk.connection.execute(insert(VOTES), rows)
    _drop_repeat(desk, turn)
    comment = next((vote.comment for vote in votes if vote.comment), "")
    return as_draft(Entered({vote.field: _as_typed(vote) for vote in votes}, comment))


def _drop_repeat(desk: Desk, turn: Turn) -> None:
    """Delete the scheduled repeat of an undone decision, unless the judge has seen it."""
    if turn.round == "first":
        desk.connection.execute(
            TURNS.delete().where(
                TURNS.c.judge_id == turn.judge_id,
                TURNS.c.item_id == turn.item_id,
                TURNS.c.round == "repeat",
                TURNS.c.state == "waiting",
            )
        )


def _as_typed(vote: Turn) -> str:
    value = str(msgspec.json.decode(vote.value))
    return as_typed(value) if vote.field == ANNOTATION else str(turned(value, vote.shown))


def _take_back_report(desk: Desk, item: int, action: str) -> None:
    run = desk.connection.execute
    run(update(REPORTS).where(REPORTS.c.action == action, REPORTS.c.state == "open").values(state="undone"))
    open_ones = select(func.count()).where(REPORTS.c.item_id == item, REPORTS.c.state == "open")
    if not desk.connection.scalar(open_ones):
        run(update(ITEMS).where(ITEMS.c.id == item, ITEMS.c.state == "withdrawn").values(state="open"))
