"""Actions of a judge on the current item: vote, skip, report.

Each action is one transaction under the token of its page. A token works once, so a form sent twice, by a
double click or after a lost response, has no second effect. Rows of votes are only added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import Row, bindparam, insert, literal, select, update

from benchwright.judges.people.records import ANNOTATION
from benchwright.judges.people.votes import MAX_COMMENT, allowed, turned
from benchwright.version import VERSION
from benchwright.web.station.annotating import MAX_ANNOTATION, read_annotation
from benchwright.web.station.assigning import claim, follow_up, give_back
from benchwright.web.station.blinding import shown_order, turn_of
from benchwright.web.station.counting import keep_decision
from benchwright.web.station.desks import ENDLESS, Desk
from benchwright.web.station.tables import ACTIONS, ITEMS, REPORTS, TEXTS, TURNS, VOTES

INTERFACE = f"station {VERSION}"

# kept: done. replayed: this page has already acted. elsewhere: a newer page shows the item.
# decided: decided on another page. taken: the lease expired and other judges have taken the place.
# incomplete: a field is missing or invalid. nothing: nothing to undo. unknown: no such page.
Ending = Literal["kept", "replayed", "elsewhere", "decided", "taken", "incomplete", "nothing", "unknown"]

_TURN = (
    select(
        TURNS.c.id, TURNS.c.project_id, TURNS.c.judge_id, TURNS.c.item_id, TURNS.c.round, TURNS.c.state,
        TURNS.c.page, TURNS.c.counted, TURNS.c.again, TURNS.c.begun_at,
        ITEMS.c.item, ITEMS.c.kind, ITEMS.c.fields, ITEMS.c.wanted,
    )
    .join(ITEMS, ITEMS.c.id == TURNS.c.item_id)
    .where(TURNS.c.id == bindparam("turn"))
    .with_for_update(of=TURNS)
)  # fmt: skip
_REPLAY = select(literal(True)).where(
    ACTIONS.c.key == bindparam("key"), ACTIONS.c.judge_id == bindparam("judge")
)
_ADD_VOTES, _ADD_ACTION = insert(VOTES), insert(ACTIONS)
_END = (
    update(TURNS)
    .where(TURNS.c.id == bindparam("turn"))
    .values(state=bindparam("end"), counted=bindparam("count"), draft="", page="")
)
_DRAFT = (
    update(TURNS)
    .where(
        TURNS.c.id == bindparam("turn"),
        TURNS.c.judge_id == bindparam("judge"),
        TURNS.c.page == bindparam("token"),
        TURNS.c.state == "held",
    )
    .values(draft=bindparam("text"))
)

Turn = Row[*tuple[Any, ...]]  # columns as in `_TURN`


class Entered(NamedTuple):
    """Form input: the text of each field, and the comment."""

    values: Mapping[str, str] = {}
    comment: str = ""


class Ended(NamedTuple):
    """The result of an action; `missing` names fields that are empty or invalid."""

    ending: Ending
    missing: tuple[str, ...] = ()


class Step(NamedTuple):
    """The result of an action, and the session after it."""

    ended: Ended
    desk: Desk


def submit(desk: Desk, page: str, entered: Entered) -> Step:
    """Store a judge's decision: all fields of the item, or none."""
    turn, ended = find_turn(desk, page)
    if turn is None:
        return Step(ended, desk)
    shown = shown_order(desk.facts.secret, desk.judge, turn.item, turn.round) if turn.kind == "pair" else ""
    names = msgspec.json.decode(turn.fields, type=list[str])
    code = _code_of(desk, turn) if turn.kind == "annotate" else ""
    read = {name: read_value(name, entered.values.get(name, ""), shown, code) for name in names}
    missing = tuple(name for name, value in read.items() if value is None)
    if missing or len(entered.comment) > MAX_COMMENT:
        return Step(Ended("incomplete", missing or ("comment",)), desk)
    if turn.state != "held" and not claim(desk.connection, turn.item_id, turn.round):
        return Step(Ended("taken"), desk)
    before = {vote.field: vote.id for vote in supersede(desk, turn)} if turn.again else {}
    first = names[0]
    rows = [
        {
            **vote_place(turn),
            "field": name,
            "value": msgspec.json.encode(value).decode(),
            "comment": entered.comment.strip() if name == first else "",
            "shown": shown,
            "started_at": min(turn.begun_at, desk.now),
            "submitted_at": desk.now,
            "rubric": desk.facts.rubric,
            "interface": INTERFACE,
            "submission": page,
            "superseded": False,
            "withdrawn": False,
            "supersedes": before.get(name),
        }
        for name, value in read.items()
    ]
    desk.connection.execute(_ADD_VOTES, rows)
    _end(desk, turn, "done", counted=turn.round == "first")
    desk = keep_decision(desk, desk.seat.after(min(turn.begun_at, desk.now), desk.now))
    follow_up(desk, turn.id, turn.item, may_repeat=turn.round == "first" and turn.wanted < ENDLESS)
    note(desk, turn.id, "vote", page)
    return Step(Ended("kept"), desk)


def skip(desk: Desk, page: str) -> Step:
    """Leave the item to other judges."""
    turn, ended = find_turn(desk, page)
    if turn is None:
        return Step(ended, desk)
    _leave(desk, turn, "skipped")
    note(desk, turn.id, "skip", page)
    return Step(Ended("kept"), desk)


def report(desk: Desk, page: str, reason: str) -> Step:
    """Report a broken item. It is hidden until a curator has reviewed it."""
    turn, ended = find_turn(desk, page)
    if turn is None:
        return Step(ended, desk)
    if not reason.strip() or len(reason) > MAX_COMMENT:
        return Step(Ended("incomplete", ("reason",)), desk)
    _leave(desk, turn, "reported")
    row = {
        "project_id": turn.project_id,
        "item_id": turn.item_id,
        "judge_id": desk.judge,
        "reason": reason.strip(),
        "action": page,
        "at": desk.now,
        "state": "open",
    }
    desk.connection.execute(insert(REPORTS), row)
    desk.connection.execute(
        update(ITEMS).where(ITEMS.c.id == turn.item_id, ITEMS.c.state == "open").values(state="withdrawn")
    )
    note(desk, turn.id, "report", page)
    return Step(Ended("kept"), desk)


def keep_draft(desk: Desk, page: str, entered: Entered) -> None:
    """Store unsubmitted input, if the page is the last one that shows the item."""
    number, draft = turn_of(desk.facts.secret, page), as_draft(entered)
    if number is not None and len(draft) <= 2 * MAX_ANNOTATION:
        given = {"turn": number, "judge": desk.judge, "token": page, "text": draft}
        desk.connection.execute(_DRAFT, given)


def as_draft(entered: Entered) -> str:
    """Input in the form stored with a turn."""
    return msgspec.json.encode(entered._asdict()).decode()


def read_draft(draft: str) -> Entered:
    """Stored input; empty if there is none."""
    if not draft:
        return Entered()
    fields = msgspec.json.decode(draft, type=dict[str, dict[str, str] | str])
    values, comment = fields.get("values"), fields.get("comment")
    return Entered(values if isinstance(values, dict) else {}, comment if isinstance(comment, str) else "")


def _code_of(desk: Desk, turn: Turn) -> str:
    """The code to annotate; empty for a question."""
    query = (
        select(TEXTS.c.body).join(ITEMS, ITEMS.c.subject == TEXTS.c.digest).where(ITEMS.c.id == turn.item_id)
    )
    about = msgspec.json.decode(desk.connection.execute(query).scalar_one(), type=dict[str, Any])
    return str(about["code"])


def read_value(field: str, text: str, shown: str, code: str = "") -> int | str | None:
    """The value of a form's text, with sides in the item's order; None if it is not allowed."""
    if field == ANNOTATION:
        return read_annotation(text, code)
    value = next((each for each in allowed(field) if str(each) == text), None)
    return None if value is None else turned(value, shown)


def find_turn(desk: Desk, page: str) -> tuple[Turn | None, Ended]:
    """The turn of a page if the page may still act on it; else the result to show."""
    number = turn_of(desk.facts.secret, page)
    turn = None if number is None else desk.connection.execute(_TURN, {"turn": number}).first()
    if turn is None or turn.judge_id != desk.judge or turn.project_id != desk.facts.project_id:
        return None, Ended("replayed" if is_replay(desk, page) else "unknown")
    if turn.state == "held" and turn.page == page:
        return turn, Ended("kept")
    if is_replay(desk, page):
        return None, Ended("replayed")
    if turn.state == "waiting":
        return turn, Ended("kept")
    return None, Ended("elsewhere" if turn.state == "held" else "decided")


def is_replay(desk: Desk, page: str) -> bool:
    """Whether this page has already acted."""
    return desk.connection.scalar(_REPLAY, {"key": page, "judge": desk.judge}) is not None


def vote_place(turn: Turn) -> dict[str, object]:
    """The identity of a vote on a turn."""
    return {
        "project_id": turn.project_id,
        "judge_id": turn.judge_id,
        "item_id": turn.item_id,
        "round": turn.round,
    }


def supersede(desk: Desk, turn: Turn) -> list[Turn]:
    """Mark the current votes of this turn as superseded, and return them."""
    in_force = (
        VOTES.c.judge_id == turn.judge_id,
        VOTES.c.item_id == turn.item_id,
        VOTES.c.round == turn.round,
        ~VOTES.c.superseded,
    )
    votes = desk.connection.execute(select(VOTES).where(*in_force).order_by(VOTES.c.id)).all()
    desk.connection.execute(update(VOTES).where(*in_force).values(superseded=True))
    return list(votes)


def note(desk: Desk, turn: int, kind: str, page: str) -> None:
    """Store an action under the token of its page."""
    row = {
        "project_id": desk.facts.project_id,
        "judge_id": desk.judge,
        "turn_id": turn,
        "kind": kind,
        "key": page,
        "at": desk.now,
        "undone": False,
    }
    desk.connection.execute(_ADD_ACTION, row)


def _end(desk: Desk, turn: Turn, state: str, *, counted: bool) -> None:
    desk.connection.execute(_END, {"turn": turn.id, "end": state, "count": counted})


def _leave(desk: Desk, turn: Turn, state: str) -> None:
    give_back(desk.connection, turn.id, turn.item_id, counted=turn.counted)
    _end(desk, turn, state, counted=False)
