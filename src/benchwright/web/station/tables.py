"""Tables of a judging station: projects, items with their texts, turns, actions and votes.

Votes and actions are only added. A vote that is replaced or undone stays and is marked. A partial unique
index ensures, in both databases, that a judge has one current vote per field of an item. Times are
milliseconds since 1970 in UTC: they sort, and both databases store them alike.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from benchwright.web.core.tables import Base, table_of

ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite autoincrements only INTEGER
_IN_FORCE = text("NOT superseded")
_HELD = text("state = 'held'")
_DECIDED = text("NOT superseded AND round = 'adjudication'")


def _id() -> Mapped[int]:
    return mapped_column(ID, primary_key=True, autoincrement=True)


def _project() -> Mapped[str]:
    return mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)


class StationProject(Base):
    """The settings of a project. `fingerprint` is a hash of the runs and the kind, to find it again."""

    __tablename__ = "station_projects"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(32), unique=True)
    kind: Mapped[str] = mapped_column(String(16))
    track: Mapped[str] = mapped_column(String(200))
    judgements: Mapped[int]  # judges an item
    repeat_share: Mapped[float]
    threshold: Mapped[float]  # agreement below which an item goes to adjudication
    lease_s: Mapped[int]
    equal_pairs: Mapped[int] = mapped_column(default=0, server_default="0")  # ties, not shown to judges
    gap: Mapped[int]  # decisions between an item and its repeat, at least
    secret: Mapped[str] = mapped_column(String(64))  # keys orders, pseudonyms and page tokens
    rubric: Mapped[str] = mapped_column(String(32))  # digest of the current rubric
    made_at: Mapped[int]


class StationRun(Base):
    """A run folder of a project."""

    __tablename__ = "station_runs"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = _id()
    project_id: Mapped[str] = _project()
    place: Mapped[int]
    digest: Mapped[str] = mapped_column(String(64))
    path: Mapped[str] = mapped_column(Text)


class StationRubric(Base):
    """One version of the rubric; `document` is JSON."""

    __tablename__ = "station_rubrics"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(32), primary_key=True)
    number: Mapped[int]
    document: Mapped[str] = mapped_column(Text)
    made_at: Mapped[int]


class StationText(Base):
    """A text, stored once: an answer, or the JSON of what judges see around answers."""

    __tablename__ = "station_texts"

    digest: Mapped[str] = mapped_column(String(32), primary_key=True)
    body: Mapped[str] = mapped_column(Text)


class StationItem(Base):
    """One decision to make. `taken` counts judges who decided or hold it, out of `wanted`."""

    __tablename__ = "station_items"
    __table_args__ = (
        UniqueConstraint("project_id", "item"),
        Index("ix_station_items_place", "project_id", "place"),
    )

    id: Mapped[int] = _id()
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    place: Mapped[int]
    item: Mapped[str] = mapped_column(String(32))
    kind: Mapped[str] = mapped_column(String(16))
    task_id: Mapped[str] = mapped_column(Text)  # JSON: a number or a text
    track: Mapped[str] = mapped_column(String(200))
    subject: Mapped[str] = mapped_column(ForeignKey("station_texts.digest"))
    fields: Mapped[str] = mapped_column(Text)  # JSON
    expected: Mapped[str] = mapped_column(Text)  # JSON; of a gold item
    state: Mapped[str] = mapped_column(String(16))  # open, equal (a pair of equal texts), withdrawn
    wanted: Mapped[int]
    taken: Mapped[int] = mapped_column(default=0)


class StationItemAnswer(Base):
    """An answer of an item, and its origin."""

    __tablename__ = "station_item_answers"

    item_id: Mapped[int] = mapped_column(ForeignKey("station_items.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    run: Mapped[str] = mapped_column(String(64))
    key: Mapped[str] = mapped_column(Text)
    sample: Mapped[int]
    text: Mapped[str] = mapped_column(ForeignKey("station_texts.digest"))


class StationTurn(Base):
    """A place in a judge's order, and the lease while the judge holds the item.

    state: waiting, held, done, skipped, reported. `page` is the token of the last page that showed it.
    """

    __tablename__ = "station_turns"
    __table_args__ = (
        UniqueConstraint("judge_id", "item_id", "round"),
        Index("ix_station_turns_next", "project_id", "judge_id", "state", "position"),
        Index("uq_station_turns_held", "project_id", "judge_id", unique=True,
              sqlite_where=_HELD, postgresql_where=_HELD),
        Index("ix_station_turns_ending", "project_id", "until", sqlite_where=_HELD, postgresql_where=_HELD),
    )  # fmt: skip

    id: Mapped[int] = _id()
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("station_items.id", ondelete="CASCADE"), index=True)
    round: Mapped[str] = mapped_column(String(16))
    position: Mapped[int]
    beside: Mapped[int | None]  # of a gold item: the ordinary item next to it, or 0
    not_before: Mapped[int] = mapped_column(default=0)  # decisions that the judge must have made before
    state: Mapped[str] = mapped_column(String(16))
    counted: Mapped[bool] = mapped_column(default=False, server_default=false())  # in the item's `taken`
    again: Mapped[bool] = mapped_column(default=False, server_default=false())  # decided before and undone
    page: Mapped[str] = mapped_column(String(43), default="", server_default="")
    draft: Mapped[str] = mapped_column(Text, default="", server_default="")  # JSON: unsubmitted input
    begun_at: Mapped[int] = mapped_column(default=0, server_default="0")
    until: Mapped[int] = mapped_column(default=0, server_default="0")


class StationAction(Base):
    """An action of a judge: vote, skip, report or undo. `key` is the form's token, to detect replays."""

    __tablename__ = "station_actions"
    __table_args__ = (Index("ix_station_actions_last", "project_id", "judge_id", "id"),)

    id: Mapped[int] = _id()
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    turn_id: Mapped[int] = mapped_column(ForeignKey("station_turns.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(43), unique=True)
    at: Mapped[int]
    undone: Mapped[bool] = mapped_column(default=False, server_default=false())


class StationVote(Base):
    """A value of one field. `withdrawn`: the row only takes back the vote it supersedes."""

    __tablename__ = "station_votes"
    __table_args__ = (
        Index("uq_station_votes_in_force", "judge_id", "item_id", "round", "field", unique=True,
              sqlite_where=_IN_FORCE, postgresql_where=_IN_FORCE),
        Index("uq_station_votes_decided", "item_id", "field", unique=True,
              sqlite_where=_DECIDED, postgresql_where=_DECIDED),
        UniqueConstraint("submission", "field"),
    )  # fmt: skip

    id: Mapped[int] = _id()
    project_id: Mapped[str] = _project()
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    item_id: Mapped[int] = mapped_column(ForeignKey("station_items.id"), index=True)
    round: Mapped[str] = mapped_column(String(16))
    field: Mapped[str] = mapped_column(String(40))
    value: Mapped[str] = mapped_column(Text)  # JSON
    comment: Mapped[str] = mapped_column(Text, default="")
    shown: Mapped[str] = mapped_column(String(2), default="")
    started_at: Mapped[int]
    submitted_at: Mapped[int]
    rubric: Mapped[str] = mapped_column(String(32))
    interface: Mapped[str] = mapped_column(String(40))
    submission: Mapped[str] = mapped_column(String(43))
    superseded: Mapped[bool] = mapped_column(default=False, server_default=false())
    withdrawn: Mapped[bool] = mapped_column(default=False, server_default=false())
    supersedes: Mapped[int | None] = mapped_column(ForeignKey("station_votes.id"))


class StationReport(Base):
    """A report that an item is broken. The item is hidden until it is reviewed."""

    __tablename__ = "station_reports"

    id: Mapped[int] = _id()
    project_id: Mapped[str] = _project()
    item_id: Mapped[int] = mapped_column(ForeignKey("station_items.id", ondelete="CASCADE"))
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    reason: Mapped[str] = mapped_column(Text)
    action: Mapped[str] = mapped_column(String(43), unique=True)
    at: Mapped[int]
    state: Mapped[str] = mapped_column(String(16))  # open, undone, restored, withdrawn


class StationLeftOut(Base):
    """A judge whose votes are excluded from a project's results; the votes stay."""

    __tablename__ = "station_left_out"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    by: Mapped[str]
    at: Mapped[int]


class StationSeat(Base):
    """A judge in a project. The row is locked during an action, so actions of a judge are serial; pace,
    remaining time and breaks are computed from it.
    """

    __tablename__ = "station_seats"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True)
    decided: Mapped[int] = mapped_column(default=0)  # items and repeats, minus undone ones
    paced: Mapped[int] = mapped_column(default=0)  # decisions included in `worked`
    worked: Mapped[int] = mapped_column(default=0)  # milliseconds
    sat_at: Mapped[int] = mapped_column(default=0)  # start of the current work period
    last_at: Mapped[int] = mapped_column(default=0)
    to_go: Mapped[int] = mapped_column(default=0, server_default="0")  # as last shown to the judge


# Tables for statements that return rows instead of objects.
VOTES = table_of(StationVote)
ITEMS = table_of(StationItem)
LEFT_OUT = table_of(StationLeftOut)
TURNS = table_of(StationTurn)
SEATS = table_of(StationSeat)
PROJECTS = table_of(StationProject)
ACTIONS = table_of(StationAction)
REPORTS = table_of(StationReport)
TEXTS = table_of(StationText)
RUBRICS = table_of(StationRubric)
ITEM_ANSWERS = table_of(StationItemAnswer)
