"""`judge export --database`: what people said in the station becomes votes and figures of its runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from benchwright.judges.people.records import Vote
from benchwright.running.judged_items import read_votes, store_votes
from benchwright.running.run_data import open_run
from kit.command_line import called, contents
from kit.graded_runs import ISSUES, graded_run
from kit.needs import need_module

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

need_module("litestar")


LINE = ("judge", "export", "--database", "site.db", "--project", "issues", "--json")


def judged_station(folder: Path) -> tuple[Path, list[Vote]]:
    """A run of four answers that two people have judged in a station, and their votes."""
    from benchwright.web.core.database import open_database
    from benchwright.web.station.application import PARTS
    from kit.station_kit import Station, issue_run

    run = issue_run(folder / "run", 4)
    database = open_database(folder / "site.db", PARTS)
    station = Station(database, [run], name="issues")
    for name in ("anna", "boris"):
        judge = station.member(name)
        judge.open()
        for _ in range(4):
            judge.send(decision="correct" if judge.question != "1" else "wrong")
    given = station.votes()
    station.served.close()
    database.close()
    return run, given


def withdraw_one(path: Path) -> None:
    """Take one vote back, as a judge does by undoing it."""
    from sqlalchemy import select

    from benchwright.web.core.database import open_database
    from benchwright.web.station.application import PARTS
    from benchwright.web.station.tables import StationVote

    database = open_database(path, PARTS)

    def take(session: Session) -> None:
        session.scalars(select(StationVote).limit(1)).one().withdrawn = True

    database.write_now(take)
    database.close()


def test_a_projects_votes_go_into_its_runs(tmp_path: Path) -> None:
    """All of them with pseudonyms and times; the same votes twice are the same bytes."""
    run, given = judged_station(tmp_path)
    line = LINE
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
    from benchwright.web.station.application import PARTS
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
    assert (said.code, "is not a run of" in said.err) == (1, True)


def vote(folder: Path, judge: str, value: str = "partly", *, key: str = "", item: str = "one") -> Vote:
    """A vote on the first answer of a run, from a sheet."""
    answer = next(iter(open_run(folder).answers()))
    return Vote(
        vote=key or f"sheet-{judge}",
        item=item,
        task_id=answer.task_id,
        kind="decide",
        field="decision",
        value=value,
        judge=judge,
        answers=[answer.key],
    )


def test_votes_of_other_people_stay(tmp_path: Path) -> None:
    """Those of sheets are merged with the station's, however often it is exported."""
    (folder, _), line = judged_station(tmp_path), LINE
    others = [vote(folder, name) for name in ("vera", "jon", "olga")]
    store_votes(open_run(folder), others)
    for _ in range(2):
        said = called(*line, cwd=tmp_path)
        assert said.code == 0, said.err
    document = json.loads(said.out)["runs"][str(folder)]
    kept = read_votes(open_run(folder))

    assert [each for each in others if each in kept] == others
    assert (len(kept), document["votes"], document["removed"], document["backup"]) == (11, 11, 0, "")


def test_what_the_station_took_back_is_removed_and_backed_up(tmp_path: Path) -> None:
    """The former file lies beside the new one, and the command names it."""
    (folder, _), line = judged_station(tmp_path), LINE
    store_votes(open_run(folder), [vote(folder, "vera")])
    called(*line, cwd=tmp_path)
    before = (folder / "votes.jsonl").read_bytes()
    withdraw_one(tmp_path / "site.db")
    document = json.loads(called(*line, cwd=tmp_path).out)["runs"][str(folder)]

    assert (document["votes"], document["removed"]) == (8, 1)
    assert (folder / document["backup"]).read_bytes() == before
    assert "vera" in {each.judge for each in read_votes(open_run(folder))}


def test_another_value_in_the_same_place_is_refused(tmp_path: Path) -> None:
    """Neither of the two votes is dropped, and both are named."""
    (folder, _), line = judged_station(tmp_path), LINE
    called(*line, cwd=tmp_path)
    first, *rest = read_votes(open_run(folder))
    store_votes(open_run(folder), [msgspec.structs.replace(first, vote="by-hand", value="partly"), *rest])
    before = (folder / "votes.jsonl").read_bytes()
    said = called(*line, cwd=tmp_path)

    assert (said.code, first.judge in said.err, first.item in said.err) == (1, True, True)
    assert (folder / "votes.jsonl").read_bytes() == before
