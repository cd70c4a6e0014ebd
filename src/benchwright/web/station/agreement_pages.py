"""The page on agreement between judges, and the figures on it.

Figures are computed in another process and cached until the project's votes change.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import NamedTuple

import msgspec
from litestar import get
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.display.wording import counted, plain_number
from benchwright.judges.people.agreement import COEFFICIENTS
from benchwright.web.core.database import Database
from benchwright.web.core.guard import route
from benchwright.web.core.pages import page
from benchwright.web.core.site import PageResponse, SiteRequest, site_of
from benchwright.web.station.agreement_process import DRAWS, MOST_PAIRS, Agreements, Ballot
from benchwright.web.station.blinding import pseudonym
from benchwright.web.station.roles import READERS, project_of
from benchwright.web.station.tables import ITEMS, VOTES, StationProject
from benchwright.web.station.vote_records import COUNTS, excluded_judges

LOG = logging.getLogger("benchwright.web")
PATIENCE_S = 2.0  # a page waits this long for figures


class VotesVersion(NamedTuple):
    """The version of a project's votes: every change of a vote adds a row."""

    newest: int
    left_out: frozenset[str]


class AgreementView(NamedTuple):
    """The latest figures, and whether newer ones are being computed."""

    figures: Agreements | None
    is_pending: bool
    has_failed: bool = False


class _CachedFigures(NamedTuple):
    state: VotesVersion
    figures: Agreements


class AgreementFigures:
    """The figures of all projects. One process at a time computes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached_figures: dict[str, _CachedFigures] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turn = asyncio.Lock()

    async def shown(self, project_id: str, *, patience_s: float | None = None) -> AgreementView:
        """The figures of the current votes, or of earlier votes if that takes too long."""
        state = await self._database.read(lambda session: state_of(session, project_id))
        cached = self._cached_figures.get(project_id)
        if cached is not None and cached.state == state:
            return AgreementView(cached.figures, is_pending=False)
        task = self._tasks.get(project_id)
        if task is None:
            task = self._tasks[project_id] = asyncio.create_task(self._compute(project_id))
            task.add_done_callback(lambda _: self._tasks.pop(project_id, None))
        done, _ = await asyncio.wait({task}, timeout=PATIENCE_S if patience_s is None else patience_s)
        found = self._cached_figures.get(project_id)
        failed = bool(done) and task.exception() is not None
        return AgreementView(found.figures if found else None, is_pending=not done, has_failed=failed)

    async def _compute(self, project_id: str) -> None:
        try:
            async with self._turn:
                state, ballots = await self._database.read(lambda session: _read(session, project_id))
                self._cached_figures[project_id] = _CachedFigures(state, await _run(ballots))
        except Exception:
            LOG.exception("agreement of project %s could not be computed", project_id)
            raise


def state_of(session: Session, project_id: str) -> VotesVersion:
    """The version of a project's votes."""
    newest = session.scalar(select(func.max(VOTES.c.id)).where(VOTES.c.project_id == project_id))
    return VotesVersion(newest or 0, excluded_judges(session, project_id))


def _read(session: Session, project_id: str) -> tuple[VotesVersion, list[Ballot]]:
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


_FIGURES = "agreement"  # key in the application's state
RELOAD_S = "5"


@get("/projects/{project_id:str}/agreement", opt=route(READERS))
async def agreement_page(request: SiteRequest) -> PageResponse:
    """Show agreement with intervals. The page reloads itself while figures are being computed."""
    agreement = await _figures(request).shown(project_of(request))
    return page(
        request,
        "station_agreement.html",
        headers={"refresh": RELOAD_S} if agreement.is_pending else None,
        shown=agreement,
        draws=DRAWS,
        most_pairs=MOST_PAIRS,
        titles=COEFFICIENTS,
        number=plain_number,
        counted=counted,
    )


def _figures(request: SiteRequest) -> AgreementFigures:
    """The cache of the application; created by the first request, in its event loop."""
    state = request.app.state
    if state.get(_FIGURES) is None:
        state[_FIGURES] = AgreementFigures(site_of(request).database)
    found: AgreementFigures = state[_FIGURES]
    return found


AGREEMENT_ROUTES = [agreement_page]
