"""Data of a judge's page, read in the transaction that reserves the item."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.orm import Session

from benchwright.judges.people.guidance import Guidance
from benchwright.judges.people.records import ItemAnswer, JudgedItem
from benchwright.web.station.assigning import Held, take
from benchwright.web.station.blinding import new_page, shown_order, turn_of
from benchwright.web.station.counting import count_anew, items_left
from benchwright.web.station.desks import Desk, facts_of
from benchwright.web.station.pacing import Seat
from benchwright.web.station.showing import texts_of
from benchwright.web.station.tables import ITEM_ANSWERS, ITEMS, TEXTS, TURNS

_ABOUT, _SAID = TEXTS.alias("about"), TEXTS.alias("said")
_SHOWN = (
    select(ITEMS.c.item, ITEMS.c.kind, ITEMS.c.fields, _ABOUT.c.body, _SAID.c.body)
    .join(_ABOUT, _ABOUT.c.digest == ITEMS.c.subject)
    .outerjoin(ITEM_ANSWERS, ITEM_ANSWERS.c.item_id == ITEMS.c.id)
    .outerjoin(_SAID, _SAID.c.digest == ITEM_ANSWERS.c.text)
    .where(ITEMS.c.id == bindparam("number"))
    .order_by(ITEM_ANSWERS.c.place)
)


class Scene(NamedTuple):
    """The judge's current item, or none, and the progress. `left` includes the current item; `page` is the
    token of the page's forms.
    """

    page: str
    guidance: Guidance
    held: Held | None
    item: JudgedItem | None
    shown: str
    left: int
    decisions_left: int  # including expected repeats
    seat: Seat
    is_tired: bool


def scene_of(desk: Desk, *, is_free: bool = False) -> Scene:
    """Assign the next item to a judge and read its page; `is_free` as for `take`."""
    held = take(desk, is_free=is_free)
    item, shown = None, ""
    if held is not None:
        desk = desk if desk.is_counted else count_anew(desk)
        item = shown_item(desk.connection, held.item)
        shown = _order(desk.facts.secret, desk.judge, item, held.round)
    return Scene(
        page=held.page if held is not None else new_page(desk.facts.secret, 0),
        guidance=desk.facts.guidance,
        held=held,
        item=item,
        shown=shown,
        left=0 if held is None else items_left(desk.seat.to_go, desk.facts.repeat_share),
        decisions_left=0 if held is None else max(1, desk.seat.to_go),
        seat=desk.seat,
        is_tired=desk.seat.is_tired(desk.now),
    )


def shown_item(connection: Connection, number: int) -> JudgedItem:
    """An item without its origin."""
    rows = connection.execute(_SHOWN, {"number": number}).all()
    item, kind, fields, about, _ = rows[0]
    answers = [ItemAnswer(run="", key="", sample=0, text=text) for *_, text in rows if text is not None]
    return JudgedItem(
        item=item,
        kind=kind,
        task_id="",
        track="",
        answers=answers,
        fields=msgspec.json.decode(fields),
        **msgspec.json.decode(about),
    )


def whole_text(session: Session, project_id: str, judge: str, page: str, place: int) -> str | None:
    """A full text of the item on this judge's page; None if that page has no such text."""
    connection = session.connection()
    facts = facts_of(connection, project_id)
    number = turn_of(facts.secret, page)
    query = select(TURNS.c.judge_id, TURNS.c.project_id, TURNS.c.item_id, TURNS.c.round).where(
        TURNS.c.id == number
    )
    turn = connection.execute(query).first()
    if turn is None or turn.judge_id != judge or turn.project_id != project_id:
        return None
    item = shown_item(connection, turn.item_id)
    texts = texts_of(item, _order(facts.secret, judge, item, turn.round))
    return texts[place][1] if 0 <= place < len(texts) else None


def _order(secret: str, judge: str, item: JudgedItem, round: str) -> str:
    return shown_order(secret, judge, item.item, round) if item.kind == "pair" else ""
