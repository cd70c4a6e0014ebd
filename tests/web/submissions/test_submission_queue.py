"""The queue on both databases: leases, killed holders, one state, quota, duplicates, retention."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.web.core.accounts import make_account, make_project
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.database import Database
from benchwright.web.core.tables import CORE, SchemaPart
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.judging_process import SUBMISSIONS
from benchwright.web.submissions.queue import (
    LEASE_MS,
    MOST_ATTEMPTS,
    JudgedState,
    OutcomeDifference,
    PushedClaim,
    add_claim,
    end_claim,
    new_submission_id,
    release_claim,
    renew_lease,
    space_settings,
    take_claim,
)
from benchwright.web.submissions.refusals import SubmissionRefusal
from benchwright.web.submissions.roles import PUBLIC_SPACE
from benchwright.web.submissions.tables import DifferingRow, Submission
from kit.web_client import START_MS

pytestmark = pytest.mark.postgresql

VERIFIED = JudgedState("verified", "", "", {"metrics": {}})
REFUSED = JudgedState(
    "refused",
    "verdicts-differ",
    "one",
    {},
    [OutcomeDifference(task_id="T/1", sample=0, claimed="passed", judged="wrong")],
)


@pytest.fixture
def database_parts() -> tuple[SchemaPart, ...]:
    """Return the parts whose tables the database has."""
    return (CORE, SUBMISSIONS)


def _push(database: Database, sha256: str = "a" * 64, *, at: int = START_MS) -> str:
    """Queue a claim of one account in one space; the first call creates both."""

    def push(session: object) -> str:
        from sqlalchemy import select

        from benchwright.web.core.tables import Account, Project

        account = session.scalar(select(Account)) or make_account(session, "anna", "!", at)
        space = session.scalar(select(Project)) or make_project(session, "Team", at, state=PUBLIC_SPACE)
        pushed = PushedClaim(space.id, account.id, sha256, 1, "run", "mine", "small", {"answers": 1})
        return add_claim(session, new_submission_id(), pushed, at).id

    return database.write_now(push)


def _state(database: Database, submission_id: str) -> tuple[str, str]:
    row = database.read_now(lambda session: session.get_one(Submission, submission_id))
    return row.state, row.reason


def test_a_killed_judge_loses_its_claim_and_cannot_write_a_second_state(database: Database) -> None:
    """The lease ends, another process takes the claim, and only that one completes it, once."""
    submission_id = _push(database)
    first = database.write_now(lambda session: take_claim(session, START_MS))
    assert first is not None and first.id == submission_id
    assert database.write_now(lambda session: take_claim(session, START_MS + LEASE_MS - 1)) is None
    assert database.write_now(lambda session: renew_lease(session, first, START_MS + 1))
    assert database.write_now(lambda session: take_claim(session, START_MS + LEASE_MS)) is None

    later = START_MS + LEASE_MS + 1
    second = database.write_now(lambda session: take_claim(session, later))
    assert second is not None and (second.id, second.attempts) == (submission_id, 2)
    assert not database.write_now(lambda session: renew_lease(session, first, later))
    assert not database.write_now(lambda session: end_claim(session, first, VERIFIED, later))
    assert _state(database, submission_id) == ("claimed", "")
    assert database.write_now(lambda session: end_claim(session, second, REFUSED, later))
    assert not database.write_now(lambda session: end_claim(session, second, VERIFIED, later))
    assert _state(database, submission_id) == ("refused", "verdicts-differ")
    rows = database.read_now(lambda session: session.query(DifferingRow).all())
    assert [(row.task_id, row.sample, row.claimed, row.judged) for row in rows] == [
        ("T/1", 0, "passed", "wrong")
    ]


def test_claims_are_taken_in_order_and_given_up_after_some_attempts(database: Database) -> None:
    """Two holders get two claims; one that no machine can judge stays claimed, with the reason."""
    one, two = _push(database), _push(database, "b" * 64, at=START_MS + 1)
    held = [database.write_now(lambda session: take_claim(session, START_MS + 2)) for _ in range(3)]
    assert [each and each.id for each in held] == [one, two, None]
    current = held[0]
    for _ in range(MOST_ATTEMPTS):
        assert current is not None
        released = current
        assert database.write_now(lambda session, held=released: release_claim(session, held, "no sandbox"))
        current = database.write_now(lambda session: take_claim(session, START_MS + 2))
    assert current is None
    row = database.read_now(lambda session: session.get_one(Submission, one))
    assert (row.state, row.detail, row.attempts) == ("claimed", "no sandbox", MOST_ATTEMPTS)


def test_quota_and_duplicates_are_refused(database: Database) -> None:
    """The quota counts the last 24 hours of an account."""
    _push(database)
    with pytest.raises(SubmissionRefusal) as caught:
        _push(database)
    assert caught.value.reason == "duplicate"
    space = database.read_now(lambda session: session.query(Submission).one().project_id)
    database.write_now(lambda session: setattr(space_settings(session, space), "pushes_a_day", 1))
    with pytest.raises(SubmissionRefusal) as caught:
        _push(database, "b" * 64, at=START_MS + DAY_MS - 1)
    assert caught.value.reason == "quota"
    _push(database, "b" * 64, at=START_MS + DAY_MS)


def test_folders_follow_the_state(database: Database, tmp_path: Path) -> None:
    """Verified runs of public spaces are in the folder of leaderboards; others are deleted or elsewhere."""
    folders = SubmissionFolders(tmp_path)
    ids = [_push(database, digit * 64, at=START_MS + place) for place, digit in enumerate("abc")]
    for each in (*ids, "deleted"):
        folders.judging(each).mkdir()
        folders.claim(each).mkdir()
    for state in (VERIFIED, REFUSED):
        held = database.write_now(lambda session: take_claim(session, START_MS + 9))
        assert held is not None
        ended = held, state
        database.write_now(lambda session, given=ended: end_claim(session, *given, START_MS + 9))

    database.read_now(folders.settle)
    places = [sorted(each.parent.name for each in tmp_path.glob(f"*/{name}")) for name in (*ids, "deleted")]
    assert places == [["claims", "verified"], ["claims"], ["claims", "judging"], ["claims"]]
    database.read_now(folders.clear)
    assert not folders.claim("deleted").exists()
    database.write_now(lambda session: folders.drop_expired(session, START_MS + 91 * DAY_MS))
    assert [folders.claim(each).exists() for each in ids] == [False, False, True]
