"""A judge in one transaction: the project's facts, the judge's pace and the decisions left.

Statements are built once, at import: building them for each step cost more than running them.

If existing repeats were counted, the number left would not fall where a decision adds a repeat, and
would reveal that the item comes again. So the expected repeats are counted, and the number falls by one
with each decision. Counting reads all turns of a judge, so a decision subtracts one, and each sixteenth
decision counts again, which includes what other judges have decided since. When that happens depends on
the number of decisions alone, and the statement is the same each time.

Judges see the number of items: the number of decisions divided by 1 + the share of repeats.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Connection,
    and_,
    bindparam,
    case,
    cast,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from benchwright.judges.people.guidance import Guidance
from benchwright.web.station.tables import ITEMS, PROJECTS, RUBRICS, SEATS, TURNS

REST_MS = 5 * 60_000  # a gap that ends a stretch of work
BREAK_MS = 45 * 60_000  # of work without a gap, then a break is suggested
ENOUGH = 3  # decisions before a pace is shown


class JudgeProgress(NamedTuple):
    """A judge's progress in a project, as stored in `tables.StationSeat`."""

    decided: int = 0
    paced: int = 0
    worked: int = 0
    sat_at: int = 0
    last_at: int = 0
    to_go: int = 0

    def after(self, begun: int, now: int) -> JudgeProgress:
        """The progress after one more decision, on an item shown at `begun`."""
        if 0 <= now - self.last_at < REST_MS and self.last_at:
            sat_at, worked = self.sat_at, now - self.last_at
        else:  # a page left open is not work
            worked = min(max(now - begun, 0), REST_MS)
            sat_at = now - worked
        return JudgeProgress(
            self.decided + 1, self.paced + 1, self.worked + worked, sat_at, now, self.to_go - 1
        )

    @property
    def seconds(self) -> float | None:
        """Seconds per decision; None after too few decisions."""
        return self.worked / 1_000 / self.paced if self.paced >= ENOUGH else None

    def time_for(self, items: int) -> str:
        """Text for the time that this many items will take; empty while the pace is unknown."""
        if self.seconds is None or not items:
            return ""
        total, each = items * self.seconds, round(self.seconds)
        minutes = f"about {round(total / 60):,} min" if total >= 60 else "less than 1 min"
        return f"{minutes} at {f'{each} s' if each else 'less than 1 s'} each"

    def is_tired(self, now: int) -> bool:
        """Whether to suggest a break."""
        return 0 <= now - self.last_at < REST_MS and now - self.sat_at >= BREAK_MS


ENDLESS = 1 << 30  # judges that a gold item needs: all

_FACTS = (
    select(
        PROJECTS.c.project_id,
        PROJECTS.c.secret,
        PROJECTS.c.repeat_share,
        PROJECTS.c.lease_s,
        PROJECTS.c.gap,
        PROJECTS.c.rubric,
        RUBRICS.c.document,
    )
    .join(RUBRICS, (RUBRICS.c.project_id == PROJECTS.c.project_id) & (RUBRICS.c.digest == PROJECTS.c.rubric))
    .where(PROJECTS.c.project_id == bindparam("project"))
)
_DESK = (
    _FACTS.add_columns(*(SEATS.c[name] for name in JudgeProgress._fields))
    .join(SEATS, (SEATS.c.project_id == PROJECTS.c.project_id) & (SEATS.c.judge_id == bindparam("judge")))
    .with_for_update(of=SEATS)
)
_ITEMS = select(ITEMS.c.id, ITEMS.c.item, ITEMS.c.wanted).where(ITEMS.c.project_id == bindparam("project"))


class OrderedItem(NamedTuple):
    """An item of a project, with what orders of judges need."""

    number: int
    key: str
    is_gold: bool


class ProjectFacts(NamedTuple):
    """The facts of a project that actions need."""

    project_id: str
    secret: str
    repeat_share: float
    lease_s: int
    gap: int
    rubric: str
    document: str

    @property
    def guidance(self) -> Guidance:
        """The current rubric."""
        return read_guidance(self.document)


class JudgeSession(NamedTuple):
    """An action of a judge: the judge, the project, the time and the connection."""

    connection: Connection
    facts: ProjectFacts
    judge: str
    now: int
    seat: JudgeProgress
    is_new: bool
    is_counted: bool = False  # whether `to_go` is valid after this step

    @property
    def ours(self) -> dict[str, str]:
        """Judge and project as parameters of statements."""
        return {"project": self.facts.project_id, "judge": self.judge}


def project_facts(connection: Connection, project_id: str) -> ProjectFacts:
    """Read the facts of a project."""
    return ProjectFacts(*connection.execute(_FACTS, {"project": project_id}).one())


def open_session(session: Session, project_id: str, judge: str, now: int) -> JudgeSession:
    """Begin an action in a writing transaction. On PostgreSQL it waits for another action of the same
    judge; SQLite has a single writer.
    """
    connection = session.connection()
    row = connection.execute(_DESK, {"project": project_id, "judge": judge}).first()
    if row is not None:
        known = len(ProjectFacts._fields)
        return JudgeSession(
            connection, ProjectFacts(*row[:known]), judge, now, JudgeProgress(*row[known:]), False
        )
    facts, seat = project_facts(connection, project_id), JudgeProgress()
    connection.execute(insert(SEATS), {"project_id": project_id, "judge_id": judge, **seat._asdict()})
    return JudgeSession(connection, facts, judge, now, seat, True)


def all_items(connection: Connection, project_id: str) -> list[OrderedItem]:
    """All items of a project."""
    rows = connection.execute(_ITEMS, {"project": project_id})
    return [OrderedItem(number, key, wanted >= ENDLESS) for number, key, wanted in rows]


@lru_cache(maxsize=64)
def read_guidance(document: str) -> Guidance:
    """Decode a stored rubric."""
    return msgspec.json.decode(document, type=Guidance)


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
# A judge sees repeats, and first turns of items that need judges. A gold item always needs them, so it is
# tied to an ordinary item next to it: a judge without ordinary items left gets no gold items.
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
_STORED_FIELDS = [name for name in JudgeProgress._fields if name != "to_go"]
_KEEP = (
    update(SEATS)
    .where(SEATS.c.project_id == bindparam("project"), SEATS.c.judge_id == bindparam("judge"))
    .values(
        {name: bindparam(f"new_{name}") for name in _STORED_FIELDS}
        | {"to_go": case((bindparam("anew", type_=Boolean()), _TO_GO), else_=SEATS.c.to_go - 1)}
    )
    .returning(SEATS.c.to_go)
)


def items_left(decisions: int, repeat_share: float) -> int:
    """The number of items new to the judge among the remaining decisions, at least 1.

    It depends only on the two arguments, so it reveals no repeat.
    """
    return max(1, round(decisions / (1 + repeat_share)))


def store_decision(desk: JudgeSession, seat: JudgeProgress) -> JudgeSession:
    """Store a judge's progress after a decision, with one decision fewer left."""
    return _store_progress(desk, seat, anew=seat.decided % ANEW == 0 or seat.to_go <= 0)


def recount(desk: JudgeSession, seat: JudgeProgress | None = None) -> JudgeSession:
    """Store a judge's progress with a new count of remaining decisions, including the current one."""
    return _store_progress(desk, seat or desk.seat, anew=True)


def _store_progress(desk: JudgeSession, seat: JudgeProgress, *, anew: bool) -> JudgeSession:
    new = {f"new_{name}": getattr(seat, name) for name in _STORED_FIELDS}
    to_go = desk.connection.execute(_KEEP, {**desk.ours, **new, "anew": anew}).scalar_one()
    return desk._replace(seat=seat._replace(to_go=to_go), is_counted=True)
