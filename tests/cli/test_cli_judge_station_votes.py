"""`judge export --database`: what people said in the station becomes votes and figures of its runs."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.running.reading import open_run
from benchwright.running.votes import read_votes
from kit.command_line import called, contents
from kit.graded_runs import ISSUES, graded_run
from kit.needs import need_module

need_module("litestar")


def test_a_projects_votes_go_into_its_runs(tmp_path: Path) -> None:
    """All of them with pseudonyms and times; the same votes twice are the same bytes."""
    from benchwright.web.core.database import open_database
    from benchwright.web.station.routes import PARTS
    from kit.station_kit import Station, issue_run

    run = issue_run(tmp_path / "run", 4)
    database = open_database(tmp_path / "site.db", PARTS)
    station = Station(database, [run], name="issues")
    for name in ("anna", "boris"):
        judge = station.member(name)
        judge.open()
        for _ in range(4):
            judge.send(decision="correct" if judge.question != "1" else "wrong")
    given = station.votes()
    station.served.close()
    database.close()

    line = ("judge", "export", "--database", "site.db", "--project", "issues", "--json")
    said = called(*line, cwd=tmp_path)
    assert said.code == 0, said.err
    found = json.loads(said.out)
    before = contents(run)
    called(*line, cwd=tmp_path)

    assert found["votes"] == 8
    assert {vote.vote for vote in read_votes(open_run(run))} == {vote.vote for vote in given}
    assert not any(vote.judge in ("anna", "boris") for vote in given)
    assert json.loads((run / "scores.json").read_text())["metrics"]["acc"]["value"] == 0.75
    assert contents(run) == before


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    """A database that is none is not made; a project and a run that it does not know are refused."""
    from benchwright.web.core.database import open_database
    from benchwright.web.station.routes import PARTS
    from kit.station_kit import issue_run, make

    line = ("judge", "export", "--project", "issues", "--database")
    said = called(*line, "nothing.db", cwd=tmp_path)
    assert (said.code, (tmp_path / "nothing.db").exists()) == (2, False)
    database = open_database(tmp_path / "site.db", PARTS)
    make(database, [issue_run(tmp_path / "run", 2)], name="other")
    database.close()
    said = called(*line, "site.db", cwd=tmp_path)
    assert (said.code, "one of: other" in said.err) == (2, True)
    graded_run(tmp_path / "foreign", ISSUES, {1: [("text", "undecided", {})]}, model="openai:else")
    said = called("judge", "export", "foreign", "--project", "other", "--database", "site.db", cwd=tmp_path)
    assert (said.code, "is no run of" in said.err) == (1, True)
