"""Computed figures by their input: in memory, in the database, else from the child process.

A key is a digest of the contestants and of the request, so figures are never out of date.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from benchwright.store.keys import content_key
from benchwright.version import VERSION
from benchwright.web.core.child_process import ChildProcess
from benchwright.web.core.clock import Clock
from benchwright.web.core.database import Database
from benchwright.web.serve.figures_process import CompareRequest, FigureReply, RankRequest
from benchwright.web.serve.index_records import IndexedRun
from benchwright.web.serve.run_index import RunIndex
from benchwright.web.serve.tables import FIGURES

LOG = logging.getLogger("benchwright.web")
PATIENCE_S = 1.0  # a page waits this long for figures
MOST_KEPT = 64  # pages of figures in memory
MOST_STORED = 2_000  # rows in the database


class FigureQuestion(NamedTuple):
    """A ranking of these runs, or the comparison of two of them."""

    runs: tuple[IndexedRun, ...]
    metric: str = ""
    allow: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None

    @property
    def key(self) -> str:
        """A digest of the request and of what it is computed from."""
        runs = [[run.key, run.digest, run.name] for run in self.runs]
        return content_key(VERSION, runs, self.metric, [*self.allow], [*(self.pair or ())])

    def request(self, contestants: Sequence[bytes]) -> RankRequest | CompareRequest:
        """The request to the child process."""
        keys, allow = [run.key for run in self.runs], [*self.allow]
        if self.pair is None:
            return RankRequest(keys=keys, contestants=[*contestants], metric=self.metric, allow=allow)
        a, b = self.pair
        return CompareRequest(
            a=a, b=b, keys=keys, contestants=[*contestants], metric=self.metric, allow=allow
        )


class FigureView(NamedTuple):
    """The figures of a page; None while they are being computed, or if that failed."""

    page: bytes | None
    is_pending: bool = False
    has_failed: bool = False


class FigureCache:
    """The figures of all pages. One process at a time computes."""

    def __init__(self, index: RunIndex, database: Database, child: ChildProcess, clock: Clock) -> None:
        self._index, self._database, self._child, self._clock = index, database, child, clock
        self._pages: OrderedDict[str, bytes] = OrderedDict()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def shown(self, question: FigureQuestion, *, patience_s: float = PATIENCE_S) -> FigureView:
        """The figures, or that they are being computed."""
        key = question.key
        page = await self._page(key)
        if page is not None:
            return FigureView(page)
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(self._compute(key, question))
            task.add_done_callback(lambda _: self._tasks.pop(key, None))
        done, _ = await asyncio.wait({task}, timeout=patience_s)
        if done and task.exception() is not None:
            return FigureView(None, has_failed=True)
        return FigureView(self._pages.get(key), is_pending=not done)

    async def computed(self, question: FigureQuestion) -> bytes:
        """The figures, however long they take."""
        view = await self.shown(question, patience_s=self._child.timeout_s)
        if view.page is None:
            raise RuntimeError("the figures could not be computed")
        return view.page

    async def document(self, question: FigureQuestion) -> bytes:
        """The complete document of figures, JSON; waits until it is computed."""
        await self.computed(question)
        key = question.key

        def read(session: Session) -> bytes:
            found: bytes = session.execute(
                select(FIGURES.c.document).where(FIGURES.c.key == key)
            ).scalar_one()
            return found

        return zlib.decompress(await self._database.read(read))

    async def close(self) -> None:
        """End the child process. It starts again when figures are asked for."""
        await self._child.close()

    async def _page(self, key: str) -> bytes | None:
        if key in self._pages:
            self._pages.move_to_end(key)
            return self._pages[key]

        def read(session: Session) -> bytes | None:
            return session.execute(select(FIGURES.c.page).where(FIGURES.c.key == key)).scalar_one_or_none()

        page = await self._database.read(read)
        if page is not None:
            self._keep(key, page)
        return page

    def _keep(self, key: str, page: bytes) -> None:
        self._pages[key] = page
        while len(self._pages) > MOST_KEPT:
            self._pages.popitem(last=False)

    async def _compute(self, key: str, question: FigureQuestion) -> None:
        try:
            packed = await self._index.contestants([run.key for run in question.runs])
            if [hashlib.sha256(each).hexdigest() for each in packed] != [run.digest for run in question.runs]:
                raise RuntimeError("a run changed meanwhile")
            reply = msgspec.json.decode(await self._child.reply(question.request(packed)), type=FigureReply)
            now = self._clock()
            await self._database.write(lambda session: _store(session, key, reply, now))
            self._keep(key, reply.page)
        except Exception:
            LOG.exception("figures could not be computed")
            raise


def _store(session: Session, key: str, reply: FigureReply, now: int) -> None:
    session.execute(delete(FIGURES).where(FIGURES.c.key == key))
    oldest = select(FIGURES.c.key).order_by(FIGURES.c.made_ms.desc()).offset(MOST_STORED)
    session.execute(delete(FIGURES).where(FIGURES.c.key.in_(oldest.scalar_subquery())))
    session.execute(
        insert(FIGURES), [{"key": key, "made_ms": now, "page": reply.page, "document": reply.document}]
    )
