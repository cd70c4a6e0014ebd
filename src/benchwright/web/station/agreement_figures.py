"""Agreement between a project's judges, computed in another process and cached until votes change."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import NamedTuple

import msgspec
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.web.core.database import Database
from benchwright.web.station.agreement_process import Agreements, Ballot
from benchwright.web.station.blinding import pseudonym
from benchwright.web.station.left_out import COUNTS, left_out_of
from benchwright.web.station.tables import ITEMS, VOTES, StationProject

LOG = logging.getLogger("benchwright.web")
PATIENCE_S = 2.0  # a page waits this long for figures


class VotesState(NamedTuple):
    """The version of a project's votes: every change of a vote adds a row."""

    newest: int
    left_out: frozenset[str]


class ShownAgreement(NamedTuple):
    """The latest figures, and whether newer ones are being computed."""

    figures: Agreements | None
    is_pending: bool
    has_failed: bool = False


class _CachedFigures(NamedTuple):
    state: VotesState
    figures: Agreements


class AgreementFigures:
    """The figures of all projects. One process at a time computes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[str, _CachedFigures] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    async def shown(self, project_id: str, *, patience_s: float | None = None) -> ShownAgreement:
        """The figures of the current votes, or of earlier votes if that takes too long."""
        state = await self._database.read(lambda session: state_of(session, project_id))
        kept = self._kept.get(project_id)
        if kept is not None and kept.state == state:
            return ShownAgreement(kept.figures, is_pending=False)
        task = self._tasks.get(project_id)
        if task is None:
            task = self._tasks[project_id] = asyncio.create_task(self._compute(project_id))
            task.add_done_callback(lambda _: self._tasks.pop(project_id, None))
        done, _ = await asyncio.wait({task}, timeout=PATIENCE_S if patience_s is None else patience_s)
        found = self._kept.get(project_id)
        failed = bool(done) and task.exception() is not None
        return ShownAgreement(found.figures if found else None, is_pending=not done, has_failed=failed)

    async def _compute(self, project_id: str) -> None:
        try:
            async with self._turn:
                state, ballots = await self._database.read(lambda session: _read(session, project_id))
                self._kept[project_id] = _CachedFigures(state, await _run(ballots))
        except Exception:
            LOG.exception("agreement of project %s could not be computed", project_id)
            raise


def state_of(session: Session, project_id: str) -> VotesState:
    """The version of a project's votes."""
    newest = session.scalar(select(func.max(VOTES.c.id)).where(VOTES.c.project_id == project_id))
    return VotesState(newest or 0, left_out_of(session, project_id))


def _read(session: Session, project_id: str) -> tuple[VotesState, list[Ballot]]:
    return state_of(session, project_id), ballots_of(session, project_id)


def ballots_of(session: Session, project_id: str) -> list[Ballot]:
    """The current votes as ballots, from records of `votes_of`."""
    secret = session.get_one(StationProject, project_id).secret
    rows = session.execute(
        select(VOTES.c.judge_id, ITEMS.c.item, VOTES.c.field, VOTES.c.value, VOTES.c.round, ITEMS.c.expected)
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .where(VOTES.c.project_id == project_id, *COUNTS)
        .order_by(ITEMS.c.place, VOTES.c.id)
    )
    names: dict[str, str] = {}
    found = []
    for judge, item, field, value, round, expected in rows:
        name = names.get(judge) or names.setdefault(judge, pseudonym(secret, judge))
        is_gold = expected != "{}" and round == "first"
        found.append(Ballot(name, item, field, value, "gold" if is_gold else round))
    return found


async def _run(ballots: list[Ballot]) -> Agreements:
    """Compute in a child process that ends with this task."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "benchwright.web.station.agreement_process"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C must reach the server only, which ends this process
    )
    try:
        out, _ = await process.communicate(msgspec.json.encode(ballots))
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError(f"the process that computes agreement ended with {process.returncode}")
    return msgspec.json.decode(out, type=Agreements)
