"""A team's server without a socket: spaces in each state, a visitor for each role and token, hidden tests."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import join, make_account, make_project
from benchwright.web.core.authentication import begin_session, make_token
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.database import Database, open_database
from benchwright.web.core.oidc import OidcClient, OidcSettings
from benchwright.web.core.pages import SESSION, cookie_name, form_token
from benchwright.web.core.serving import head_as_get
from benchwright.web.core.site import Site
from benchwright.web.serve.application import make_serve_application, serve_settings
from benchwright.web.serve.tables import PARTS
from benchwright.web.serve.team import TEAM, TeamOptions, judge_only
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.intake import make_submission_parts
from benchwright.web.submissions.judging_process import SUBMISSIONS
from benchwright.web.submissions.queue import MOST_ATTEMPTS, PushedClaim, add_claim
from benchwright.web.submissions.roles import MEMBERS, SPACES
from benchwright.web.submissions.tables import CLAIMED, Submission
from kit.asgi_calls import AsgiReply, Headers, call
from kit.correctness_cases import correctness_row
from kit.made_runs import finished_run
from kit.openid_provider import CLIENT, SECRET, OpenIdProvider
from kit.pushed import PLANTED, hidden_data
from kit.route_audiences import AskedSpace, TeamVisitor
from kit.small_data import humaneval, write
from kit.strange_requests import SCRIPT
from kit.web_client import START_MS, SetClock

HOST = "team.test"
# An answer whose error message would contain the source of the test.
LEAK = "import inspect\nraise ValueError(''.join(inspect.getsource(f[0]) for f in inspect.stack()))\n"
HOSTILE = f"=cmd()\x1b[2J\u202e{SCRIPT}\"'javascript:alert(1)"
STATES = tuple(SPACES.states)


class TeamSite:
    """The application with every case that a policy distinguishes. Every reply is searched for planted texts."""

    def __init__(
        self,
        address: str,
        place: Path,
        folders: Sequence[Path] = (),
        *,
        provider: OpenIdProvider | None = None,
    ) -> None:
        self.address, self.database = address, open_database(address, (*PARTS, SUBMISSIONS))
        self.clock, self.place = SetClock(), place
        self.rules = hidden_data(place / "data")
        write(place / "data" / "labels.jsonl", [correctness_row(id=number) for number in range(2)])
        with self.rules.open("a", encoding="utf-8") as rules:
            rules.write('[[data]]\nname = "labels"\ntrack = "codecorrectness"\npath = "labels.jsonl"\n')
        self.folders = SubmissionFolders(place / "state")
        settings = serve_settings(hosts=[HOST])._replace(clock=self.clock)
        if provider is not None:
            login = OidcClient(OidcSettings(provider.issuer, CLIENT, SECRET), clock=self.clock)
            settings = settings._replace(oidc=login)
        self.application = make_serve_application(
            [*folders, self.folders.verified], self.database, settings, TEAM
        )
        self.parts = make_submission_parts(self.folders, self.rules)
        self.application.state.submissions = self.parts
        self._asked = head_as_get(self.application)
        self.site: Site = self.application.state.site
        self.leaks: list[str] = []  # requests whose replies contain a planted text
        self.scripts: list[str] = []  # requests whose pages contain a hostile text as markup
        self.log = _LogText()
        logging.getLogger().addHandler(self.log)
        self._runner = asyncio.Runner()
        self._secrets: dict[str, list[tuple[bytes, bytes]]] = {"nobody": []}
        self.visitors: dict[str, TeamVisitor] = {"nobody": TeamVisitor()}
        self.own: dict[str, AskedSpace] = {}
        self.foreign: dict[str, AskedSpace] = {}
        self.run_id = "claim-of-the-own-space"
        self.database.write_now(self._fill)

    def _fill(self, session: Session) -> None:
        accounts = {
            name: make_account(session, name, "!", START_MS, is_admin=name == "admin").id
            for name in (*MEMBERS, "outsider", "admin", "victim")
        }
        for kind, spaces in (("own", self.own), ("foreign", self.foreign)):
            for state in STATES:
                made = make_project(session, f"{kind} {state}", START_MS, state=state)
                spaces[state] = AskedSpace(made.id, state)
                for role in MEMBERS if kind == "own" else ():
                    join(session, made.id, accounts[role], role)
        claim = PushedClaim(self.own["public"].id, accounts["owner"], "a" * 64, 1, "run", "m", "secret", {})
        add_claim(
            session, self.run_id, claim._replace(claim={"answers": 1}), START_MS
        ).attempts = MOST_ATTEMPTS
        for name, account in accounts.items():
            roles = {each.id: name for each in self.own.values()} if name in MEMBERS else {}
            self.visitors[name] = TeamVisitor(account, roles, name == "admin")
            self._log_in(session, name)
        self._tokens(session)
        self.visitors.pop("victim")

    def _log_in(self, session: Session, name: str) -> None:
        account = self.visitors[name].account
        secret = begin_session(session, account, self.clock(), address="192.0.2.1", browser="test")
        cookie = f"{cookie_name(self.site, SESSION)}={secret}"
        self._secrets[name] = [(b"cookie", cookie.encode()), (b"x-csrf-token", form_token(secret).encode())]

    def log_in(self, name: str) -> None:
        """Begin a new session of an account."""
        self.database.write_now(lambda session: self._log_in(session, name))

    def _tokens(self, session: Session) -> None:
        owner, space = self.visitors["owner"], self.own["private"].id
        for name, scopes, only in (
            ("token to read", ["read"], ""),
            ("token to read one space", ["read"], space),
            ("token to submit", ["submit"], space),
            ("expired token", ["read", "submit"], space),
        ):
            ends = START_MS + (-1 if name.startswith("expired") else DAY_MS)
            token = make_token(
                session,
                owner.account,
                name,
                scopes,
                now=START_MS - DAY_MS,
                expires_ms=ends,
                project_id=only or None,
            )
            known = owner._replace(scopes=frozenset(scopes), only=only)
            self.visitors[name] = known if ends > START_MS else TeamVisitor()
            self._secrets[name] = [(b"authorization", f"Bearer {token}".encode())]

    def ask(
        self, name: str, method: str, target: str | bytes, headers: Headers = (), body: bytes = b""
    ) -> AsgiReply:
        """Send a request of a visitor. Forms have the right token."""
        raw = target if isinstance(target, bytes) else target.encode()
        given = [(b"host", HOST.encode()), *self._secrets[name]]
        replaced = {key for key, _ in headers}
        sent = [*(each for each in given if each[0] not in replaced), *headers]
        reply = self._runner.run(call(self._asked, method, raw, sent, body))
        self.search(f"{method} {target!r}", reply.body, json.dumps(reply.headers).encode())
        if SCRIPT.encode() in reply.body and "html" in reply.headers.get("content-type", ""):
            self.scripts.append(f"{method} {target!r}")
        return reply

    def search(self, where: str, *contents: bytes) -> None:
        """Record planted texts of hidden tests."""
        self.leaks += [where for content in contents for text in PLANTED if text.encode() in content]

    def push(self, query: str, content: bytes) -> str:
        """Push content to the private space; return the submission's id."""
        runs = f"/api/spaces/{self.own['private'].id}/runs"
        reply = self.ask("token to submit", "POST", f"{runs}?{query}", body=content)
        assert reply.status == 202, reply.text
        return str(json.loads(reply.body)["submission"])

    def push_hidden(self) -> str:
        """Push answers that print their tests."""
        rows = [{"task_id": f"Small/{number}", "solution": LEAK} for number in range(3)]
        return self.push("data=secret&model=mine", "".join(json.dumps(row) + "\n" for row in rows).encode())

    def push_labels(self, model: str) -> str:
        """Push a MERA archive of two labels, one of them right."""
        rows = [
            {"outputs": label, "meta": {"id": number}} for number, label in enumerate(("success", "failed"))
        ]
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as packed:
            packed.writestr("CodeCorrectness.json", json.dumps({"data": {"test": rows}}))
        return self.push(f"model={quote(model)}", out.getvalue())

    def judge(self) -> None:
        """Judge the queue as `serve --judge-only` does, until it is empty."""
        judge_only(
            self.address, TeamOptions(self.rules, self.place / "state", workers=1), _QueueEmpty(self.database)
        )

    def run(self, work: Any) -> Any:
        """Run a coroutine in the application's loop."""
        return self._runner.run(work)

    def close(self) -> None:
        """End child processes, the loop and the capture of the log."""
        logging.getLogger().removeHandler(self.log)
        serve = self.application.state.serve
        for child in (self.parts.reader, serve.runs.child, serve.figures):
            self.run(child.close())
        self._runner.close()
        self.database.close()


def hostile_runs(place: Path) -> Path:
    """Write a folder with two runs whose model, answers and folder have names like those of HOSTILE."""
    place.mkdir()
    data = humaneval(place, 2)
    for number, outcome in enumerate(("passed", "wrong")):
        rows = {f"Small/{task}": [(HOSTILE, outcome, {"detail": HOSTILE})] for task in range(2)}
        folder = place / "runs" / f"{number}{HOSTILE.replace('/', '')}"
        finished_run(folder, data, rows, model=f"openai:{number}{HOSTILE}")
    return place / "runs"


class _QueueEmpty(threading.Event):
    """An event that is set when no claim can be taken."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database

    def is_set(self) -> bool:
        waiting = select(Submission.id).where(
            Submission.state == CLAIMED, Submission.attempts < MOST_ATTEMPTS
        )
        return self._database.read_now(lambda session: session.scalar(waiting)) is None


class _LogText(logging.Handler):
    """All log messages of the process, with tracebacks."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))
