"""The state of a project: members and their progress, reports, rubric, judges against gold and repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.judges.people.guidance import Guidance
from benchwright.web.core.tables import Account, Membership
from benchwright.web.station.adjudicating import open_cases
from benchwright.web.station.blinding import pseudonym
from benchwright.web.station.desks import read_guidance
from benchwright.web.station.left_out import COUNTS, left_out_of
from benchwright.web.station.pacing import Seat
from benchwright.web.station.reports import ReportCounts, count_reports
from benchwright.web.station.tables import ITEMS, TURNS, VOTES, StationProject, StationRubric, StationSeat

_IN_FORCE = (~VOTES.c.superseded, ~VOTES.c.withdrawn)


class Share(NamedTuple):
    """A count out of a total."""

    good: int = 0
    all: int = 0

    def __str__(self) -> str:
        return f"{self.good:,} of {self.all:,}" if self.all else "–"


class Member(NamedTuple):
    """A member; `gold` counts correct votes on gold items, `again` equal votes on repeats."""

    account_id: str
    name: str
    role: str | None  # None: no longer a member
    decided: int
    seconds: float | None
    last_at: int
    gold: Share
    again: Share
    is_left_out: bool = False  # their votes are excluded from results
    pseudonym: str = ""  # in exported votes and on the agreement page; empty without votes


class Overview(NamedTuple):
    """The content of a project's page."""

    settings: StationProject
    items: int
    gold: int
    complete: int
    withdrawn: int
    votes: int
    members: Sequence[Member]
    reports: ReportCounts
    guidance: Guidance
    version: int
    cases: int  # items with a field to adjudicate


def overview_of(session: Session, project_id: str) -> Overview:
    """The current state of a project."""
    project = session.get_one(StationProject, project_id)
    rubric = session.get_one(StationRubric, (project_id, project.rubric))
    ours = ITEMS.c.project_id == project_id
    gold = ITEMS.c.expected != "{}"

    def count(*conditions: object) -> int:
        return session.scalar(select(func.count()).select_from(ITEMS).where(ours, *conditions)) or 0  # type: ignore[arg-type]

    done = (
        select(TURNS.c.item_id)
        .where(TURNS.c.project_id == project_id, TURNS.c.round == "first", TURNS.c.state == "done")
        .group_by(TURNS.c.item_id)
        .having(func.count() >= project.judgements)
    )
    votes = select(func.count()).select_from(VOTES).where(VOTES.c.project_id == project_id, *COUNTS)
    return Overview(
        settings=project,
        items=count(~gold),
        gold=count(gold),
        complete=count(~gold, ITEMS.c.id.in_(done)),
        withdrawn=count(ITEMS.c.state == "withdrawn"),
        votes=session.scalar(votes) or 0,
        members=_members(session, project_id),
        reports=count_reports(session, project_id),
        guidance=read_guidance(rubric.document),
        version=rubric.number,
        cases=len(open_cases(session.connection(), project_id, project.threshold)),
    )


def has_taken_part(session: Session, project_id: str, account_id: str) -> bool:
    """Whether an account has voted in the project."""
    votes = select(VOTES.c.id).where(VOTES.c.project_id == project_id, VOTES.c.judge_id == account_id)
    return session.execute(votes.limit(1)).first() is not None


def _members(session: Session, project_id: str) -> list[Member]:
    seats = {
        seat.judge_id: Seat(*(getattr(seat, name) for name in Seat._fields))
        for seat in session.scalars(select(StationSeat).where(StationSeat.project_id == project_id))
    }
    left_out = left_out_of(session, project_id)
    secret = session.get_one(StationProject, project_id).secret
    gold, again = _on_gold(session, project_id), _on_repeats(session, project_id)
    rows = session.execute(
        select(Account.id, Account.name, Membership.role)
        .outerjoin(Membership, (Membership.account_id == Account.id) & (Membership.project_id == project_id))
        .where(Membership.role.is_not(None) | Account.id.in_(seats))
        .order_by(Membership.role.is_(None), Membership.role, Account.name)
    )
    found = []
    for account, name, role in rows:
        seat = seats.get(account, Seat())
        found.append(
            Member(
                account_id=account,
                name=name,
                role=role,
                decided=seat.decided,
                seconds=seat.seconds,
                last_at=seat.last_at,
                gold=gold.get(account, Share()),
                again=again.get(account, Share()),
                is_left_out=account in left_out,
                pseudonym=pseudonym(secret, account) if account in seats else "",
            )
        )
    return found


def _on_gold(session: Session, project_id: str) -> dict[str, Share]:
    """Correct values on gold items, by judge."""
    rows = session.execute(
        select(VOTES.c.judge_id, VOTES.c.field, VOTES.c.value, ITEMS.c.expected)
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .where(VOTES.c.project_id == project_id, ITEMS.c.expected != "{}", *_IN_FORCE)
    )
    found: dict[str, Share] = {}
    for judge, field, value, expected in rows:
        right = msgspec.json.decode(expected, type=dict[str, int | str])
        if field in right:
            found[judge] = _plus(found.get(judge), msgspec.json.decode(value) == right[field])
    return found


def _on_repeats(session: Session, project_id: str) -> dict[str, Share]:
    """Equal values on repeats, by judge."""
    first, second = VOTES.alias("first_vote"), VOTES.alias("second_vote")
    rows = session.execute(
        select(first.c.judge_id, first.c.value, second.c.value)
        .join(
            second,
            (second.c.judge_id == first.c.judge_id)
            & (second.c.item_id == first.c.item_id)
            & (second.c.field == first.c.field),
        )
        .where(
            first.c.project_id == project_id,
            first.c.round == "first",
            second.c.round == "repeat",
            ~first.c.superseded,
            ~first.c.withdrawn,
            ~second.c.superseded,
            ~second.c.withdrawn,
        )
    )
    found: dict[str, Share] = {}
    for judge, one, other in rows:
        found[judge] = _plus(found.get(judge), one == other)
    return found


def _plus(share: Share | None, good: bool) -> Share:
    share = share or Share()
    return Share(share.good + good, share.all + 1)
