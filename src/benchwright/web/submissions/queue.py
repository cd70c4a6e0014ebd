"""The queue of claims in the database: pushed, taken by one judging process at a time, ended once.

A judging process holds a claim by a lease, which it renews. If it is killed, the lease ends and another
process takes the claim; the run folder resumes where it stopped. A state is written only by the holder of the
lease and only on a claim, so no submission gets two states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from benchwright.records import Record, TaskId
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.secrets import new_id, new_secret
from benchwright.web.submissions.refusals import SubmissionRefusal
from benchwright.web.submissions.tables import CLAIMED, DifferingRow, SpaceSettings, Submission

LEASE_MS = 60_000
MOST_ATTEMPTS = 5
MOST_ROWS = 10_000  # differing rows that are stored; their number is in the result
PUSHES_A_DAY, KEEP_DAYS = 20, 90


class PushedClaim(NamedTuple):
    """A read upload, ready to be queued."""

    project_id: str
    account_id: str
    sha256: str
    size: int
    kind: str
    model: str
    data: str
    claim: dict[str, Any]


class OutcomeDifference(Record, frozen=True, kw_only=True):
    """An answer with the claimed and the judged outcome."""

    task_id: TaskId
    sample: int
    claimed: str
    judged: str


class JudgedState(NamedTuple):
    """The end of a claim."""

    state: str
    reason: str
    detail: str
    result: dict[str, Any]
    rows: Sequence[OutcomeDifference] = ()


class HeldClaim(NamedTuple):
    """A claim under a lease."""

    id: str
    project_id: str
    data: str
    model: str
    claim: dict[str, Any]
    lease: str
    attempts: int


def default_settings(project_id: str) -> SpaceSettings:
    """The settings of a space whose owners have chosen none."""
    return SpaceSettings(project_id=project_id, pushes_a_day=PUSHES_A_DAY, keep_days=KEEP_DAYS, webhook="")


def space_settings(session: Session, project_id: str, *, lock: bool = False) -> SpaceSettings:
    """The settings of a space, created with defaults when they are missing. `lock` holds them for a write."""
    query = select(SpaceSettings).where(SpaceSettings.project_id == project_id)
    found = session.scalar(query.with_for_update() if lock else query)
    if found is None:
        found = default_settings(project_id)
        session.add(found)
        session.flush()
    return found


def find_pushed(session: Session, project_id: str, sha256: str) -> Submission | None:
    """The submission of this content in a space."""
    same = (Submission.project_id == project_id) & (Submission.sha256 == sha256)
    return session.scalar(select(Submission).where(same))


def check_quota(session: Session, project_id: str, account_id: str, now: int) -> None:
    """Raise SubmissionRefusal if the account has used its pushes of the last 24 hours."""
    most = space_settings(session, project_id, lock=True).pushes_a_day
    recent = select(func.count()).where(
        Submission.project_id == project_id,
        Submission.account_id == account_id,
        Submission.created_ms > now - DAY_MS,
    )
    if (session.scalar(recent) or 0) >= most:
        raise SubmissionRefusal("quota", f"this account has pushed {most} runs in the last 24 hours")


def add_claim(session: Session, submission_id: str, pushed: PushedClaim, now: int) -> Submission:
    """Queue a claim. Raises SubmissionRefusal for content that was pushed before, and at the quota."""
    check_quota(session, pushed.project_id, pushed.account_id, now)
    if (earlier := find_pushed(session, pushed.project_id, pushed.sha256)) is not None:
        raise SubmissionRefusal("duplicate", f"the content is submission {earlier.id}")
    submission = Submission(id=submission_id, **pushed._asdict(), state=CLAIMED, result={}, created_ms=now)
    session.add(submission)
    session.flush()
    return submission


def new_submission_id() -> str:
    """A random id that is also the name of a folder."""
    return new_id()


def take_claim(session: Session, now: int, *, lease_ms: int = LEASE_MS) -> HeldClaim | None:
    """Take the oldest claim that nobody holds; None if there is none."""
    free = (
        (Submission.state == CLAIMED)
        & (Submission.lease_until_ms <= now)
        & (Submission.attempts < MOST_ATTEMPTS)
    )
    oldest = select(Submission.id).where(free).order_by(Submission.created_ms, Submission.id).limit(1)
    found = session.scalar(oldest.with_for_update(skip_locked=True))
    if found is None:
        return None
    lease = new_secret()
    taking = (
        update(Submission)
        .where(Submission.id == found, free)
        .values(lease=lease, lease_until_ms=now + lease_ms, attempts=Submission.attempts + 1)
        .returning(Submission)
    )
    row = session.scalar(taking)
    if row is None:
        return None
    return HeldClaim(row.id, row.project_id, row.data, row.model, row.claim, lease, row.attempts)


def renew_lease(session: Session, held_claim: HeldClaim, now: int, *, lease_ms: int = LEASE_MS) -> bool:
    """Prolong a lease; whether it was still held."""
    return _change(session, held_claim, lease_until_ms=now + lease_ms)


def release_claim(session: Session, held_claim: HeldClaim, trouble: str) -> bool:
    """Return a claim to the queue with the reason why it could not be judged."""
    return _change(session, held_claim, lease="", lease_until_ms=0, detail=trouble)


def is_given_up(row: Submission, now: int) -> bool:
    """Whether no process takes the claim any more, because all attempts failed."""
    return row.state == CLAIMED and row.attempts >= MOST_ATTEMPTS and row.lease_until_ms <= now


def requeue_claim(session: Session, submission_id: str, now: int) -> bool:
    """Allow new attempts to judge a claim that was given up; whether it was."""
    row = session.get(Submission, submission_id, with_for_update=True)
    if row is None or not is_given_up(row, now):
        return False
    row.attempts, row.detail, row.lease, row.lease_until_ms = 0, "", "", 0
    return True


def end_claim(session: Session, held_claim: HeldClaim, judged: JudgedState, now: int) -> bool:
    """Write the state of a claim, with its differing rows; whether the lease was still held."""
    ended = _change(
        session,
        held_claim,
        state=judged.state,
        reason=judged.reason,
        detail=judged.detail,
        result=judged.result,
        judged_ms=now,
        lease="",
        lease_until_ms=0,
    )
    rows = [
        {
            "submission_id": held_claim.id,
            "place": place,
            "task_id": str(row.task_id),
            "sample": row.sample,
            "claimed": row.claimed,
            "judged": row.judged,
        }
        for place, row in enumerate(judged.rows[:MOST_ROWS])
    ]
    if ended and rows:
        session.execute(insert(DifferingRow), rows)
    return ended


def _change(session: Session, held_claim: HeldClaim, **values: Any) -> bool:
    own = (
        (Submission.id == held_claim.id)
        & (Submission.lease == held_claim.lease)
        & (Submission.state == CLAIMED)
    )
    changed = session.execute(update(Submission).where(own).values(**values).returning(Submission.id))
    return changed.first() is not None
