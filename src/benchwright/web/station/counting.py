"""How many decisions a judge has yet to make, and on how many items.

Were the repeats counted that there are, the number would stay where a decision has made one, and would tell
that the item comes again. So as many are counted as are to be expected, and the number falls by one with each
decision, whatever it was about. To count goes through all turns of a judge, so a decision takes one off what
was counted, but for each sixteenth, which takes up what others have filled since. When that is depends on how
many decisions there are, never on what they are about, and the statement is the same each time.

Judges are shown the number of items: the number of decisions divided by 1 + the share of repeats.
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
# What is put before a judge: repeats, and first turns of items that lack judges. A gold item lacks them for
# ever, so it goes along with the ordinary one beside it: a judge whom others have left nothing is shown none.
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
    """Of the decisions to be made, those on items that are new to the judge, at least 1.

    It depends on nothing but the two numbers, so it tells no repeat either.
    """
    return max(1, round(decisions / (1 + repeat_share)))


def keep_decision(desk: Desk, seat: Seat) -> Desk:
    """Store a judge's seat after a decision, with one item less to go."""
    return _keep(desk, seat, anew=seat.decided % ANEW == 0 or seat.to_go <= 0)


def count_anew(desk: Desk, seat: Seat | None = None) -> Desk:
    """Store a judge's seat with the number of items that wait for them now, the one before them too."""
    return _keep(desk, seat or desk.seat, anew=True)


def _keep(desk: Desk, seat: Seat, *, anew: bool) -> Desk:
    new = {f"new_{name}": getattr(seat, name) for name in _KEPT}
    to_go = desk.connection.execute(_KEEP, {**desk.ours, **new, "anew": anew}).scalar_one()
    return desk._replace(seat=seat._replace(to_go=to_go), is_counted=True)
