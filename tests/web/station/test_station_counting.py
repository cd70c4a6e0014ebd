"""The number of items left: one less with each decision, recounted sometimes, and it never reveals the kind
of an item."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, inspect, text

from benchwright.web.core.database import Database, open_database
from benchwright.web.core.tables import migrate, table_of
from benchwright.web.station.application import PARTS
from benchwright.web.station.judge_session import ANEW, items_left
from benchwright.web.station.tables import StationSeat, StationTurn
from kit.older_schema import downgrade
from kit.station_kit import Judge, Station, gold_file, issue_run

pytestmark = pytest.mark.postgresql

Make = Callable[..., Station]


def _to_go(page: str) -> int:
    found = re.search(r"decided, (\d+) left", page)
    assert found is not None, page[:500]
    return int(found[1])


def _decide(judge: Judge) -> int:
    """Submit as htmx does, without opening the page again; return the number in the response."""
    form = {"csrf": judge.browser.token(), "page": judge.token, "say-decision": "correct"}
    answer = judge.browser.request("POST", judge.path, data=form, headers={"hx-request": "true"})
    assert answer.status_code == 200
    return _to_go(answer.text)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("items", [1, 2, 34, 500])
def test_the_number_starts_at_the_items_and_never_rises(items: int, share: float) -> None:
    """This holds for any share of repeats, down to 1."""
    told = [items_left(left, share) for left in range(round(items * (1 + share)), 0, -1)]

    assert (told[0], told[-1]) == (items, 1)
    assert sorted(told, reverse=True) == told and set(told) == set(range(1, items + 1))


def test_each_decision_takes_one_off_and_a_count_agrees(station: Make, tmp_path: Path) -> None:
    """There are more decisions than between two recounts, with repeats among them."""
    there = station(issue_run(tmp_path / "long", 2 * ANEW), repeat_share=0.4, judgements=1)
    ann = there.member("ann")
    first = told = _to_go(ann.open())
    for number in range(1, ANEW + 8):
        told = _decide(ann)
        assert told == items_left(round(1.4 * first) - number, 0.4)
    counted = _to_go(ann.open())

    assert "repeat" in {vote.round for vote in there.votes()}
    assert (first, counted) == (2 * ANEW, told)


def test_what_others_have_filled_is_taken_up(station: Make, tmp_path: Path) -> None:
    """The next opened page includes it, or else the sixteenth decision."""
    there = station(issue_run(tmp_path / "long", 2 * ANEW + 8), judgements=1)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    bob.open()
    for _ in range(6):
        _decide(bob)
    told = [_decide(ann) for _ in range(ANEW)]

    assert told[0] == 2 * ANEW + 7
    assert told[-2] - told[-1] == 1 + 7  # six that Bob decided, and the one that he holds
    assert _to_go(ann.open()) == told[-1]


def test_a_skip_an_undo_and_a_report_are_counted_at_once(station: Make, tmp_path: Path) -> None:
    """The last count has no effect."""
    there = station(issue_run(tmp_path / "long", 12))
    ann = there.member("ann")
    ann.open()
    _decide(ann)
    told = []
    for step in ("skip", "undo", "undo"):
        ann.send(step)
        told.append(_to_go(ann.browser.page))
    ann.report("broken")

    assert told == [10, 11, 12]
    assert _to_go(ann.browser.page) == 11


def test_a_submit_counts_by_the_same_statement(station: Make, tmp_path: Path) -> None:
    """The same statement runs with and without a recount, so its cost does not reveal the decision."""
    gold = tmp_path / "gold.jsonl"
    rows = (
        f'{{"task_id": {n}, "answer": "No {n}.", "expected": {{"decision": "wrong"}}}}'
        for n in (2, 5, 8, 11, 14, 17)
    )
    gold.write_text("\n".join(rows), encoding="utf-8")
    there = station(issue_run(tmp_path / "long", ANEW + 4), repeat_share=0.6, judgements=1, gold=gold)
    ann = there.member("ann")
    ann.open()
    done, running = list[tuple[str, ...]](), list[str]()

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        running.append(statement)

    event.listen(there.database.engine, "before_cursor_execute", note)
    while ann.fields:
        running.clear()
        _decide(ann)
        done.append(tuple(running))

    assert {vote.round for vote in there.votes()} == {"first", "gold", "repeat"}
    assert len(done) > ANEW and len(set(done[:-1])) == 1  # after the last one no item is left to hold


def test_a_station_of_the_first_tables_is_brought_up_to_date(database_place: str) -> None:
    """Its rows stay, and it can be downgraded again; the tables are then those of the classes."""
    database: Database = open_database(database_place, PARTS)
    downgrade(database.engine, PARTS, "station_0001")
    with database.engine.begin() as connection:
        connection.execute(text("insert into accounts (id, name, password, is_admin, created_ms) values ('a', 'a', '!', false, 1)"))  # fmt: skip
        connection.execute(text("insert into projects (id, name, state, created_ms) values ('p', 'p', 'open', 1)"))  # fmt: skip
        connection.execute(text("insert into station_seats (project_id, judge_id, decided, paced, worked, sat_at, last_at) values ('p', 'a', 5, 5, 9, 1, 1)"))  # fmt: skip
    migrate(database.engine, PARTS)
    with database.engine.begin() as connection:
        kept = connection.execute(text("select decided, to_go from station_seats")).all()
        found = {
            (name, column["name"])
            for name in ("station_seats", "station_turns")
            for column in inspect(connection).get_columns(name)
        }
    database.close()

    assert [tuple(row) for row in kept] == [(5, 0)]
    assert found == {
        (kind.__tablename__, column.name)
        for kind in (StationSeat, StationTurn)
        for column in table_of(kind).columns
    }


def test_gold_items_of_older_orders_go_along_with_ordinary_ones(station: Make, tmp_path: Path) -> None:
    """After the migration an older order equals one that is created now."""
    there = station(judgements=1, gold=gold_file(tmp_path, 1, 2, 5))
    for name in ("ann", "bob"):
        there.member(name).open()
    engine = there.database.engine
    turns = text("select id, beside from station_turns order by id")
    with engine.begin() as connection:
        wanted = connection.execute(turns).all()
    downgrade(engine, PARTS, "station_0002")
    with engine.begin() as connection:
        connection.execute(text("update station_turns set beside = null"))
    migrate(engine, PARTS)
    with engine.begin() as connection:
        found = connection.execute(turns).all()

    assert found == wanted
    assert sum(beside is not None for _, beside in wanted) == 2 * 3
