"""Creating projects from runs: finding, extending and refusing them; gold files; migrations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect

from benchwright.errors import DataError, RunError, UsageError
from benchwright.running.run_data import open_run
from benchwright.web.core.database import Database, open_database
from benchwright.web.core.tables import Base
from benchwright.web.station.application import PARTS
from benchwright.web.station.project_setup import ProjectOptions, check_options, project_runs
from benchwright.web.station.vote_records import find_project, items_of, project_names, runs_of
from kit.graded_runs import ISSUES, graded_run
from kit.older_schema import downgrade
from kit.station_kit import Station, comment_run, issue_run, make

Make = Callable[..., Station]


def test_the_same_runs_find_the_same_project(database: Database, tmp_path: Path) -> None:
    """Other options of the second call are ignored: judging in progress must not change."""
    run = issue_run(tmp_path / "run")
    first = make(database, [run])
    second = make(database, [run], judgements=9, name="Another")

    assert (second.project_id, second.is_new, second.added) == (first.project_id, False, 0)
    assert (first.is_new, first.items) == (True, 8)


def test_another_kind_is_another_project(database: Database, tmp_path: Path) -> None:
    """The order of two runs is irrelevant; the question is not."""
    one, two = issue_run(tmp_path / "one"), issue_run(tmp_path / "two", text="Other {n}.", model="openai:b")
    pair, turned = make(database, [one, two]), make(database, [two, one])
    decided, noted = make(database, [one, two], kind="decide"), make(database, [one], kind="annotate")

    assert pair.project_id == turned.project_id
    assert len({pair.project_id, decided.project_id, noted.project_id}) == 3
    assert (pair.items, decided.items, noted.items) == (8, 16, 8)


def test_what_a_run_got_since_is_added(station: Make, tmp_path: Path) -> None:
    """Existing judges' orders get the new items at their end, once each."""
    run = issue_run(tmp_path / "run", 6)
    there = station(run, judgements=1)
    ann = there.member("ann")
    ann.open()
    ann.send(decision="correct")
    lines = (run / "answers.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    verdicts = (run / "verdicts.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    extra = json.loads(lines[0])
    extra.update(key="1-1", sample=1, text="A second answer.")
    second = {**json.loads(verdicts[0]), "key": "1-1", "sample": 1}
    (run / "answers.jsonl").write_text("".join([lines[0], json.dumps(extra) + "\n", *lines[1:]]), "utf-8")
    (run / "verdicts.jsonl").write_text(
        "".join([verdicts[0], json.dumps(second) + "\n", *verdicts[1:]]), "utf-8"
    )
    made = make(there.database, [run])
    ann.open()
    seen = 0
    while ann.fields:
        ann.send(decision="correct")
        seen += 1

    assert (made.project_id, made.items, made.added) == (there.project, 7, 1)
    assert seen == 6


@pytest.mark.postgresql
def test_items_are_records_with_their_origins(database: Database, tmp_path: Path) -> None:
    """Question, code, references and answers are unchanged, in order, with their run."""
    made = make(database, [comment_run(tmp_path / "run", 3)])
    items = database.read_now(lambda session: list(items_of(session, made.project_id)))
    runs = database.read_now(lambda session: runs_of(session, made.project_id))

    assert [item.task_id for item in items] == [1, 2, 3]
    assert all("def area_" in item.code and item.lang == "Python" for item in items)
    assert {answer.run for item in items for answer in item.answers} == {digest for digest, _ in runs}
    assert [path for _, path in runs] == [str(tmp_path / "run")]
    name = database.read_now(project_names)[0]
    assert database.read_now(lambda session: find_project(session, name)) == made.project_id
    assert database.read_now(lambda session: find_project(session, "none")) is None


def test_runs_that_cannot_be_judged_together(tmp_path: Path) -> None:
    """Each refusal states the reason and a hint."""
    for folder in "cijs":
        (tmp_path / folder).mkdir()
    comments, issues = comment_run(tmp_path / "c" / "run"), issue_run(tmp_path / "i" / "run")
    third = issue_run(tmp_path / "j" / "run", 3)
    settled = graded_run(
        tmp_path / "s" / "run", ISSUES, {1: [("", "wrong", {"scores": {"nothing_said": 1.0}})]}
    )
    refused: list[tuple[list[Path], str | None, type[Exception], str]] = [
        ([comments, issues], None, UsageError, "different tracks"),
        ([issues, issues], None, UsageError, "given twice"),
        ([issues], "pair", UsageError, "needs two runs, not 1"),
        ([issues], "rate", UsageError, "cannot be judged with --kind rate"),
        ([comments, third, issues], "decide", UsageError, "different tracks"),
        ([settled], None, RunError, "rules decided all"),
    ]
    for runs, kind, error, words in refused:
        with pytest.raises(error, match=words) as caught:
            project_runs([open_run(run) for run in runs], kind, {})  # type: ignore[arg-type]
        assert "hint:" in str(caught.value)


def test_two_runs_of_one_identity_are_told_apart(tmp_path: Path) -> None:
    """One folder, a copy of it, and another run of the same model with other answers have different messages."""
    for folder in "abc":
        (tmp_path / folder).mkdir()
    run, copy = (issue_run(tmp_path / folder / "run", 4) for folder in "ab")
    other = issue_run(tmp_path / "c" / "run", 4, text="Something else {n}.")
    said = []
    for second in (tmp_path / "a" / ".." / "a" / "run", copy, other):
        with pytest.raises(UsageError) as caught:
            project_runs([open_run(run), open_run(second)], "pair", {})
        said.append(str(caught.value))

    assert "is given twice" in said[0]
    assert f"{run} and {copy} are the same run: their answers are equal" in said[1]
    assert "of one identity (model, data, settings and seeds), though 4 of 4 answers differ" in said[2]
    assert f"hint: diff {run}/run.json {other}/run.json" in said[2]


GOOD = {"task_id": 1, "answer": "x", "expected": {"decision": "wrong"}}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({**GOOD, "task_id": 99}, "field task_id"),
        ({**GOOD, "task_id": []}, "field task_id"),
        ({**GOOD, "answer": 5}, "field answer"),
        ({**GOOD, "expected": {}}, "field expected"),
        ({**GOOD, "expected": {"decision": "maybe"}}, "field expected.decision"),
        ({**GOOD, "expected": {"logic": 5}}, "field expected.logic"),
        ({**GOOD, "expected": {"decision": True}}, "field expected.decision"),
    ],
)
@pytest.mark.parametrize("database_place", ["sqlite"], indirect=True)
def test_a_gold_row_that_is_wrong(
    database: Database, tmp_path: Path, row: dict[str, object], words: str
) -> None:
    """The error has file, line and field, and no project is created."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text(f"{json.dumps(GOOD)}\n\n{json.dumps(row)}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        make(database, [issue_run(tmp_path / "run", 3)], gold=gold)

    assert "gold.jsonl:3" in str(caught.value)
    assert words.removeprefix("field ") in str(caught.value)
    assert database.read_now(project_names) == []


@pytest.mark.parametrize("database_place", ["sqlite"], indirect=True)
def test_a_seed_makes_orders_again(database_place: str, tmp_path: Path) -> None:
    """Two stations with one seed use the same names of judges; without a seed each project has its own
    secret."""
    database = open_database(database_place, PARTS)
    run = issue_run(tmp_path / "run", 3)
    other = open_database(str(tmp_path / "other.sqlite"), PARTS)
    try:
        names = []
        for each, seed in ((database, "s"), (other, "s")):
            there = Station(each, [run], seed=seed)
            there.database.write_now(lambda session: None)
            names.append(there.items()[0].item)
            there.served.close()
    finally:
        database.close()
        other.close()

    assert names[0] == names[1]


@pytest.mark.postgresql
def test_tables_are_made_and_taken_down(database: Database) -> None:
    """The migration creates the tables of the classes, with columns and indexes, and drops them."""
    found = inspect(database.engine)
    ours = {name: table for name, table in Base.metadata.tables.items() if name.startswith("station_")}
    for name, table in ours.items():
        assert {column["name"] for column in found.get_columns(name)} == {each.name for each in table.columns}
        nullable = {column["name"]: column["nullable"] for column in found.get_columns(name)}
        assert nullable == {each.name: bool(each.nullable) for each in table.columns}
        indexes = {
            index["name"] for index in found.get_indexes(name) if not index.get("duplicates_constraint")
        }
        assert indexes == {index.name for index in table.indexes}
    downgrade(database.engine, PARTS)
    assert not [name for name in inspect(database.engine).get_table_names() if name.startswith("station_")]


@pytest.mark.parametrize(
    "wishes",
    [{"repeat_share": float("nan")}, {"threshold": float("nan")}, {"name": "a\x1b[31m"}, {"name": "n" * 201}],
)
def test_wishes_that_cannot_be_are_told(wishes: dict[str, Any]) -> None:
    """They are checked before anything is opened; NaN passes all comparisons except one."""
    with pytest.raises(UsageError, match=r"from 0 to 1|visible"):
        check_options(ProjectOptions(**wishes))


def test_wishes_that_are_fine() -> None:
    """Missing values, and both ends of the range."""
    check_options(ProjectOptions())
    check_options(ProjectOptions(repeat_share=0.0, threshold=1.0, name="Первый раунд"))
