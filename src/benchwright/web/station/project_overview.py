"""The state of a project: members and their progress, judges against gold items, reported items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_code
from benchwright.judges.people.guidance import Guidance
from benchwright.web.core.tables import Account, Membership
from benchwright.web.station.adjudication import disputed_fields
from benchwright.web.station.blinding import pseudonym
from benchwright.web.station.item_view import ItemView, show_item, shown_item, texts_of
from benchwright.web.station.judge_session import JudgeProgress, project_facts, read_guidance
from benchwright.web.station.tables import (
    ITEMS,
    TURNS,
    VOTES,
    StationItem,
    StationProject,
    StationReport,
    StationRubric,
    StationSeat,
)
from benchwright.web.station.vote_records import COUNTS, excluded_judges

_IN_FORCE = (~VOTES.c.superseded, ~VOTES.c.withdrawn)


class Fraction(NamedTuple):
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
    gold: Fraction
    again: Fraction
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
        cases=len(disputed_fields(session.connection(), project_id, project.threshold)),
    )


def has_taken_part(session: Session, project_id: str, account_id: str) -> bool:
    """Whether an account has voted in the project."""
    votes = select(VOTES.c.id).where(VOTES.c.project_id == project_id, VOTES.c.judge_id == account_id)
    return session.execute(votes.limit(1)).first() is not None


def _members(session: Session, project_id: str) -> list[Member]:
    seats = {
        seat.judge_id: JudgeProgress(*(getattr(seat, name) for name in JudgeProgress._fields))
        for seat in session.scalars(select(StationSeat).where(StationSeat.project_id == project_id))
    }
    left_out = excluded_judges(session, project_id)
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
        seat = seats.get(account, JudgeProgress())
        found.append(
            Member(
                account_id=account,
                name=name,
                role=role,
                decided=seat.decided,
                seconds=seat.seconds,
                last_at=seat.last_at,
                gold=gold.get(account, Fraction()),
                again=again.get(account, Fraction()),
                is_left_out=account in left_out,
                pseudonym=pseudonym(secret, account) if account in seats else "",
            )
        )
    return found


def _on_gold(session: Session, project_id: str) -> dict[str, Fraction]:
    """Correct values on gold items, by judge."""
    rows = session.execute(
        select(VOTES.c.judge_id, VOTES.c.field, VOTES.c.value, ITEMS.c.expected)
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .where(VOTES.c.project_id == project_id, ITEMS.c.expected != "{}", *_IN_FORCE)
    )
    found: dict[str, Fraction] = {}
    for judge, field, value, expected in rows:
        right = msgspec.json.decode(expected, type=dict[str, int | str])
        if field in right:
            found[judge] = _add_fractions(found.get(judge), msgspec.json.decode(value) == right[field])
    return found


def _on_repeats(session: Session, project_id: str) -> dict[str, Fraction]:
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
    found: dict[str, Fraction] = {}
    for judge, one, other in rows:
        found[judge] = _add_fractions(found.get(judge), one == other)
    return found


def _add_fractions(share: Fraction | None, good: bool) -> Fraction:
    share = share or Fraction()
    return Fraction(share.good + good, share.all + 1)


A_PAGE = 20


class ReportedItem(NamedTuple):
    """A report and its item."""

    id: int
    task: str  # JSON of the task's id
    reason: str
    state: str
    item: ItemView


class ReportCounts(NamedTuple):
    """The number of open reports and of all reports."""

    open: int
    all: int


class ReportPage(NamedTuple):
    """One page of a project's reports; the first page is number 1."""

    reports: Sequence[ReportedItem]
    counts: ReportCounts
    number: int

    @property
    def pages(self) -> int:
        """The number of pages, at least 1."""
        return max(1, -(-self.counts.all // A_PAGE))


def count_reports(session: Session, project_id: str) -> ReportCounts:
    """Count the reports that were not undone."""
    query = select(StationReport.state, func.count()).where(StationReport.project_id == project_id)
    rows = session.execute(query.group_by(StationReport.state)).all()
    states: dict[str, int] = dict(rows)
    return ReportCounts(states.get("open", 0), sum(states.values()) - states.get("undone", 0))


def page_of_reports(session: Session, project_id: str, number: int) -> ReportPage:
    """Page `number`, or the last page: open reports first, then newest first."""
    counts = count_reports(session, project_id)
    last = ReportPage((), counts, 1).pages
    number = min(max(number, 1), last)
    rows = session.execute(
        select(StationReport, StationItem.task_id)
        .join(StationItem, StationItem.id == StationReport.item_id)
        .where(StationReport.project_id == project_id, StationReport.state != "undone")
        .order_by(StationReport.state != "open", StationReport.id.desc())
        .offset((number - 1) * A_PAGE)
        .limit(A_PAGE)
    )
    guidance = project_facts(session.connection(), project_id).guidance
    found = [
        ReportedItem(
            report.id,
            task,
            escaped_code(report.reason),
            report.state,
            show_item(shown_item(session.connection(), report.item_id), guidance),
        )
        for report, task in rows
    ]
    return ReportPage(found, counts, number)


def reported_text(session: Session, project_id: str, report_id: int, place: int) -> str | None:
    """A full text of a reported item; None if the project has no such report or text."""
    report = _report(session, project_id, report_id)
    if report is None:
        return None
    texts = texts_of(shown_item(session.connection(), report.item_id))
    return texts[place][1] if 0 <= place < len(texts) else None


def settle_report(session: Session, project_id: str, report_id: int, *, restore: bool) -> bool:
    """Return a reported item to judges, or withdraw it. Returns whether there was such a report."""
    report = _report(session, project_id, report_id)
    if report is None or report.state not in ("open", "withdrawn"):
        return False
    report.state = "restored" if restore else "withdrawn"
    session.execute(
        update(StationItem)
        .where(StationItem.id == report.item_id)
        .values(state="open" if restore else "withdrawn")
    )
    return True


def _report(session: Session, project_id: str, report_id: int) -> StationReport | None:
    report = session.get(StationReport, report_id) if report_id < 1 << 63 else None
    return report if report is not None and report.project_id == project_id else None
