"""`/health` and `/metrics`, and an index that cannot be stored: the reports, and their readers."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import insert
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import Erasure, make_project
from benchwright.web.core.authentication import make_token
from benchwright.web.core.child_process import ChildProcess
from benchwright.web.core.clock import DAY_MS, HOUR_MS
from benchwright.web.core.database import Database, DatabaseUnavailable
from benchwright.web.core.tables import SchemaPart
from benchwright.web.serve import run_index, server_metrics
from benchwright.web.serve.application import serve_settings
from benchwright.web.serve.figure_cache import FigureCache
from benchwright.web.serve.index_records import IndexedRun
from benchwright.web.serve.routes import page_routes
from benchwright.web.serve.run_index import RunIndex, SeenFolder
from benchwright.web.serve.serve_parts import ServeParts
from benchwright.web.serve.tables import PARTS
from benchwright.web.serve.team import TEAM, team_settings
from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.heartbeats import LOST_MS, heartbeat, judges_alive, note_judge
from benchwright.web.submissions.intake import SubmissionParts
from benchwright.web.submissions.judging_process import SUBMISSIONS, JudgingSetup, sweep_files
from benchwright.web.submissions.queue import space_settings
from benchwright.web.submissions.space_routes import erase_submissions
from benchwright.web.submissions.tables import Submission
from kit.web_client import Served

SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? [0-9.e+-]+')


@pytest.fixture
def database_parts() -> tuple[SchemaPart, ...]:
    """Return the tables of a server that accepts submissions."""
    return (*PARTS, SUBMISSIONS)


def _samples(text: str) -> dict[str, float]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in lines), lines
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_an_index_that_cannot_be_stored_is_a_problem(tmp_path: Path) -> None:
    """The page reports a full disk, as the log does, until runs can be stored again."""
    (tmp_path / "run").mkdir()
    full = DatabaseUnavailable("its disk is full", hint="df -h", repeatable=False, committing=False)

    class FullDatabase:
        """A database without rows that fails as on a full disk."""

        is_full = True

        async def read(self, _work: object) -> list[object]:
            return []

        async def write(self, _work: object) -> None:
            if self.is_full:
                raise full

    database = FullDatabase()
    index = RunIndex([tmp_path], cast(Database, database))

    async def problems() -> list[tuple[str, str]]:
        index._read_one = _read  # type: ignore[method-assign]
        state = await index.complete()
        return [(each.why, each.hint) for each in state.problems]

    async def _read(seen: SeenFolder) -> tuple[IndexedRun, bytes]:
        return IndexedRun(key=seen.key, path="p", name=seen.name, state="finished"), b""

    seen = SeenFolder("key", tmp_path / "run", "run", "stamp", is_complete=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_index, "_search", lambda _tops: ([seen], ()))
        assert asyncio.run(problems()) == [("its disk is full", "df -h")]
        database.is_full = False
        assert asyncio.run(problems()) == []
    assert [*index.state.runs] == ["key"]


@pytest.mark.postgresql
def test_a_team_server_is_watched(
    database: Database, serve: Callable[..., Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Health is public and fails if a part fails; metrics need an administrator's token, and count."""
    settings = team_settings(serve_settings())._asdict()
    served = serve(
        *page_routes(TEAM.policies), **{each: settings[each] for each in ("templates", "assets", "projects")}
    )
    served.application.state.serve = ServeParts(
        RunIndex([tmp_path], database), cast(FigureCache, None), OrderedDict()
    )
    folders = SubmissionFolders(tmp_path / "s")
    served.application.state.submissions = SubmissionParts(
        folders, tmp_path / "rules.toml", DataCatalog([]), cast(ChildProcess, None)
    )
    visitor, now = served.browser(), served.site.now()
    assert visitor.get("/health").json()["checks"] == {"database": "ok", "disk": "ok", "judges": "failing"}
    database.write_now(lambda session: note_judge(session, "a", now - LOST_MS))
    with heartbeat(database, lambda: now, beat_s=0.001):
        while not database.read_now(lambda session: judges_alive(session, now)):
            pass
        assert visitor.get("/health").json()["status"] == "ok"
        monkeypatch.setattr(server_metrics, "LEAST_FREE", 1 << 62)
        low = visitor.get("/health")
        assert (low.status_code, low.json()["checks"]["disk"]) == (503, "failing")

        admin, anna = served.account("boss", is_admin=True), served.account("anna")

        def fill(session: Session) -> list[str]:
            project = make_project(session, "Team", 1, state="private", owner_id=anna).id
            row = {"project_id": project, "size": 1, "kind": "run", "model": "m", "data": "a", "claim": {}}
            row |= {"result": {}, "created_ms": now - 5_000}
            session.execute(
                insert(Submission),
                [
                    {**row, "id": f"s{n}", "sha256": f"{n}", "state": state}
                    for n, state in enumerate(("claimed", "claimed", "verified"))
                ],
            )
            session.get_one(Submission, "s1").lease_until_ms = now + 1
            return [
                make_token(session, each, "t", ["read"], now=now, expires_ms=now + DAY_MS)
                for each in (admin, anna)
            ]

        tokens = database.write_now(fill)
        bearers = [{"authorization": f"Bearer {each}"} for each in (*tokens, "bw_x")]
        answers = [visitor.get("/metrics", headers=each) for each in bearers]
        assert [each.status_code for each in answers] == [200, 403, 401]
        assert visitor.get("/metrics").status_code == 303
        found = _samples(answers[0].text)
    assert found['benchwright_requests_total{method="GET",status="503"}'] == 2
    assert found['benchwright_submissions{state="claimed"}'] == 2
    assert found['benchwright_submissions{state="refused"}'] == 0
    assert (found["benchwright_queue_length"], found["benchwright_queue_oldest_seconds"]) == (1, 5)
    assert (found["benchwright_judges"], "benchwright_runs_live" in found) == (1, False)
    assert database.read_now(lambda session: judges_alive(session, now)) == 0


def test_a_personal_server_is_watched(served: Callable[..., Any], tmp_path: Path) -> None:
    """Without accounts, this machine may read both; the index has an age after its first search."""
    site = served(tmp_path)
    assert site.get("/health").json()["checks"] == {"database": "ok", "disk": "ok"}
    found = _samples(site.get("/metrics").text)
    assert (found["benchwright_runs_live"], found["benchwright_index_age_seconds"] >= 0) == (0, True)
    assert not any("queue" in name for name in found)


@pytest.mark.postgresql
def test_expired_and_orphaned_uploads_are_deleted(
    database: Database, serve: Callable[..., Served], tmp_path: Path
) -> None:
    """Retention works without a push, and files of a deleted person are removed, but not an upload in
    progress."""
    served, folders = serve(), SubmissionFolders(tmp_path)
    anna, now = served.account("anna"), int(time.time() * 1000)

    def fill(session: Session) -> None:
        space = make_project(session, "Team", 1, state="private", owner_id=anna).id
        space_settings(session, space).keep_days = 30
        row = {"project_id": space, "account_id": anna, "size": 1, "kind": "run", "model": "m", "data": "a"}
        row |= {"claim": {}, "result": {}, "created_ms": 1, "state": "refused"}
        days = {"old": 31, "new": 29}
        rows = [
            {**row, "id": name, "sha256": name, "judged_ms": now - ago * DAY_MS} for name, ago in days.items()
        ]
        session.execute(insert(Submission), rows)

    database.write_now(fill)
    for name in ("old", "new", "receiving"):
        folders.claim(name).mkdir()
    setup = JudgingSetup(database, DataCatalog([]), folders, clock=lambda: now)
    sweep_files(setup)
    assert {path.name for path in (tmp_path / "claims").iterdir()} == {"new", "receiving"}

    erasure = Erasure(anna, "boss", now, keep_work=False)
    database.write_now(lambda session: erase_submissions(session, erasure))
    sweep_files(setup._replace(clock=lambda: int(time.time() * 1000) + 2 * HOUR_MS))
    assert list((tmp_path / "claims").iterdir()) == []
