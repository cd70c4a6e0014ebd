"""Assignment: which item a judge sees next, and how long it is reserved.

Each judge has all items in a separate order. The first item that needs a judge is reserved for some
minutes; a reload, a restart or another device shows the same item. No judge sees an item twice, except
repeats, which measure self-consistency and come some decisions later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import (
    Boolean,
    Connection,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from benchwright.web.station.blinding import new_page, order_key, repeat_fraction
from benchwright.web.station.judge_session import WANTS, JudgeSession, OrderedItem, ProjectFacts, all_items
from benchwright.web.station.tables import ITEMS, TURNS

STEP = 1_000  # between two places in an order, to leave room for repeats
GAP = 10  # decisions between an item and its repeat, or a quarter of a small project's items
SLACK_MS = 60_000  # a step that waited in the database has an earlier time than one that did not

_OURS = (TURNS.c.project_id == bindparam("project"), TURNS.c.judge_id == bindparam("judge"))
_TURN_COLUMNS = (TURNS.c.id, TURNS.c.item_id, TURNS.c.round, TURNS.c.begun_at, TURNS.c.draft)

# On PostgreSQL a turn that its judge is deciding is skipped, and no turn is returned twice.
_EXPIRED_TURNS = (
    select(TURNS.c.id, TURNS.c.item_id, TURNS.c.counted)
    .where(
        TURNS.c.project_id == bindparam("project"),
        TURNS.c.state == "held",
        or_(TURNS.c.until <= bindparam("now"), TURNS.c.until > bindparam("latest")),
        TURNS.c.judge_id != bindparam("judge"),
    )
    .with_for_update(skip_locked=True)
)
_CURRENT = select(*_TURN_COLUMNS, TURNS.c.counted).where(*_OURS, TURNS.c.state == "held").with_for_update()
_NEXT = (
    select(*_TURN_COLUMNS)
    .join(ITEMS, ITEMS.c.id == TURNS.c.item_id)
    .where(*_OURS, TURNS.c.state == "waiting", TURNS.c.not_before <= bindparam("decided"), WANTS)
    .order_by(TURNS.c.position, TURNS.c.id)
    .limit(1)
)
_CLAIM = (
    update(ITEMS)
    .where(
        ITEMS.c.id == bindparam("number"),
        ITEMS.c.state == "open",
        or_(ITEMS.c.taken < ITEMS.c.wanted, bindparam("count") == 0),
    )
    .values(taken=ITEMS.c.taken + bindparam("count"))
)
_TURN = TURNS.c.id == bindparam("turn")
_HOLD = (
    update(TURNS)
    .where(_TURN)
    .values(
        state="held",
        counted=case((TURNS.c.round == "first", True), else_=False),
        begun_at=bindparam("begun"),
        until=bindparam("end"),
        page=bindparam("token"),
    )
)
_GIVE_BACK = update(TURNS).where(_TURN).values(state="waiting", counted=False, page="")
_UNCOUNT = (
    update(ITEMS).where(ITEMS.c.id == bindparam("number")).values(taken=ITEMS.c.taken - bindparam("count"))
)
_ALREADY = TURNS.alias("already")
_REPEAT = {
    "project_id": TURNS.c.project_id,
    "judge_id": TURNS.c.judge_id,
    "item_id": TURNS.c.item_id,
    "round": literal("repeat"),
    "position": TURNS.c.position + bindparam("later"),
    "not_before": bindparam("not_before"),
    "state": literal("waiting"),
    "counted": literal(False),
    "again": literal(False),
    "page": literal(""),
    "draft": literal(""),
    "begun_at": literal(0),
    "until": literal(0),
}
_FOLLOW_UP = insert(TURNS).from_select(
    list(_REPEAT),
    select(*_REPEAT.values()).where(
        _TURN,
        bindparam("wanted", type_=Boolean()),
        ~exists().where(
            _ALREADY.c.judge_id == TURNS.c.judge_id,
            _ALREADY.c.item_id == TURNS.c.item_id,
            _ALREADY.c.round == "repeat",
        ),
    ),
)


class AssignedItem(NamedTuple):
    """The item assigned to a judge: the turn, the token of its page, and the time."""

    turn: int
    item: int
    round: str
    begun_at: int
    draft: str
    page: str = ""


def make_turns(connection: Connection, facts: ProjectFacts, judge: str, items: Iterable[OrderedItem]) -> None:
    """Add each of these items to a judge's order unless it is there."""
    ours = (TURNS.c.project_id == facts.project_id, TURNS.c.judge_id == judge)
    known = set(connection.scalars(select(TURNS.c.item_id).where(*ours)))
    fresh = sorted(
        (order_key(facts.secret, judge, each.key), each) for each in items if each.number not in known
    )
    beside = _neighbours([each for _, each in fresh])
    last = connection.scalar(select(func.max(TURNS.c.position)).where(*ours)) or 0
    rows = [
        {
            "project_id": facts.project_id,
            "judge_id": judge,
            "item_id": each.number,
            "round": "first",
            "position": last + place * STEP,
            "beside": beside.get(each.number),
            "not_before": 0,
            "state": "waiting",
        }
        for place, (_, each) in enumerate(fresh, 1)
    ]
    if rows:
        connection.execute(insert(TURNS), rows)


def _neighbours(ordered: Sequence[OrderedItem]) -> dict[int, int]:
    """For each gold item the ordinary item before it, or the first of all; 0 if there is none."""
    found: dict[int, int] = {}
    near = next((each.number for each in ordered if not each.is_gold), 0)
    for each in ordered:
        if each.is_gold:
            found[each.number] = near
        else:
            near = each.number
    return found


def assign_next(desk: JudgeSession, *, is_free: bool = False) -> AssignedItem | None:
    """Reserve an item for the judge; None if none is left.

    `is_free`: the judge is known to hold no item, because the last one was just decided.
    """
    if desk.is_new:
        make_turns(desk.connection, desk.facts, desk.judge, all_items(desk.connection, desk.facts.project_id))
    release_expired(desk)
    assigned = None if is_free else _current(desk)
    if assigned is not None:
        page = new_page(desk.facts.secret, assigned.turn)
        _hold(desk, assigned.turn, assigned.begun_at, page)
        return assigned._replace(page=page)
    return _next(desk)


def release_expired(desk: JudgeSession) -> None:
    """Release items whose lease has expired. A lease longer than allowed was given before the clock was
    set back, so it has expired too.
    """
    latest = desk.now + desk.facts.lease_s * 1_000 + SLACK_MS
    ended = desk.connection.execute(_EXPIRED_TURNS, {**desk.ours, "now": desk.now, "latest": latest}).all()
    for turn, item, counted in ended:
        give_back(desk.connection, turn, item, counted=counted)


def give_back(connection: Connection, turn: int, item: int, *, counted: bool) -> None:
    """Return a turn to its place in the order; the item needs a judge again."""
    connection.execute(_GIVE_BACK, {"turn": turn})
    connection.execute(_UNCOUNT, {"number": item, "count": int(counted)})


def postpone(desk: JudgeSession) -> None:
    """Release the judge's current item, which keeps its place in the order."""
    row = desk.connection.execute(_CURRENT, desk.ours).first()
    if row is not None:
        give_back(desk.connection, row.id, row.item_id, counted=row.counted)


def claim(connection: Connection, item: int, round: str) -> bool:
    """Count a judge for an item; False if it has enough judges or was withdrawn.

    A repeat takes no place, but costs the same work, to reveal nothing.
    """
    result = connection.execute(_CLAIM, {"number": item, "count": int(round == "first")})
    return result.rowcount > 0


def schedule_repeat(desk: JudgeSession, turn: int, item: str, *, may_repeat: bool) -> None:
    """Schedule a repeat of an item that was just judged, if its number is below the share. The work is the
    same in both cases, to reveal nothing.
    """
    share = repeat_fraction(desk.facts.secret, desk.judge, item)
    gap = desk.facts.gap
    desk.connection.execute(
        _FOLLOW_UP,
        {
            "turn": turn,
            "later": gap * STEP + 1,
            "not_before": desk.seat.decided + gap,
            "wanted": may_repeat and share < desk.facts.repeat_share,
        },
    )


def repeat_gap(items: int) -> int:
    """The minimum number of decisions between an item and its repeat."""
    return max(1, min(GAP, items // 4))


def _current(desk: JudgeSession) -> AssignedItem | None:
    row = desk.connection.execute(_CURRENT, desk.ours).first()
    return None if row is None else AssignedItem(*row[:5])


def _next(desk: JudgeSession) -> AssignedItem | None:
    """The first item in the judge's order that needs a judge; another request may take it meanwhile."""
    while True:
        row = desk.connection.execute(_NEXT, {**desk.ours, "decided": desk.seat.decided}).first()
        if row is None:
            return None
        assigned = AssignedItem(*row)
        if claim(desk.connection, assigned.item, assigned.round):
            page = new_page(desk.facts.secret, assigned.turn)
            _hold(desk, assigned.turn, desk.now, page)
            return assigned._replace(page=page, begun_at=desk.now)


def _hold(desk: JudgeSession, turn: int, begun: int, page: str) -> None:
    end = desk.now + desk.facts.lease_s * 1_000
    desk.connection.execute(_HOLD, {"turn": turn, "begun": begun, "end": end, "token": page})
