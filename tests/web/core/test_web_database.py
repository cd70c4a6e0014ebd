"""Transactions on both databases: writes are durable, failures leave no trace, concurrent writes are all
kept."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from benchwright.web.core.database import Database
from benchwright.web.core.tables import SiteFact

pytestmark = pytest.mark.postgresql


def _count(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(SiteFact)) or 0


def test_a_fault_in_the_middle_leaves_nothing(database: Database) -> None:
    """Work that raises after a write is rolled back, and its error is raised unchanged."""

    def work(session: Session) -> None:
        session.add(SiteFact(name="one", value="1"))
        session.flush()
        raise LookupError("in the middle")

    with pytest.raises(LookupError, match="in the middle"):
        database.write_now(work)

    assert database.read_now(_count) == 0


def test_a_broken_constraint_is_the_callers(database: Database) -> None:
    """A second row with the same key raises IntegrityError, not an error of an unusable database."""
    for expected in (False, True):

        def add(session: Session) -> None:
            session.add(SiteFact(name="one", value="1"))

        if expected:
            with pytest.raises(IntegrityError):
                database.write_now(add)
        else:
            database.write_now(add)

    assert database.read_now(_count) == 1


def test_reading_first_and_writing_then_does_not_fail_beside_others(database: Database) -> None:
    """Run two hundred concurrent transactions that read a value and write its successor: each one counts."""
    database.write_now(lambda session: session.add(SiteFact(name="sum", value="0")))

    def more(session: Session) -> None:
        row = session.scalars(select(SiteFact).with_for_update()).one()
        row.value = str(int(row.value) + 1)

    async def all_at_once() -> None:
        await asyncio.gather(*(database.write(more) for _ in range(200)))

    asyncio.run(all_at_once())

    assert database.read_now(lambda session: session.scalars(select(SiteFact.value)).one()) == "200"


def test_what_reads_cannot_write(database: Database) -> None:
    """A write in a read transaction is never stored, however the database refuses it."""

    def add(session: Session) -> None:
        session.add(SiteFact(name="one", value="1"))

    database.read_now(add)

    assert database.read_now(_count) == 0
