"""Actions of a judge on the item before them: vote, skip, report, undo.

Nothing is deleted: an undone action is withdrawn by new rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec
from sqlalchemy import Row, bindparam, func, insert, literal, select, update

from benchwright.judges.people.records import ANNOTATION, MAX_COMMENT, allowed, turned
from benchwright.version import VERSION
from benchwright.web.station.annotations import MAX_ANNOTATION, annotation_text, read_annotation
from benchwright.web.station.assignment import claim, give_back, postpone, schedule_repeat
from benchwright.web.station.blinding import shown_order, turn_of
from benchwright.web.station.judge_session import ENDLESS, JudgeSession, recount, store_decision
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


class FormInput(NamedTuple):
    """Form input: the text of each field, and the comment."""

    values: Mapping[str, str] = {}
    comment: str = ""


class ActionResult(NamedTuple):
    """The result of an action; `missing` names fields that are empty or invalid."""

    ending: Ending
    missing: tuple[str, ...] = ()


class ActionOutcome(NamedTuple):
    """The result of an action, and the session after it."""

    ended: ActionResult
    desk: JudgeSession


def submit(desk: JudgeSession, page: str, entered: FormInput) -> ActionOutcome:
    """Store a judge's decision: all fields of the item, or none."""
    turn, ended = open_turn(desk, page)
    if turn is None:
        return ActionOutcome(ended, desk)
    order = shown_order(desk.facts.secret, desk.judge, turn.item, turn.round) if turn.kind == "pair" else ""
    names = msgspec.json.decode(turn.fields, type=list[str])
    code = _code_of(desk, turn) if turn.kind == "annotate" else ""
    read = {name: read_value(name, entered.values.get(name, ""), order, code) for name in names}
    missing = tuple(name for name, value in read.items() if value is None)
    if missing or len(entered.comment) > MAX_COMMENT:
        return ActionOutcome(ActionResult("incomplete", missing or ("comment",)), desk)
    if turn.state != "held" and not claim(desk.connection, turn.item_id, turn.round):
        return ActionOutcome(ActionResult("taken"), desk)
    before = {vote.field: vote.id for vote in supersede(desk, turn)} if turn.again else {}
    first = names[0]
    rows = [
        {
            **vote_place(turn),
            "field": name,
            "value": msgspec.json.encode(value).decode(),
            "comment": entered.comment.strip() if name == first else "",
            "shown": order,
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
    desk = store_decision(desk, desk.seat.after(min(turn.begun_at, desk.now), desk.now))
    schedule_repeat(desk, turn.id, turn.item, may_repeat=turn.round == "first" and turn.wanted < ENDLESS)
    store_action(desk, turn.id, "vote", page)
    return ActionOutcome(ActionResult("kept"), desk)


def skip(desk: JudgeSession, page: str) -> ActionOutcome:
    """Leave the item to other judges."""
    turn, ended = open_turn(desk, page)
    if turn is None:
        return ActionOutcome(ended, desk)
    _leave(desk, turn, "skipped")
    store_action(desk, turn.id, "skip", page)
    return ActionOutcome(ActionResult("kept"), desk)


def report(desk: JudgeSession, page: str, reason: str) -> ActionOutcome:
    """Report a broken item. It is hidden until a curator has reviewed it."""
    turn, ended = open_turn(desk, page)
    if turn is None:
        return ActionOutcome(ended, desk)
    if not reason.strip() or len(reason) > MAX_COMMENT:
        return ActionOutcome(ActionResult("incomplete", ("reason",)), desk)
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
    store_action(desk, turn.id, "report", page)
    return ActionOutcome(ActionResult("kept"), desk)


def store_draft(desk: JudgeSession, page: str, entered: FormInput) -> None:
    """Store unsubmitted input, if the page is the last one that shows the item."""
    number, draft = turn_of(desk.facts.secret, page), draft_text(entered)
    if number is not None and len(draft) <= 2 * MAX_ANNOTATION:
        given = {"turn": number, "judge": desk.judge, "token": page, "text": draft}
        desk.connection.execute(_DRAFT, given)


def draft_text(entered: FormInput) -> str:
    """Input in the form stored with a turn."""
    return msgspec.json.encode(entered._asdict()).decode()


def read_draft(draft: str) -> FormInput:
    """Stored input; empty if there is none."""
    if not draft:
        return FormInput()
    fields = msgspec.json.decode(draft, type=dict[str, dict[str, str] | str])
    values, comment = fields.get("values"), fields.get("comment")
    return FormInput(values if isinstance(values, dict) else {}, comment if isinstance(comment, str) else "")


def _code_of(desk: JudgeSession, turn: Turn) -> str:
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


def open_turn(desk: JudgeSession, page: str) -> tuple[Turn | None, ActionResult]:
    """The turn of a page if the page may still act on it; else the result to show."""
    number = turn_of(desk.facts.secret, page)
    turn = None if number is None else desk.connection.execute(_TURN, {"turn": number}).first()
    if turn is None or turn.judge_id != desk.judge or turn.project_id != desk.facts.project_id:
        return None, ActionResult("replayed" if is_repeated_request(desk, page) else "unknown")
    if turn.state == "held" and turn.page == page:
        return turn, ActionResult("kept")
    if is_repeated_request(desk, page):
        return None, ActionResult("replayed")
    if turn.state == "waiting":
        return turn, ActionResult("kept")
    return None, ActionResult("elsewhere" if turn.state == "held" else "decided")


def is_repeated_request(desk: JudgeSession, page: str) -> bool:
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


def supersede(desk: JudgeSession, turn: Turn) -> list[Turn]:
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


def store_action(desk: JudgeSession, turn: int, kind: str, page: str) -> None:
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


def _end(desk: JudgeSession, turn: Turn, state: str, *, counted: bool) -> None:
    desk.connection.execute(_END, {"turn": turn.id, "end": state, "count": counted})


def _leave(desk: JudgeSession, turn: Turn, state: str) -> None:
    give_back(desk.connection, turn.id, turn.item_id, counted=turn.counted)
    _end(desk, turn, state, counted=False)


def undo(desk: JudgeSession, page: str) -> ActionOutcome:
    """Undo the judge's last action and show its item again with the earlier input."""
    if is_repeated_request(desk, page):
        return ActionOutcome(ActionResult("replayed"), desk)
    if turn_of(desk.facts.secret, page) is None:
        return ActionOutcome(ActionResult("unknown"), desk)
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
        return ActionOutcome(ActionResult("nothing"), desk)
    turn = desk.connection.execute(select(TURNS).where(TURNS.c.id == action.turn_id)).one()
    desk.connection.execute(update(ACTIONS).where(ACTIONS.c.id == action.id).values(undone=True))
    store_action(desk, turn.id, "undo", page)
    if not _reopen(desk, turn, action):
        return ActionOutcome(ActionResult("taken"), desk)
    if action.kind == "vote":
        desk = recount(desk, desk.seat._replace(decided=desk.seat.decided - 1))
    return ActionOutcome(ActionResult("kept"), desk)


def _reopen(desk: JudgeSession, turn: Turn, action: Turn) -> bool:
    """Assign the item to the judge again; False if other judges have taken its place."""
    if action.kind == "report":
        _undo_report(desk, turn.item_id, action.key)
    if action.kind != "vote" and not claim(desk.connection, turn.item_id, turn.round):
        return False
    postpone(desk)
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


def _withdraw(desk: JudgeSession, turn: Turn, action: int) -> str:
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
    return draft_text(FormInput({vote.field: _as_typed(vote) for vote in votes}, comment))


def _drop_repeat(desk: JudgeSession, turn: Turn) -> None:
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
    return annotation_text(value) if vote.field == ANNOTATION else str(turned(value, vote.shown))


def _undo_report(desk: JudgeSession, item: int, action: str) -> None:
    run = desk.connection.execute
    run(update(REPORTS).where(REPORTS.c.action == action, REPORTS.c.state == "open").values(state="undone"))
    open_ones = select(func.count()).where(REPORTS.c.item_id == item, REPORTS.c.state == "open")
    if not desk.connection.scalar(open_ones):
        run(update(ITEMS).where(ITEMS.c.id == item, ITEMS.c.state == "withdrawn").values(state="open"))
