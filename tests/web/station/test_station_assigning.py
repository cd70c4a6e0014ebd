"""Assignment of items to judges: separate orders, leases, no duplicates, later repeats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.web.station.assignment import assign_next
from benchwright.web.station.judge_session import JudgeSession, open_session
from benchwright.web.station.tables import StationItem, StationTurn
from benchwright.web.station.vote_actions import FormInput, open_turn, submit
from kit.processes import HANG_S
from kit.station_kit import Judge, Station, gold_file, issue_run, make
from kit.web_client import START_MS

MINUTE_MS = 60_000
Make = Callable[..., Station]


def judged(judge: Judge, most: int = 100) -> list[str]:
    """Return the questions that a judge sees, deciding each, until there are no more."""
    seen = []
    judge.open()
    while judge.fields and len(seen) < most:
        seen.append(judge.question)
        judge.send(decision="correct")
    return seen


def test_every_judge_has_an_order_of_their_own(station: Make) -> None:
    """Each order has all items once, and differs from the data's order and from the other judges' orders."""
    there = station(judgements=2)
    orders = [judged(there.member(name)) for name in ("ann", "bob")]

    assert [sorted(order) for order in orders] == [sorted(map(str, range(1, 9)))] * 2
    assert orders[0] != orders[1]
    assert sorted(orders[0]) != orders[0]


def test_places_of_items_are_those_of_answers(station: Make) -> None:
    """Records keep the order of the data, whatever order judges see."""
    items = station().items()

    assert [item.task_id for item in items] == list(range(1, 9))
    assert len({item.item for item in items}) == 8


def test_an_item_gets_as_many_judges_as_it_wants(station: Make) -> None:
    """With two judgements per item, three judges share sixteen places, and nobody judges an item twice.

    Two judges stop after five, each with a sixth item of eight open; the third gets the items that these two
    do not both have, at least two.
    """
    there = station(judgements=2)
    ann, bob, cyd = (there.member(name) for name in ("ann", "bob", "cyd"))
    seen = [judged(ann, 5), judged(bob, 5), judged(cyd), judged(ann), judged(bob)]
    votes = there.votes()
    judges = [(vote.judge, vote.item) for vote in votes]

    assert (sum(map(len, seen)), len(judges), len(set(judges))) == (16, 16, 16)
    assert len(seen[2]) >= 2
    assert {sum(vote.item == item.item for vote in votes) for item in there.items()} == {2}


def test_the_same_item_after_a_reload_and_on_another_device(station: Make) -> None:
    """A page that is opened again shows the same item, with a new token."""
    there = station()
    ann = there.member("ann")
    ann.open()
    first, token = ann.question, ann.token
    ann.open()
    other = there.again(ann.account)
    other.open()

    assert (ann.question, other.question) == (first, first)
    assert len({token, ann.token, other.token}) == 3


def test_an_item_whose_time_is_over_goes_to_others(station: Make) -> None:
    """While the item is held nobody else gets it; afterwards others do, and its former holder gets the next
    one."""
    there = station(judgements=1, lease_s=600)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    held = ann.question
    others = judged(bob)
    there.served.clock.now += 11 * MINUTE_MS
    late = judged(bob)
    ann.open()

    assert held not in others
    assert len(others) == 7
    assert late == [held]
    assert ann.fields == []


def test_a_clock_that_is_set_back_holds_nothing_for_ever(station: Make) -> None:
    """A lease that ends later than a full lease from now was granted before the clock was set back."""
    there = station(judgements=1, lease_s=600)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    there.served.clock.now = START_MS - 24 * 60 * MINUTE_MS
    seen = judged(bob)

    assert len(seen) == 8
    assert ann.question in seen


@pytest.mark.postgresql
def test_a_step_that_came_first_and_is_done_last_takes_nobodys_item(station: Make) -> None:
    """Steps reach the database in any order; the earlier time of one does not mean that the clock was set
    back."""
    there = station(judgements=1, lease_s=600)
    ann, bob = there.member("ann"), there.member("bob")
    there.served.clock.now += 5_000
    ann.open()
    there.served.clock.now -= 5_000
    bob.open()
    turns = select(StationTurn.state).where(StationTurn.judge_id == ann.account, StationTurn.state == "held")

    assert there.database.read_now(lambda session: session.scalars(turns).all()) == ["held"]


@pytest.mark.postgresql
def test_an_item_that_is_just_being_decided_is_not_given_to_others(station: Make) -> None:
    """A judge decides after the lease ended, and another requests an item before the commit: the decision is
    kept, and the other judge gets another item. On SQLite the other one waits."""
    there = station(judgements=1, lease_s=600)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    there.served.clock.now += 11 * MINUTE_MS
    now = there.served.clock.now

    def desk(session: Session, judge: Judge) -> JudgeSession:
        return open_session(session, there.project, judge.account, now)

    def work_for_bob(session: Session) -> int:
        held = assign_next(desk(session, bob))
        assert held is not None
        return held.item

    def decide(session: Session) -> tuple[int, Future[int]]:
        at_desk = desk(session, ann)
        turn, _ = open_turn(at_desk, ann.token)
        assert turn is not None
        assert submit(at_desk, ann.token, FormInput({"decision": "wrong"})).ended.ending == "kept"
        beside = others.submit(there.database.write_now, work_for_bob)
        if there.database.kind == "postgresql":
            beside.result(HANG_S)
        return turn.item_id, beside

    with ThreadPoolExecutor(1) as others:
        decided, beside = there.database.write_now(decide)
        given = beside.result(HANG_S)
    states = select(StationTurn.state).where(
        StationTurn.judge_id == ann.account, StationTurn.item_id == decided
    )

    assert given != decided
    assert there.database.read_now(lambda session: session.scalars(states).all()) == ["done"]
    assert len(there.votes()) == 1


def test_a_clock_that_is_set_back_loses_no_vote(station: Make) -> None:
    """The judge who holds the item can still decide it; the times of a vote stay in order."""
    there = station()
    ann = there.member("ann")
    ann.open()
    there.served.clock.now -= 60 * MINUTE_MS
    ann.send(decision="wrong")
    vote = there.votes()[0]

    assert vote.started_at <= vote.submitted_at


def test_a_share_is_shown_again_later(station: Make, tmp_path: Path) -> None:
    """Repeats come after other items, take no place of another judge, and have their own round of votes."""
    there = station(issue_run(tmp_path / "long", 40), judgements=1, repeat_share=0.5)
    seen = judged(there.member("ann"))
    twice = [question for question in set(seen) if seen.count(question) == 2]
    gaps = [len(seen) - 1 - seen[::-1].index(each) - seen.index(each) for each in twice]
    rounds = [vote.round for vote in there.votes()]

    assert len(set(seen)) == 40
    assert 8 < len(twice) < 30
    assert min(gaps) >= 10
    assert (rounds.count("first"), rounds.count("repeat")) == (40, len(twice))


def test_gold_items_are_for_every_judge(station: Make, tmp_path: Path) -> None:
    """They are mixed in, every judge gets them, and their votes have a separate round."""
    there = station(judgements=3, gold=gold_file(tmp_path, 3))
    seen = [judged(there.member(name)) for name in ("ann", "bob", "cyd")]
    votes = there.votes()

    assert [len(each) for each in seen] == [9, 9, 9]
    assert [vote.round for vote in votes].count("gold") == 3
    assert [item.expected for item in there.items() if item.expected] == [{"decision": "wrong"}]


def test_who_comes_when_all_is_judged_is_shown_nogold_file(station: Make, tmp_path: Path) -> None:
    """Gold items alone would be recognizable; the page reports that no items are left."""
    there = station(judgements=1, gold=gold_file(tmp_path, 1, 3, 5))
    first = judged(there.member("ann"))
    late = there.member("bob")
    page = late.open()

    assert (len(first), late.fields) == (11, [])
    assert "There are no items for you to judge" in page
    assert [vote.round for vote in there.votes()].count("gold") == 3


def test_who_comes_late_meets_gold_among_as_many_others(station: Make, tmp_path: Path) -> None:
    """A late judge gets those gold items whose neighbours are left, and the number of items left includes no
    others."""
    there = station(issue_run(tmp_path / "long", 40), judgements=1, gold=gold_file(tmp_path, *range(1, 21)))
    early = judged(there.member("ann"), 45)
    late = there.member("bob")
    told = re.search(r"decided, (\d+) left", late.open())
    shown = judged(late)
    rounds = Counter(vote.round for vote in there.votes() if vote.judge == there.pseudonym(late))

    assert told is not None
    assert (len(early), len(shown)) == (45, int(told[1]))
    assert 0 < rounds["first"] <= 20
    assert rounds["gold"] <= rounds["first"] + 3  # of 20 in total


def test_gold_that_is_added_alone_is_not_shown_at_the_end(station: Make, tmp_path: Path) -> None:
    """A judge with an order would get the new item alone; later judges get it among the others."""
    run = issue_run(tmp_path / "run")
    there = station(run, judgements=2)
    ann = there.member("ann")
    assert len(judged(ann)) == 8
    made = make(there.database, [run], judgements=2, gold=gold_file(tmp_path, 2, 4))

    assert (made.added, judged(ann)) == (2, [])
    assert len(judged(there.member("bob"))) == 10


@pytest.mark.postgresql
def test_counts_of_places_hold_after_everything(station: Make) -> None:
    """After skips, reports, ended leases and undos, each item has as many places taken as votes."""
    there = station(judgements=2, lease_s=600)
    ann, bob = there.member("ann"), there.member("bob")
    for judge, steps in ((ann, "vsvuvuvr"), (bob, "svvvusvv")):
        judge.open()
        for step in steps:
            if step == "v":
                judge.send(decision="correct")
            elif step == "r":
                judge.report("it is cut off")
            else:
                judge.send({"s": "skip", "u": "undo"}[step])
    there.served.clock.now += 11 * MINUTE_MS
    there.member("cyd").open()
    taken = there.database.read_now(
        lambda session: dict(
            session.execute(select(StationItem.item, StationItem.taken)).all()  # type: ignore[arg-type]
        )
    )
    votes = there.votes()
    expected = {item.item: sum(vote.item == item.item for vote in votes) for item in there.items()}

    assert sum(taken.values()) - sum(expected.values()) == 1  # the item that is open for cyd
    assert all(taken[item] >= number for item, number in expected.items())
