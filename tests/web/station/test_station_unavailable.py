"""Submits while the database fails: acknowledged votes are stored, refused ones can be sent again, and typed
text is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchwright.web.core.database import Database, open_database
from benchwright.web.station.application import PARTS
from kit.mounted import mounted
from kit.postgres import Postgres
from kit.station_kit import Judge, Station, issue_run

FULL = """
import logging
import sys
from pathlib import Path
from benchwright.web.core.database import open_database
from benchwright.web.station.application import PARTS
from kit.station_kit import Station, issue_run

logging.disable()  # what is refused is told to the log too
folder = Path(sys.argv[1])
run = issue_run(folder / "run", 60)
filler = folder / "filler"
there = Station(open_database(folder / "site.db", PARTS), [run])
ann = there.member("ann")
ann.open()
filler.write_bytes(b"x" * 1_000_000)
with filler.open("ab", buffering=0) as stream:
    try:
        while stream.write(b"x" * 4096):
            pass
    except OSError:
        pass
filler.write_bytes(filler.read_bytes()[:-300_000])
answers, form = [], {}
while not answers or answers[-1].status_code == 200:
    page = answers[-1].text if answers else ann.browser.page
    ann.browser.page = page
    form = {"page": ann.token, "csrf": ann.browser.token(), "say-decision": "wrong"}
    form["comment"] = "c" * 19_000 + str(len(answers))
    answers.append(ann.browser.request("POST", ann.path, data=form, headers={"hx-request": "true"}))
kept, refused = len(answers) - 1, answers[-1]
print(refused.status_code, "end it again" in refused.text, kept > 2, len(there.votes()) == kept)
filler.unlink()
again = ann.browser.request("POST", ann.path, data=form, headers={"hx-request": "true"})
twice = ann.browser.request("POST", ann.path, data=form, headers={"hx-request": "true"})
comments = [vote.comment for vote in there.votes()]
print(again.status_code, twice.status_code, len(comments) == kept + 1, form["comment"] in comments)
"""


def test_a_full_disk_loses_no_vote(tmp_path: Path) -> None:
    """Send votes with long comments until the disk is full: one is refused; with space again the same form
    counts once."""
    said = mounted(f"mount -t tmpfs -o size=4m none {tmp_path}", FULL, tmp_path)

    assert said.splitlines() == ["503 True True True", "200 200 True True"]


def _submit(judge: Judge, form: dict[str, str]) -> httpx.Response:
    answer: httpx.Response = judge.browser.request(
        "POST", judge.path, data=form, headers={"hx-request": "true"}
    )
    return answer


def _filled(judge: Judge, comment: str) -> dict[str, str]:
    given = {"csrf": judge.browser.token(), "page": judge.token, "comment": comment}
    return {**given, "say-decision": "wrong"}


class Restarting:
    """A station on a separate server, which a test stops and starts."""

    def __init__(self, folder: Path) -> None:
        self.server = Postgres()
        self.database: Database = open_database(self.server.new_database(), PARTS)
        self.station = Station(self.database, [issue_run(folder / "run", 12)])

    def comments(self) -> list[str]:
        """Return the stored comments of all votes."""
        return [vote.comment for vote in self.station.votes()]

    def close(self) -> None:
        """Stop the station and the server."""
        self.station.served.close()
        self.database.close()
        self.server.remove()


@pytest.fixture(scope="module")
def restarting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restarting]:
    """Use one server for all tests here: starting one takes seconds."""
    there = Restarting(tmp_path_factory.mktemp("restarting"))
    yield there
    there.close()


def test_a_server_that_is_away_refuses_and_goes_on(restarting: Restarting) -> None:
    """Earlier votes are stored; the refused one counts when it is sent again, with the typed text."""
    ann = restarting.station.member("ann")
    ann.open()
    _submit(ann, _filled(ann, "before"))
    form = _filled(ann, "while it was away")
    draft = {name: form[name] for name in ("csrf", "page")} | {"comment": "typed"}
    assert ann.browser.request("POST", f"{ann.path}/draft", data=draft).status_code == 204
    restarting.server.stop()
    refused = _submit(ann, form)
    restarting.server.start()
    kept = restarting.comments()
    shown = ann.open()
    again = _submit(ann, {**form, "page": ann.token})

    assert refused.status_code == 503
    assert "was not stored" in refused.text
    assert ("typed</textarea>" in shown, again.status_code) == (True, 200)
    assert (kept, sorted(restarting.comments())) == (["before"], ["before", "while it was away"])


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_whose_end_is_not_known_counts_once(
    restarting: Restarting, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The server stops during the commit, before or after it takes effect: the judge is told that the result
    is unknown, sends the form again, and the vote is stored once."""
    judge = restarting.station.member(f"judge-{when}")
    judge.open()
    form, dialect = _filled(judge, f"{when} the commit"), restarting.database.engine.dialect
    commit = dialect.do_commit

    def cut(connection: Any) -> None:
        if when == "after":
            commit(connection)
        restarting.server.stop()
        connection.execute("select 1")  # nobody answers

    with monkeypatch.context() as patched:
        patched.setattr(dialect, "do_commit", cut)
        refused = _submit(judge, form)
    restarting.server.start()
    again = _submit(judge, form)

    assert refused.status_code == 503
    assert "may not have been stored" in refused.text
    assert again.status_code == 200
    assert restarting.comments().count(f"{when} the commit") == 1
