"""Items and votes of a project as records, in canonical order, and judges whose votes are excluded.

The same votes give the same bytes. Excluded votes stay in the database and can be included again.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

import msgspec
from sqlalchemy import ColumnElement, Select, select, update
from sqlalchemy.orm import Session

from benchwright.judges.people.records import ItemAnswer, ItemKind, JudgedItem, Round, Vote
from benchwright.records import TaskId
from benchwright.store.keys import content_key
from benchwright.web.core.accounts import Erasure
from benchwright.web.core.tables import Project
from benchwright.web.station.blinding import pseudonym
from benchwright.web.station.tables import (
    LEFT_OUT,
    VOTES,
    StationItem,
    StationItemAnswer,
    StationLeftOut,
    StationProject,
    StationReport,
    StationRun,
    StationText,
    StationVote,
)

_BATCH = 500  # items whose texts are in memory at a time


def find_project(session: Session, name: str) -> str | None:
    """The id of the project with this id or name; None if there is none or the name is ambiguous."""
    found = session.scalars(
        select(StationProject.project_id)
        .join(Project, Project.id == StationProject.project_id)
        .where((Project.id == name) | (Project.name == name))
    ).all()
    return found[0] if len(found) == 1 else None


def project_names(session: Session) -> list[str]:
    """The names of all judging projects, sorted."""
    query = select(Project.name).join(StationProject, Project.id == StationProject.project_id)
    return sorted(session.scalars(query))


def runs_of(session: Session, project: str) -> list[tuple[str, str]]:
    """Digest and path of each run of a project, in order."""
    query = select(StationRun.digest, StationRun.path).where(StationRun.project_id == project)
    return [(digest, path) for digest, path in session.execute(query.order_by(StationRun.place))]


def equal_pairs_of(session: Session, project: str) -> int:
    """The number of pairs with equal answers: they count as ties, are not items, and have no votes."""
    return session.get_one(StationProject, project).equal_pairs


def items_of(session: Session, project: str) -> Iterator[JudgedItem]:
    """The items of a project in the order of their answers; gold items with their expected values."""
    query = select(StationItem).where(StationItem.project_id == project)
    for batch in session.scalars(query.order_by(StationItem.place)).partitions(_BATCH):
        yield from _records(session, list(batch))


def _records(session: Session, items: list[StationItem]) -> Iterator[JudgedItem]:
    answers = session.execute(
        select(StationItemAnswer, StationText.body)
        .join(StationText, StationText.digest == StationItemAnswer.text)
        .where(StationItemAnswer.item_id.in_([each.id for each in items]))
        .order_by(StationItemAnswer.item_id, StationItemAnswer.place)
    )
    beside: dict[int, list[ItemAnswer]] = {}
    for each, body in answers:
        answer = ItemAnswer(run=each.run, key=each.key, sample=each.sample, text=body)
        beside.setdefault(each.item_id, []).append(answer)
    digests = {each.subject for each in items}
    subjects = dict(
        session.execute(
            select(StationText.digest, StationText.body).where(StationText.digest.in_(digests))
        ).all()
    )
    for item in items:
        yield JudgedItem(
            item=item.item,
            kind=cast(ItemKind, item.kind),
            task_id=read_task_id(item.task_id),
            track=item.track,
            answers=beside.get(item.id, []),
            fields=msgspec.json.decode(item.fields),
            expected=msgspec.json.decode(item.expected),
            **msgspec.json.decode(subjects[item.subject]),
        )


def votes_of(session: Session, project: str) -> Iterator[Vote]:
    """The current votes, by position of the item, then by judge, round and field.

    Replaced, undone and excluded votes are omitted. Judges have pseudonyms.
    """
    secret = session.get_one(StationProject, project).secret
    keys: dict[int, list[str]] = {}
    query = (
        select(StationItemAnswer.item_id, StationItemAnswer.key)
        .join(StationItem, StationItem.id == StationItemAnswer.item_id)
        .where(StationItem.project_id == project)
        .order_by(StationItemAnswer.item_id, StationItemAnswer.place)
    )
    for item_id, key in session.execute(query):
        keys.setdefault(item_id, []).append(key)
    rows = session.execute(
        select(StationVote, StationItem)
        .join(StationItem, StationItem.id == StationVote.item_id)
        .where(StationVote.project_id == project, *COUNTS)
        .order_by(StationItem.place)
    )
    batch: list[Vote] = []
    at = -1
    for row, item in rows:
        if item.place != at:
            yield from sorted(batch, key=_order)
            batch, at = [], item.place
        batch.append(_vote(row, item, keys.get(item.id, []), pseudonym(secret, row.judge_id)))
    yield from sorted(batch, key=_order)


def vote_keys_of(session: Session, project: str) -> frozenset[str]:
    """The keys of all votes ever given in a project, including replaced and undone ones."""
    query = select(StationVote.submission, StationVote.field).where(StationVote.project_id == project)
    return frozenset(_key(submission, field) for submission, field in session.execute(query))


def _key(submission: str, field: str) -> str:
    return content_key("station", submission, field)


def _vote(row: StationVote, item: StationItem, answers: list[str], judge: str) -> Vote:
    is_gold = item.expected != "{}" and row.round == "first"
    return Vote(
        vote=_key(row.submission, row.field),
        item=item.item,
        task_id=read_task_id(item.task_id),
        kind=cast(ItemKind, item.kind),
        field=row.field,
        value=msgspec.json.decode(row.value),
        judge=judge,
        round="gold" if is_gold else cast(Round, row.round),
        answers=answers,
        comment=row.comment,
        shown=row.shown,
        started_at=as_time(row.started_at),
        submitted_at=as_time(row.submitted_at),
        rubric=row.rubric,
        interface=row.interface,
    )


def _order(vote: Vote) -> tuple[str, str, str, str]:
    return vote.judge, vote.round, vote.field, vote.vote


def as_time(milliseconds: int) -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(milliseconds / 1_000, UTC).isoformat(timespec="milliseconds")


@lru_cache(maxsize=4096)
def read_task_id(text: str) -> TaskId:
    """Decode a task id of the database."""
    value: Any = msgspec.json.decode(text)
    return cast(TaskId, value)


COUNTS: tuple[ColumnElement[bool], ...] = (  # current votes of judges who are not excluded
    ~VOTES.c.superseded,
    ~VOTES.c.withdrawn,
    ~select(LEFT_OUT.c.judge_id)
    .where(LEFT_OUT.c.project_id == VOTES.c.project_id, LEFT_OUT.c.judge_id == VOTES.c.judge_id)
    .correlate(VOTES)
    .exists(),
)


def exclude_votes(session: Session, project_id: str, judge_id: str, by: str, now: int) -> bool:
    """Exclude a judge's votes from results. Returns whether they were included."""
    if session.get(StationLeftOut, (project_id, judge_id)) is not None:
        return False
    session.add(StationLeftOut(project_id=project_id, judge_id=judge_id, by=by, at=now))
    session.flush()
    return True


def include_votes(session: Session, project_id: str, judge_id: str) -> bool:
    """Include a judge's votes again. Returns whether they were excluded."""
    found = session.get(StationLeftOut, (project_id, judge_id))
    if found is None:
        return False
    session.delete(found)
    session.flush()
    return True


def excluded_judges(session: Session, project_id: str) -> frozenset[str]:
    """The judges whose votes are excluded."""
    return frozenset(session.scalars(_judges(project_id)))


def _judges(project_id: str) -> Select[Any]:
    return select(StationLeftOut.judge_id).where(StationLeftOut.project_id == project_id)


def erase_votes(session: Session, erasure: Erasure) -> None:
    """If a deleted person's votes are not to count: exclude them and delete the texts."""
    if erasure.keep_work:
        return
    judge = erasure.account_id
    for project in list(
        session.scalars(select(StationVote.project_id).where(StationVote.judge_id == judge).distinct())
    ):
        exclude_votes(session, project, judge, erasure.by, erasure.now)
    session.execute(update(StationVote).where(StationVote.judge_id == judge).values(comment=""))
    session.execute(update(StationReport).where(StationReport.judge_id == judge).values(reason=""))
