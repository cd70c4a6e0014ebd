"""The process that judges claims: takes one at a time from the queue, until its stdin ends.

The database's address comes by DATABASE_URL, because arguments are visible to other users.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import threading
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.errors import BenchwrightError
from benchwright.executing.executors import LOCAL
from benchwright.web.core.clock import HOUR_MS, SECOND_MS, Clock, MonotonicClock
from benchwright.web.core.database import Database, DatabaseUnavailable, open_database
from benchwright.web.core.tables import SchemaPart
from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.claims import SubmittedRun
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.heartbeats import heartbeat, repeated_write
from benchwright.web.submissions.judging import judge_claim
from benchwright.web.submissions.queue import (
    LEASE_MS,
    HeldClaim,
    JudgedState,
    end_claim,
    release_claim,
    renew_lease,
    take_claim,
)
from benchwright.web.submissions.refusals import SubmissionRefusal
from benchwright.web.submissions.tables import REFUSED
from benchwright.web.submissions.webhooks import call_webhooks

SUBMISSIONS = SchemaPart("benchwright.web.submissions.migrations", "submissions_0001")
POLL_S = 1.0
FULL_S = 30.0  # before the disk is looked at again
LEAST_FREE = 16 << 20  # bytes of the disk with the submissions
LOG = logging.getLogger("benchwright.web")


class JudgingSetup(NamedTuple):
    """The resources of a judging process."""

    database: Database
    catalog: DataCatalog
    folders: SubmissionFolders
    on: str = LOCAL
    workers: int | None = None
    lease_ms: int = LEASE_MS
    clock: Clock = MonotonicClock()


def judge_next(setup: JudgingSetup) -> str:
    """Judge the next claim; return its id, empty if there is none.

    A claim that cannot be judged here goes back to the queue, with the reason as its detail.
    """
    database, now = setup.database, setup.clock
    held_claim = database.write_now(lambda session: take_claim(session, now(), lease_ms=setup.lease_ms))
    if held_claim is None:
        return ""
    with _renewed(setup, held_claim):
        try:
            judged = _judge_claim(setup, held_claim)
        except (BenchwrightError, OSError) as error:
            LOG.error("submission %s could not be judged: %s", held_claim.id, type(error).__name__)
            trouble = f"attempt {held_claim.attempts} failed: {type(error).__name__}"
            database.write_now(lambda session: release_claim(session, held_claim, trouble))
            return held_claim.id
    database.write_now(lambda session: end_claim(session, held_claim, judged, now()))
    database.read_now(setup.folders.settle)
    database.write_now(lambda session: setup.folders.drop_expired(session, now()))
    call_webhooks(database, now())
    return held_claim.id


def _judge_claim(setup: JudgingSetup, held_claim: HeldClaim) -> JudgedState:
    claim = msgspec.convert(held_claim.claim, SubmittedRun)
    try:
        data = setup.catalog.of_name(claim.data)
    except SubmissionRefusal as refusal:
        return JudgedState(REFUSED, refusal.reason, refusal.message, {})
    folder, out = setup.folders.claim(held_claim.id), setup.folders.judging(held_claim.id)
    return judge_claim(claim, data, folder, out, on=setup.on, workers=setup.workers)


def _renewed(setup: JudgingSetup, held_claim: HeldClaim) -> AbstractContextManager[None]:
    """Renew the lease while the block runs; a failed renewal is tried again before the lease ends."""
    quarter_s = setup.lease_ms / SECOND_MS / 4
    return repeated_write(
        setup.database,
        lambda session: renew_lease(session, held_claim, setup.clock(), lease_ms=setup.lease_ms),
        quarter_s,
        first_s=quarter_s,
    )


def has_room(setup: JudgingSetup) -> bool:
    """Whether the disk has room for a run; attempts to judge a claim are not spent on a full disk."""
    free = shutil.disk_usage(setup.folders.top).free
    if free < LEAST_FREE:
        LOG.error("no claim is judged: the disk of the submissions has only %s bytes free", f"{free:,}")
    return free >= LEAST_FREE


def sweep_files(setup: JudgingSetup) -> None:
    """Delete uploads whose retention has ended, and files of deleted submissions and people."""
    now = setup.clock()
    setup.database.write_now(lambda session: setup.folders.drop_expired(session, now))
    setup.database.read_now(lambda session: setup.folders.drop_unknown(session, older_than_ms=now - HOUR_MS))
    setup.database.read_now(setup.folders.settle)


def judge_until(setup: JudgingSetup, ended: threading.Event) -> None:
    """Judge claims until the event is set."""
    setup.database.read_now(setup.folders.settle)
    swept = 0
    with heartbeat(setup.database, setup.clock):
        while not ended.is_set():
            try:
                if setup.clock() - swept >= HOUR_MS:
                    sweep_files(setup)
                    swept = setup.clock()
                if not has_room(setup):
                    ended.wait(FULL_S)
                elif judge_next(setup):
                    continue
            except DatabaseUnavailable as error:
                LOG.error("%s", error)
            ended.wait(POLL_S)


class JudgeArguments(msgspec.Struct, frozen=True, kw_only=True):
    """The command line of the process, as JSON."""

    rules: str
    state: str
    on: str = LOCAL
    workers: int | None = None
    lease_ms: int = LEASE_MS


def main() -> None:
    """Judge until stdin ends or SIGTERM."""
    given = msgspec.json.decode(sys.argv[1], type=JudgeArguments)
    ended = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, whose end closes stdin
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    threading.Thread(target=_watch_parent, daemon=True).start()
    database = open_database(os.environ["DATABASE_URL"], is_sole=False)
    try:
        setup = JudgingSetup(
            database=database,
            catalog=DataCatalog.of_file(Path(given.rules)),
            folders=SubmissionFolders(Path(given.state)),
            on=given.on,
            workers=given.workers,
            lease_ms=given.lease_ms,
        )
        judge_until(setup, ended)
    finally:
        database.close()


def _watch_parent() -> None:
    """End with the parent: a claim in progress is taken again when its lease has ended."""
    while os.read(0, 1024):
        pass
    os._exit(0)


def judge_command(arguments: JudgeArguments) -> list[str]:
    """The command that starts the process."""
    line: Any = msgspec.json.encode(arguments).decode()
    return [sys.executable, "-m", "benchwright.web.submissions.judging_process", line]


if __name__ == "__main__":
    main()
