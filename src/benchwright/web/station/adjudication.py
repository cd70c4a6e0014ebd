"""Adjudication: an adjudicator decides items on which judges disagree or were undecided.

Votes are shown without names and are never changed. A decision is another row, of the round
"adjudication"; a later decision supersedes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, func, insert, or_, select, update
from sqlalchemy.orm import Session

from benchwright.judges.people.records import GRADES, LABELLED, MAX_COMMENT, JudgedItem
from benchwright.judges.people.results import UNSURE
from benchwright.web.station.blinding import new_page, order_key, turn_of
from benchwright.web.station.item_view import shown_item
from benchwright.web.station.judge_session import ProjectFacts, project_facts
from benchwright.web.station.tables import ITEMS, VOTES, StationProject
from benchwright.web.station.vote_actions import INTERFACE, ActionResult, FormInput, read_value
from benchwright.web.station.vote_records import COUNTS

_ITEMS_FROM = 1 << 62  # offset that separates tokens of items from tokens of turns
_UNSURE = msgspec.json.encode(UNSURE).decode()


class JudgeOpinion(NamedTuple):
    """The vote of one judge, without the name."""

    values: Mapping[str, int | str]
    comment: str


class DisputedItem(NamedTuple):
    """An item to adjudicate: its page token, the votes, its open fields, the number of items left."""

    token: str
    item: JudgedItem
    opinions: Sequence[JudgeOpinion]
    open_fields: Sequence[str]
    left: int


def agreement(values: Sequence[int | str], field: str) -> float:
    """The share of agreeing pairs of votes; for grades, 1 minus the mean distance as a share of the scale."""
    pairs = [(one, other) for at, one in enumerate(values) for other in values[at + 1 :]]
    if not pairs:
        return 1.0
    if field in LABELLED:
        return sum(one == other for one, other in pairs) / len(pairs)
    width = GRADES[-1] - GRADES[0]
    return 1 - sum(abs(int(one) - int(other)) for one, other in pairs) / len(pairs) / width


def disputed_fields(connection: Connection, project_id: str, threshold: float) -> dict[int, list[str]]:
    """The fields to adjudicate, by item."""
    decided = {
        (item, field)
        for item, field in connection.execute(
            select(VOTES.c.item_id, VOTES.c.field).where(
                VOTES.c.project_id == project_id, VOTES.c.round == "adjudication", *COUNTS
            )
        )
    }
    found: dict[int, list[str]] = {}
    for (item, field), values in _disputed(connection, project_id).items():
        unsure = UNSURE in values
        if (item, field) not in decided and (unsure or agreement(values, field) < threshold):
            found.setdefault(item, []).append(field)
    return found


def _disputed(connection: Connection, project_id: str) -> dict[tuple[int, str], list[int | str]]:
    """Votes on fields with disagreement or an undecided judge. Gold items are excluded."""
    blind = (VOTES.c.project_id == project_id, VOTES.c.round == "first", *COUNTS)
    places = (
        select(VOTES.c.item_id, VOTES.c.field)
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .where(*blind, ITEMS.c.expected == "{}", ITEMS.c.kind != "annotate")
        .group_by(VOTES.c.item_id, VOTES.c.field)
        .having(or_(func.count(VOTES.c.value.distinct()) > 1, func.min(VOTES.c.value) == _UNSURE))
        .subquery()
    )
    rows = connection.execute(
        select(VOTES.c.item_id, VOTES.c.field, VOTES.c.value)
        .join(places, (places.c.item_id == VOTES.c.item_id) & (places.c.field == VOTES.c.field))
        .where(*blind)
    )
    found: dict[tuple[int, str], list[int | str]] = {}
    for item, field, value in rows:
        found.setdefault((item, field), []).append(msgspec.json.decode(value))
    return found


def next_case(session: Session, project_id: str, adjudicator: str) -> DisputedItem | None:
    """The next item for an adjudicator, in the adjudicator's own order; None if all are decided."""
    connection = session.connection()
    facts = project_facts(connection, project_id)
    threshold = session.get_one(StationProject, project_id).threshold
    cases = disputed_fields(connection, project_id, threshold)
    if not cases:
        return None
    rows = connection.execute(select(ITEMS.c.id, ITEMS.c.item).where(ITEMS.c.id.in_(cases)))
    keys: dict[int, str] = dict(rows.all())
    number = min(cases, key=lambda each: order_key(facts.secret, adjudicator, keys[each]))
    return DisputedItem(
        token=new_page(facts.secret, number + _ITEMS_FROM),
        item=shown_item(connection, number),
        opinions=_opinions(connection, facts, number),
        open_fields=cases[number],
        left=len(cases),
    )


def _opinions(connection: Connection, facts: ProjectFacts, number: int) -> list[JudgeOpinion]:
    """The votes in an order keyed by the project's secret, so that positions do not reveal judges."""
    rows = connection.execute(
        select(VOTES.c.judge_id, VOTES.c.field, VOTES.c.value, VOTES.c.comment)
        .where(VOTES.c.item_id == number, VOTES.c.round == "first", *COUNTS)
        .order_by(VOTES.c.id)
    )
    values: dict[str, dict[str, Any]] = {}
    comments: dict[str, str] = {}
    for judge, field, value, comment in rows:
        values.setdefault(judge, {})[field] = msgspec.json.decode(value)
        comments[judge] = comments.get(judge) or comment
    order = sorted(values, key=lambda judge: order_key(facts.secret, f"{number}", judge))
    return [JudgeOpinion(values[judge], comments[judge]) for judge in order]


def adjudicate(
    session: Session, project_id: str, adjudicator: str, token: str, entered: FormInput, now: int
) -> ActionResult:
    """Store the decisions on an item's fields. Earlier decisions are superseded and kept."""
    connection = session.connection()
    facts = project_facts(connection, project_id)
    number = item_of_token(session, project_id, token)
    done = select(VOTES.c.id).where(VOTES.c.submission == token, VOTES.c.judge_id == adjudicator)
    if connection.execute(done).first() is not None:
        return ActionResult("replayed")
    if number is None:
        return ActionResult("unknown")
    row = connection.execute(select(ITEMS.c.fields).where(ITEMS.c.id == number).with_for_update()).one()
    names = [name for name in msgspec.json.decode(row.fields, type=list[str]) if name in entered.values]
    read = {name: read_value(name, entered.values[name], "") for name in names}
    missing = tuple(name for name, value in read.items() if value is None)
    if missing or not read or len(entered.comment) > MAX_COMMENT:
        return ActionResult("incomplete", missing or ("decision",))
    _replace(connection, facts, number, read, Adjudication(adjudicator, token, entered.comment.strip(), now))
    return ActionResult("kept")


def item_of_token(session: Session, project_id: str, token: str) -> int | None:
    """The item of an adjudicator's page; None for a token of another project."""
    connection = session.connection()
    number = (turn_of(project_facts(connection, project_id).secret, token) or 0) - _ITEMS_FROM
    return connection.scalar(select(ITEMS.c.id).where(ITEMS.c.id == number, ITEMS.c.project_id == project_id))


class Adjudication(NamedTuple):
    """The adjudicator, the token of the page, the reason and the time of a decision."""

    adjudicator: str
    token: str
    comment: str
    now: int


def _replace(
    connection: Connection,
    facts: ProjectFacts,
    number: int,
    read: Mapping[str, int | str | None],
    by: Adjudication,
) -> None:
    earlier = (
        VOTES.c.item_id == number,
        VOTES.c.field.in_(read),
        VOTES.c.round == "adjudication",
        ~VOTES.c.superseded,
    )
    superseded = connection.execute(select(VOTES.c.field, VOTES.c.id).where(*earlier)).all()
    before: dict[str, int] = dict(superseded)
    connection.execute(update(VOTES).where(*earlier).values(superseded=True))
    rows = [
        {
            "project_id": facts.project_id,
            "judge_id": by.adjudicator,
            "item_id": number,
            "round": "adjudication",
            "field": name,
            "value": msgspec.json.encode(value).decode(),
            "comment": by.comment if place == 0 else "",
            "shown": "",
            "started_at": by.now,
            "submitted_at": by.now,
            "rubric": facts.rubric,
            "interface": INTERFACE,
            "submission": by.token,
            "superseded": False,
            "withdrawn": False,
            "supersedes": before.get(name),
        }
        for place, (name, value) in enumerate(read.items())
    ]
    connection.execute(insert(VOTES), rows)
