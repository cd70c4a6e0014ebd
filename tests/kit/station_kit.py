"""Stations for tests: runs to judge, a project in a database, judges in browsers without a socket."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from benchwright.judges.people.records import JudgedItem, Vote
from benchwright.running.run_data import open_run
from benchwright.web.core.accounts import join
from benchwright.web.core.database import Database
from benchwright.web.core.policy import Role
from benchwright.web.station.application import ROUTES, station_settings
from benchwright.web.station.blinding import pseudonym
from benchwright.web.station.judge_session import project_facts
from benchwright.web.station.project_setup import (
    CreatedProject,
    ProjectOptions,
    ProjectSource,
    ReadyItems,
    find_or_create_project,
    project_runs,
)
from benchwright.web.station.vote_records import items_of, votes_of
from kit.graded_runs import ANSWER, COMMENTS, ISSUES, graded_run, rules
from kit.web_client import START_MS, Browser, Served

MODEL = "openai:secret-model-name"
_PAGE = re.compile(r'name="page" value="([^"]+)"')
_FIELD = re.compile(r'data-field="([^"]+)"')


def issue_run(
    folder: Path, tasks: int = 8, *, model: str = MODEL, text: str = "Answer {n}: call `load()`."
) -> Path:
    """Write a run of the issue track that nobody has judged."""
    rows = {n: [(text.replace("{n}", str(n)), "undecided", {})] for n in range(1, tasks + 1)}
    return graded_run(folder, ISSUES, rows, model=model)


def comment_run(folder: Path, tasks: int = 4) -> Path:
    """Write a run of the comment track, scored by rules."""
    rows = {
        n: [(f"```python\n{ANSWER.replace('area', f'area_{n}')}```", "scored", {"scores": rules()})]
        for n in range(1, tasks + 1)
    }
    return graded_run(folder, COMMENTS, rows, model=MODEL)


def gold_file(folder: Path, *tasks: int) -> Path:
    """Write gold items of these tasks of `issue_run`: answers that are known to be wrong."""
    path = folder / "gold.jsonl"
    row = '{{"task_id": {}, "answer": "Nonsense.", "expected": {{"decision": "wrong"}}}}\n'
    path.write_text("".join(map(row.format, tasks)), encoding="utf-8")
    return path


def make(
    database: Database, runs: list[Path] | ReadyItems, now: int = START_MS, **wishes: Any
) -> CreatedProject:
    """Create the project of these runs or items."""
    made = ProjectOptions(**{"repeat_share": 0.0, "judgements": 2, "seed": "test", **wishes})
    source: ProjectSource = runs if isinstance(runs, ReadyItems) else _of_runs(runs, made)
    return database.write_now(lambda session: find_or_create_project(session, source, made, now))


def _of_runs(runs: list[Path], wishes: ProjectOptions) -> ProjectSource:
    return project_runs([open_run(run) for run in runs], wishes.kind, {})


class Station:
    """A served project, with a clock that the test sets."""

    def __init__(self, database: Database, runs: list[Path] | ReadyItems, **wishes: Any) -> None:
        self.made = make(database, runs, **wishes)
        self.project = self.made.project_id
        settings = station_settings()._asdict()
        del settings["clock"]
        self.served = Served(database, ROUTES, settings)
        self.database = database

    def member(self, name: str, role: Role = "judge") -> Judge:
        """Add a member to the project, and log in."""
        account = self.served.account(name)
        self.database.write_now(lambda session: join(session, self.project, account, role))
        return self.again(account)

    def again(self, account: str) -> Judge:
        """Return another browser of a member."""
        return Judge(self, account, self.served.logged_in(account))

    def votes(self) -> list[Vote]:
        """Return the project's votes."""
        return self.database.read_now(lambda session: list(votes_of(session, self.project)))

    def pseudonym(self, judge: Judge) -> str:
        """Return a judge's pseudonym in votes."""
        given = self.database.read_now(
            lambda session: project_facts(session.connection(), self.project).secret
        )
        return pseudonym(given, judge.account)

    def items(self) -> list[JudgedItem]:
        """Return the project's items."""
        return self.database.read_now(lambda session: list(items_of(session, self.project)))


class Judge:
    """A member at a browser: opens the page and sends its form with its defaults."""

    def __init__(self, station: Station, account: str, browser: Browser) -> None:
        self.station, self.account, self.browser = station, account, browser
        self.path = f"/judging/{station.project}"

    def open(self) -> str:
        """Open the judge's page."""
        response = self.browser.get(self.path)
        assert response.status_code == 200, (response.status_code, response.text[:500])
        return response.text

    @property
    def token(self) -> str:
        """Return the token of the open page."""
        found = _PAGE.search(self.browser.page)
        assert found is not None, self.browser.page[:500]
        return html.unescape(found[1])

    @property
    def fields(self) -> list[str]:
        """Return the fields of the open page."""
        return _FIELD.findall(self.browser.page)

    @property
    def question(self) -> str:
        """Return the number in the displayed question, which identifies the items of `issue_run`."""
        found = re.search(r"Why does step (\d+) fail", self.browser.page)
        return found[1] if found else ""

    def send(self, step: str = "submit", *, token: str = "", comment: str = "", **values: str) -> Any:
        """Send a step, and open the page that it leads to."""
        named = {f"say-{name}": value for name, value in values.items()}
        response = self.browser.send(self.path, page=token or self.token, step=step, comment=comment, **named)
        if response.status_code == 303:
            self.open()
        return response

    def report(self, reason: str) -> Any:
        """Report the item."""
        response = self.browser.send(self.path, page=self.token, step="report", reason=reason)
        if response.status_code == 303:
            self.open()
        return response
