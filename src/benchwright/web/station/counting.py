"""The number of decisions and items that a judge has left.

If existing repeats were counted, the number would not fall where a decision adds a repeat, and would
reveal that the item comes again. So the expected repeats are counted, and the number falls by one with
each decision. Counting reads all turns of a judge, so a decision subtracts one, and each sixteenth
decision counts again, which includes what other judges have decided since. When that happens depends on
the number of decisions alone, and the statement is the same each time.

Judges see the number of items: the number of decisions divided by 1 + the share of repeats.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, and_, bindparam, case, cast, exists, func, or_, select, update

from benchwright.web.station.desks import Desk
from benchwright.web.station.pacing import Seat
from benchwright.web.station.tables import ITEMS, PROJECTS, SEATS, TURNS

ANEW = 16  # decisions from one count to the next

_BESIDE_T, _BESIDE_I = TURNS.alias("beside_turn"), ITEMS.alias("beside_item")
_GOES_ALONG = exists().where(
    _BESIDE_T.c.judge_id == TURNS.c.judge_id,
    _BESIDE_T.c.item_id == TURNS.c.beside,
    _BESIDE_T.c.round == "first",
    _BESIDE_I.c.id == _BESIDE_T.c.item_id,
    or_(
        _BESIDE_T.c.state != "waiting",
        and_(_BESIDE_I.c.state == "open", _BESIDE_I.c.taken < _BESIDE_I.c.wanted),
    ),
)
# What a judge is shown: repeats, and first turns of items that need judges. A gold item always needs them,
# so it is tied to the ordinary item beside it: a judge without ordinary items left gets no gold items.
WANTS = and_(
    ITEMS.c.state == "open",
    or_(
        TURNS.c.round != "first",
        and_(ITEMS.c.taken < ITEMS.c.wanted, or_(TURNS.c.beside.is_(None), _GOES_ALONG)),
    ),
)
_FIRST = TURNS.c.round == "first"
_DONE = and_(_FIRST, TURNS.c.state == "done")
_AHEAD = and_(_FIRST, or_(TURNS.c.state == "held", and_(TURNS.c.state == "waiting", WANTS)))
_REPEATED = and_(~_FIRST, TURNS.c.state.not_in(["held", "waiting"]))
_SHARE = (
    select(1 + PROJECTS.c.repeat_share).where(PROJECTS.c.project_id == bindparam("project")).scalar_subquery()
)
_TO_GO = (
    select(
        cast(func.round(_SHARE * func.count(case((or_(_AHEAD, _DONE), 1)))), BigInteger)
        - func.count(case((or_(_DONE, _REPEATED), 1)))
    )
    .select_from(TURNS.join(ITEMS, ITEMS.c.id == TURNS.c.item_id))
    .where(TURNS.c.project_id == bindparam("project"), TURNS.c.judge_id == bindparam("judge"))
    .scalar_subquery()
)
_KEPT = [name for name in Seat._fields if name != "to_go"]
_KEEP = (
    update(SEATS)
    .where(SEATS.c.project_id == bindparam("project"), SEATS.c.judge_id == bindparam("judge"))
    .values(
        {name: bindparam(f"new_{name}") for name in _KEPT}
        | {"to_go": case((bindparam("anew", type_=Boolean()), _TO_GO), else_=SEATS.c.to_go - 1)}
    )
    .returning(SEATS.c.to_go)
)


def items_left(decisions: int, repeat_share: float) -> int:
    """The number of items new to the judge among the remaining decisions, at least 1.

    It depends only on the two arguments, so it reveals no repeat.
    """
    return max(1, round(decisions / (1 + repeat_share)))


def keep_decision(desk: Desk, seat: Seat) -> Desk:
    """Store a judge's progress after a decision, with one decision fewer left."""
    return _keep(desk, seat, anew=seat.decided % ANEW == 0 or seat.to_go <= 0)


def count_anew(desk: Desk, seat: Seat | None = None) -> Desk:
    """Store a judge's progress with a new count of remaining decisions, including the current one."""
    return _keep(desk, seat or desk.seat, anew=True)


def _keep(desk: Desk, seat: Seat, *, anew: bool) -> Desk:
    new = {f"new_{name}": getattr(seat, name) for name in _KEPT}
    to_go = desk.connection.execute(_KEEP, {**desk.ours, **new, "anew": anew}).scalar_one()
    return desk._replace(seat=seat._replace(to_go=to_go), is_counted=True)
