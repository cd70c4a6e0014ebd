"""Signs of life of judging processes: a site fact of each, written every few seconds and deleted at its end.

They are in the database because judging processes may run on other machines (`--judge-only`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from benchwright.web.core.clock import SECOND_MS, Clock
from benchwright.web.core.database import Database, DatabaseUnavailable
from benchwright.web.core.secrets import new_id, store_site_setting
from benchwright.web.core.tables import SiteFact

LOG = logging.getLogger("benchwright.web")
PREFIX = "judge/"
BEAT_S = 15.0
LOST_MS = 60 * SECOND_MS  # without a sign, a process is taken to have ended


def judges_alive(session: Session, now: int) -> int:
    """The number of judging processes with a recent sign of life."""
    signs = session.scalars(select(SiteFact.value).where(SiteFact.name.startswith(PREFIX)))
    return sum(int(each) > now - LOST_MS for each in signs)


def note_judge(session: Session, name: str, now: int) -> None:
    """Store a sign of life, and delete those of processes that ended without deleting theirs."""
    for each in session.scalars(select(SiteFact).where(SiteFact.name.startswith(PREFIX))):
        if int(each.value) <= now - LOST_MS:
            session.delete(each)
    session.flush()
    store_site_setting(session, PREFIX + name, str(now))


@contextmanager
def heartbeat(database: Database, clock: Clock, *, beat_s: float = BEAT_S) -> Iterator[None]:
    """Write signs of life of this process from a thread while the block runs."""
    name, ended = new_id(), threading.Event()

    def beat() -> None:
        while True:
            try:
                database.write_now(lambda session: note_judge(session, name, clock()))
            except DatabaseUnavailable as error:  # the next one is written in time
                LOG.error("%s", error)
            if ended.wait(beat_s):
                return

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        gone = delete(SiteFact).where(SiteFact.name == PREFIX + name)
        database.write_now(lambda session: session.execute(gone))
