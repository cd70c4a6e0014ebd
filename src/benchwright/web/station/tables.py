"""What a judging station keeps: settings, items with their texts, turns, actions and votes.

Votes and actions are only ever added. A vote that is replaced or taken back stays and says so; that a judge
has one vote in force for a field of an item is a partial unique index, which both databases hold to.
Times are milliseconds since 1970, UTC: they sort, and both databases keep them alike.
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

ID = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only what it calls INTEGER
_IN_FORCE = text("NOT superseded")
_HELD = text("state = 'held'")
_DECIDED = text("NOT superseded AND round = 'adjudication'")


def _id() -> Mapped[int]:
    return mapped_column(ID, primary_key=True, autoincrement=True)


def _project() -> Mapped[str]:
    return mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)


class StationProject(Base):
    """How a project is judged. `fingerprint` is of the runs and the kind: the same runs find it again."""

    __tablename__ = "station_projects"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(32), unique=True)
    kind: Mapped[str] = mapped_column(String(16))
    track: Mapped[str] = mapped_column(String(200))
    judgements: Mapped[int]  # judges an item
    repeat_share: Mapped[float]
    threshold: Mapped[float]  # agreement below which an item goes to adjudication
    lease_s: Mapped[int]
    equal_pairs: Mapped[int] = mapped_column(default=0, server_default="0")  # ties, which nobody is shown
    gap: Mapped[int]  # decisions between an item and its repeat, at least
    secret: Mapped[str] = mapped_column(String(64))  # keys all that is shuffled or named for a judge
    rubric: Mapped[str] = mapped_column(String(32))  # digest of the one in force
    made_at: Mapped[int]


class StationRun(Base):
    """A run folder that the items came from."""

    __tablename__ = "station_runs"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = _id()
    project_id: Mapped[str] = _project()
    place: Mapped[int]
    digest: Mapped[str] = mapped_column(String(64))
    path: Mapped[str] = mapped_column(Text)


class StationRubric(Base):
    """One version of the rubric's text; `document` is JSON."""

    __tablename__ = "station_rubrics"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(32), primary_key=True)
    number: Mapped[int]
    document: Mapped[str] = mapped_column(Text)
    made_at: Mapped[int]


class StationText(Base):
    """A text, once for all that hold it: an answer's, or the JSON of what a judge is shown around answers."""

    __tablename__ = "station_texts"

    digest: Mapped[str] = mapped_column(String(32), primary_key=True)
    body: Mapped[str] = mapped_column(Text)


class StationItem(Base):
    """One decision to be made. `taken` counts the judges who made it or hold it, of `wanted`."""

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
    """An answer of an item, and where it came from."""

    __tablename__ = "station_item_answers"

    item_id: Mapped[int] = mapped_column(ForeignKey("station_items.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    run: Mapped[str] = mapped_column(String(64))
    key: Mapped[str] = mapped_column(Text)
    sample: Mapped[int]
    text: Mapped[str] = mapped_column(ForeignKey("station_texts.digest"))


class StationTurn(Base):
    """A place in a judge's own order, and the lease on it while the item is before the judge.

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
    beside: Mapped[int | None]  # of a gold item: the ordinary one that stands next to it, 0 where none does
    not_before: Mapped[int] = mapped_column(default=0)  # decisions that the judge must have made in between
    state: Mapped[str] = mapped_column(String(16))
    counted: Mapped[bool] = mapped_column(default=False, server_default=false())  # in the item's `taken`
    again: Mapped[bool] = mapped_column(default=False, server_default=false())  # decided before, taken back
    page: Mapped[str] = mapped_column(String(43), default="", server_default="")
    draft: Mapped[str] = mapped_column(
        Text, default="", server_default=""
    )  # JSON: what was not yet submitted
    begun_at: Mapped[int] = mapped_column(default=0, server_default="0")
    until: Mapped[int] = mapped_column(default=0, server_default="0")


class StationAction(Base):
    """What a judge did: vote, skip, report, or undo. `key` is the token of the form, so a replay is known."""

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
    """One value for one field. `withdrawn`: the row takes back the one it supersedes, and says nothing."""

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
    """A judge says that an item is bad. It is away from judges until somebody who may has looked at it."""

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
    """A judge whose votes are left out of a project's results; the votes stay as they are."""

    __tablename__ = "station_left_out"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    by: Mapped[str]
    at: Mapped[int]


class StationSeat(Base):
    """A judge in a project. Its row is locked while a step of the judge is done, so that steps follow each
    other; and pace, time left and breaks are reckoned from it."""

    __tablename__ = "station_seats"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    judge_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True)
    decided: Mapped[int] = mapped_column(default=0)  # items, repeats too, less those taken back
    paced: Mapped[int] = mapped_column(default=0)  # decisions that `worked` went into
    worked: Mapped[int] = mapped_column(default=0)  # milliseconds
    sat_at: Mapped[int] = mapped_column(default=0)  # when the stretch of work without a gap began
    last_at: Mapped[int] = mapped_column(default=0)
    to_go: Mapped[int] = mapped_column(default=0, server_default="0")  # as the judge was last told


# Tables for statements that bring rows and no objects.
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
