"""Pushes from the command line to a real server on loopback, and the content of its replies and logs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchwright.web.core.accounts import make_account, make_project
from benchwright.web.core.authentication import make_token
from benchwright.web.core.clock import DAY_MS, MonotonicClock
from benchwright.web.core.database import open_database
from benchwright.web.core.policy import SCOPES
from benchwright.web.serve.tables import PARTS
from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.judging_process import SUBMISSIONS, JudgingSetup, judge_next
from benchwright.web.submissions.queue import LEASE_MS, space_settings
from benchwright.web.submissions.tables import Submission
from kit.command_line import called
from kit.made_runs import finished_run
from kit.postgres import Postgres
from kit.processes import HANG_S, command_of, descendants, wait_until
from kit.pushed import PLANTED, PushableRun, archive_of, forged, hidden_data, members_of, packed, pushable_run


class TeamServer:
    """A server process with one space of one owner. `url` is the space's address.

    Claims are judged by its own process, by one with --judge-only `beside` it, or not at all.
    """

    def __init__(
        self, place: Path, rules: Path, *, database: str = "", runs: Path | None = None, judges: str = "own"
    ) -> None:
        self.place, self._rules = place, rules
        place.mkdir(parents=True, exist_ok=True)
        self.database = database or str(place / "serve.sqlite")
        opened = open_database(self.database, (*PARTS, SUBMISSIONS))
        now = MonotonicClock()()

        def make(session: Any) -> tuple[str, str]:
            owner = make_account(session, "anna", "!", now).id
            space = make_project(session, "Team", now, state="private", owner_id=owner).id
            space_settings(session, space)
            token = make_token(
                session, owner, "ci", SCOPES, now=now, expires_ms=now + DAY_MS, project_id=space
            )
            return space, token

        space, self.token = opened.write_now(make)
        opened.close()
        self.log = place / "log"
        self.judge = self._start("--judge-only") if judges == "beside" else None
        self.process = self._start(*([] if judges == "own" else ["--no-judge"]), *filter(None, [runs]))
        assert self.process.stdout is not None
        self.address = json.loads(self.process.stdout.readline() or self.log.read_text())["address"]
        self.url = f"{self.address}/spaces/{space}"

    def _start(self, *given: object) -> subprocess.Popen[str]:
        words = ["serve", "--accept", self._rules, "--submissions", self.place / "state", "--json"]
        words += ["--database", self.database, *given]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "benchwright.cli.main", *map(str, words)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self.place,
            )

    def push(self, what: Path, *words: str) -> Any:
        """Push and wait for the state; return exit code, document and messages."""
        return called("push", what, "--to", self.url, "--json", *words, BENCHWRIGHT_TOKEN=self.token)

    def end(self) -> None:
        """Stop the server and the judging process."""
        for process in filter(None, (self.judge, self.process)):
            process.send_signal(signal.SIGTERM)
            assert process.wait(HANG_S) == 0, self.log.read_text()
            assert process.stdout is not None
            process.stdout.close()
        self.judge = None


@pytest.fixture(scope="module")
def pushable(tmp_path_factory: pytest.TempPathFactory) -> PushableRun:
    """Return a real run, and the rules of a server that has its data."""
    return pushable_run(tmp_path_factory.mktemp("pushable"))


@pytest.fixture
def server(pushable: PushableRun, tmp_path: Path, postgres_server: Postgres) -> Iterator[TeamServer]:
    """Return a server on PostgreSQL with the run's data and two runs of it; another process judges."""
    rows = {f"Small/{number}": [("x", "passed")] for number in range(3)}
    for name in ("alpha", "beta"):
        finished_run(tmp_path / "runs" / name, pushable.data, rows, model=f"openai:{name}")
    address = postgres_server.new_database()
    made = TeamServer(
        tmp_path / "server", pushable.rules, database=address, runs=tmp_path / "runs", judges="beside"
    )
    yield made
    made.end()
    postgres_server.drop(address)


def test_a_run_is_pushed_verified_and_shown(
    server: TeamServer, pushable: PushableRun, tmp_path: Path
) -> None:
    """A process with --judge-only judges it; a repeated push finds it, and an edited one is refused with its
    rows."""
    import httpx

    assert server.judge is not None and server.judge.poll() is None
    assert [pid for pid in descendants(server.process.pid) if "judging_process" in command_of(pid)] == []
    said = server.push(pushable.folder)
    assert said.code == 0, said.err
    assert (said.document["state"], said.document["model"]) == ("verified", "my-model")
    assert said.document["result"]["outcomes"] == {"passed": 3, "wrong": 3}
    again = server.push(pushable.folder)
    assert (again.code, again.document["submission"]) == (0, said.document["submission"])

    def pass_all(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["outcome"] = "passed"

    edited = forged(packed(pushable.folder), "verdicts.jsonl", pass_all)
    members = members_of(edited)
    del members["scores.json"]
    (tmp_path / "edited.zip").write_bytes(archive_of(members))
    refused = server.push(tmp_path / "edited.zip")
    assert (refused.code, refused.document["reason"]) == (1, "verdicts-differ")

    mine = {"authorization": f"Bearer {server.token}"}
    runs = server.url.replace("/spaces/", "/api/spaces/") + "/runs"
    rows = httpx.get(f"{runs}/{refused.document['submission']}/rows", headers=mine).json()["rows"]
    assert [(row["task_id"], row["sample"]) for row in rows] == [
        (f"Small/{number}", 1) for number in range(3)
    ]
    (tmp_path / "half.zip").write_bytes(edited[: len(edited) // 2])
    half = server.push(tmp_path / "half.zip")
    assert half.code == 1 and "refused (half-upload)" in half.err
    assert _declared(runs, {**mine, "content-length": str(2 << 30)}) == 413
    wrong = httpx.post(runs, headers={**mine, "x-content-sha256": "0" * 64}, content=b"x").json()
    assert wrong["reason"] == "checksum"
    assert httpx.get(server.url).status_code == 303
    _check_pages(server.address)
    assert httpx.get(runs, headers={"authorization": "Bearer bw_wrong"}).status_code == 401
    told = (said, again, refused, half)
    assert not any(server.token in text for each in told for text in (each.out, each.err))
    assert server.token not in server.log.read_text()


def _check_pages(address: str) -> None:
    """Check the index, its stream, and a leaderboard, on the server's database."""
    import httpx

    assert wait_until(lambda: "alpha" in httpx.get(address).text)  # the runs have been read
    page = httpx.get(address).text
    assert "beta" in page and "my-model" not in page
    with httpx.stream("GET", f"{address}/live") as live:
        assert live.headers["content-type"].startswith("text/event-stream")
        assert next(live.iter_lines())
    (board,) = set(re.findall('href="(/boards/[0-9a-f]+)"', page))
    figures = f"{address}{board}/standing.json"
    assert wait_until(lambda: httpx.get(figures, timeout=HANG_S).status_code == 200)
    assert all(f'"{name}"' in httpx.get(figures).text for name in ("alpha", "beta"))
    assert "order not established" in httpx.get(f"{address}{board}").text


def _declared(url: str, headers: dict[str, str]) -> int:
    """Send the headers of a request without its body, and return the status of the reply."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=HANG_S)
    connection.request("POST", parts.path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_push_says_that_a_claim_was_given_up(pushable: PushableRun, tmp_path: Path) -> None:
    """It ends with exit code 1 and a hint, also if the claim was given up before; a manual requeue is waited
    for."""
    server = TeamServer(tmp_path / "server", pushable.rules, judges="none")
    pushed = server.push(pushable.folder, "--no-wait")
    assert (pushed.code, pushed.document["state"]) == (0, "claimed")
    database = open_database(server.database, is_sole=False)
    catalog = DataCatalog.of_file(pushable.rules)
    setup = JudgingSetup(database, catalog, SubmissionFolders(server.place / "state"), on="nowhere")
    assert [judge_next(setup) for _ in range(6)] == [pushed.document["submission"]] * 5 + [""]
    database.close()
    said = called("push", pushable.folder, "--to", server.url, BENCHWRIGHT_TOKEN=server.token)
    server.end()

    assert (said.code, said.out) == (1, "claimed\n")
    assert "a maintainer of the space can requeue it" in said.err


def test_no_byte_of_hidden_tests_leaves_the_server(pushable: PushableRun, tmp_path: Path) -> None:
    """No reply, page, log, database or remaining file contains a planted text; the one score is the only
    result."""
    import httpx

    rules = hidden_data(tmp_path / "data")
    server = TeamServer(tmp_path / "server", rules)
    leak = "import inspect\nraise ValueError(''.join(inspect.getsource(f[0]) for f in inspect.stack()))\n"
    rows = [{"task_id": f"Small/{number}", "solution": leak} for number in range(3)]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused = server.push(pushable.folder)
    said = server.push(file, "--model", "mine")
    mine = {"authorization": f"Bearer {server.token}"}
    api = server.url.replace("/spaces/", "/api/spaces/")
    shown = [refused.out, refused.err, said.out, said.err]
    shown += [
        httpx.get(f"{api}/{each}", headers=mine).text
        for each in ("runs", "data", f"runs/{said.document['submission']}")
    ]
    shown.append(httpx.get(server.address + "/").text)
    server.end()

    assert refused.code == 1 and "unknown-data" in refused.err
    assert said.document["state"] == "verified", said.document
    assert [len(said.document["result"]), len(said.document["result"]["metrics"])] == [1, 1]
    left = [path.read_bytes() for path in server.place.rglob("*") if path.is_file()]
    everything = b"\n".join([*left, *(text.encode() for text in shown)])
    assert [text for text in PLANTED if text.encode() in everything] == []


def test_a_killed_server_judges_the_claim_after_its_restart(pushable: PushableRun, tmp_path: Path) -> None:
    """With the claim queued or in progress, its judging process ends too, and nothing is lost."""
    server = TeamServer(tmp_path / "server", pushable.rules)
    pushed = server.push(pushable.folder, "--no-wait")
    assert pushed.document["state"] in ("claimed", "verified")
    with server.process as process:  # the block closes its pipe
        os.kill(process.pid, signal.SIGKILL)

    database = open_database(server.place / "serve.sqlite", is_sole=False)
    now = MonotonicClock()
    setup = JudgingSetup(
        database,
        DataCatalog.of_file(pushable.rules),
        SubmissionFolders(server.place / "state"),
        clock=lambda: now() + LEASE_MS + 1,
        workers=1,
    )
    judge_next(setup)
    rows = database.read_now(lambda session: session.query(Submission).all())
    database.close()
    assert [(row.id, row.state) for row in rows] == [(pushed.document["submission"], "verified")]
