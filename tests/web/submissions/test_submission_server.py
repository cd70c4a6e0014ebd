"""Pushing through the command line to a real server on loopback, and what its replies and logs contain."""

from __future__ import annotations

import json
import os
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
from benchwright.web.submissions.judging_process import SUBMISSIONS
from benchwright.web.submissions.queue import space_settings
from kit.command_line import called
from kit.processes import HANG_S
from kit.pushed import PLANTED, PushableRun, archive_of, forged, hidden_data, members_of, packed, pushable_run


class TeamServer:
    """A server process with one space of one owner. `url` is the space's address."""

    def __init__(self, place: Path, rules: Path) -> None:
        self.place, self._rules = place, rules
        place.mkdir(parents=True, exist_ok=True)
        database = open_database(place / "serve.sqlite", (*PARTS, SUBMISSIONS))
        now = MonotonicClock()()

        def make(session: Any) -> tuple[str, str]:
            owner = make_account(session, "anna", "!", now).id
            space = make_project(session, "Team", now, state="private", owner_id=owner).id
            space_settings(session, space)
            token = make_token(
                session, owner, "ci", SCOPES, now=now, expires_ms=now + DAY_MS, project_id=space
            )
            return space, token

        space, self.token = database.write_now(make)
        database.close()
        self.log = place / "log"
        self.process = self._start()
        assert self.process.stdout is not None
        self.address = json.loads(self.process.stdout.readline() or self.log.read_text())["address"]
        self.url = f"{self.address}/spaces/{space}"

    def _start(self) -> subprocess.Popen[str]:
        words = ["serve", "--accept", self._rules, "--submissions", self.place / "state", "--json"]
        words += ["--database", self.place / "serve.sqlite"]
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "benchwright.cli.main", *map(str, words)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=self.place,
            )

    def push(self, what: Path, *words: str) -> Any:
        """Push and wait for the state: exit code, document, messages."""
        return called("push", what, "--to", self.url, "--json", *words, BENCHWRIGHT_TOKEN=self.token)

    def end(self) -> None:
        """Stop it."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(HANG_S) == 0, self.log.read_text()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def pushable(tmp_path_factory: pytest.TempPathFactory) -> PushableRun:
    """A real run, and the rules of a server that knows its data."""
    return pushable_run(tmp_path_factory.mktemp("pushable"))


@pytest.fixture
def server(pushable: PushableRun, tmp_path: Path) -> Iterator[TeamServer]:
    """A server that knows the run's data."""
    made = TeamServer(tmp_path / "server", pushable.rules)
    yield made
    made.end()


def test_a_run_is_pushed_verified_and_shown(
    server: TeamServer, pushable: PushableRun, tmp_path: Path
) -> None:
    """From the command to the state; a repeated push finds it, an edited one is refused with its rows."""
    import httpx

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
    assert httpx.get(runs, headers={"authorization": "Bearer bw_wrong"}).status_code == 401
    told = (said, again, refused, half)
    assert not any(server.token in text for each in told for text in (each.out, each.err))
    assert server.token not in server.log.read_text()


def _declared(url: str, headers: dict[str, str]) -> int:
    """Send the headers of a request without its body, and return the status of the reply."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=HANG_S)
    connection.request("POST", parts.path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_no_byte_of_hidden_tests_leaves_the_server(pushable: PushableRun, tmp_path: Path) -> None:
    """Planted texts are in no reply, page, log, database or file that a push leaves; one score is."""
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
    """Killed with the claim queued or in progress: its judging process ends too, and nothing is lost."""
    server = TeamServer(tmp_path / "server", pushable.rules)
    pushed = server.push(pushable.folder, "--no-wait")
    assert pushed.document["state"] in ("claimed", "verified")
    with server.process as process:  # which closes its pipe
        os.kill(process.pid, signal.SIGKILL)

    from benchwright.web.submissions.accepted_data import DataCatalog
    from benchwright.web.submissions.folders import SubmissionFolders
    from benchwright.web.submissions.judging_process import JudgingSetup, judge_next
    from benchwright.web.submissions.queue import LEASE_MS
    from benchwright.web.submissions.tables import Submission

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
