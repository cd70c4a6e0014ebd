"""Signs of life of judging processes: a site fact of each, written every few seconds and deleted at its end.

They are in the database because judging processes may run on other machines (`--judge-only`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
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
    """Write signs of life of this process while the block runs."""
    name = new_id()
    try:
        with repeated_write(database, lambda session: note_judge(session, name, clock()), beat_s, first_s=0):
            yield
    finally:
        statement = delete(SiteFact).where(SiteFact.name == PREFIX + name)
        database.write_now(lambda session: session.execute(statement))


@contextmanager
def repeated_write(
    database: Database, write: Callable[[Session], object], every_s: float, *, first_s: float
) -> Iterator[None]:
    """Write from a thread while the block runs. A failed write is logged; the next one follows in time."""
    ended = threading.Event()

    def repeat() -> None:
        wait_s = first_s
        while not ended.wait(wait_s):
            wait_s = every_s
            try:
                database.write_now(write)
            except DatabaseUnavailable as error:
                LOG.error("%s", error)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
