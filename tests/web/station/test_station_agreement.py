"""The page of agreement: its content, its cache, and that judges do not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from benchwright.judges.people.agreement import agreement_of
from benchwright.progress import Silent
from benchwright.web.station import agreement_pages
from benchwright.web.station.agreement_pages import AgreementFigures, ballots_of, state_of
from benchwright.web.station.agreement_process import DRAWS, figures_of
from benchwright.web.station.tables import StationItem, StationVote
from kit.needs import need_module
from kit.processes import wait_until
from kit.station_kit import Judge, Station, gold_file, issue_run
from kit.web_client import Browser

Make = Callable[..., Station]


@pytest.fixture(autouse=True)
def _numpy() -> None:
    need_module("numpy", reason="needs numpy")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Record the number of ballots of each computation."""
    sizes: list[int] = []
    run = agreement_pages._run

    async def counted(ballots: list[agreement_pages.Ballot]) -> object:
        sizes.append(len(ballots))
        return await run(ballots)

    monkeypatch.setattr(agreement_pages, "_run", counted)
    yield sizes


def _decide(judge: Judge, number: int, value: str = "correct") -> None:
    judge.open()
    for _ in range(number):
        judge.send(decision=value)


def _page(there: Station, browser: Browser) -> str:
    """Return the page with the figures of the newest votes, on a machine of any speed."""
    path = f"/projects/{there.project}/agreement"
    while "are being updated" in (text := browser.get(path).text):
        pass
    return text


def test_names_and_numbers_are_for_people(station: Make) -> None:
    """Coefficients have names, minus signs are typographic, and one judge is in the singular."""
    there = station()
    viewer, ann = there.member("viv", "viewer").browser, there.member("ann")
    _decide(ann, 4)
    alone = _page(there, viewer)
    bob = there.member("bob")
    bob.open()
    while bob.fields:
        bob.send(decision="wrong" if int(bob.question) % 2 else "correct")
    _decide(ann, 4, "wrong")
    both = _page(there, viewer)

    assert "1 judge, 4 items, 4 judgements." in alone
    assert "2 judges, 8 items, 16 judgements." in both
    assert "Krippendorff&#39;s alpha, nominal" in both
    assert "Cohen&#39;s kappa, quadratic weights" in both
    assert "alpha_nominal" not in both
    assert ">-" not in both


def test_figures_are_kept_until_votes_change(station: Make, computed: list[int]) -> None:
    """Two readers cause one computation; a vote, a withdrawn vote, and an excluded judge cause another one."""
    there = station()
    viewer, boss, ann = (
        there.member("viv", "viewer").browser,
        there.member("boss", "owner"),
        there.member("ann"),
    )
    _decide(ann, 2)
    for browser in (viewer, boss.browser, viewer):
        _page(there, browser)
    once = list(computed)
    _decide(ann, 1)
    _page(there, viewer)
    ann.open()
    ann.send("undo")
    _page(there, viewer)
    boss.browser.get(f"/projects/{there.project}")
    boss.browser.send(f"/projects/{there.project}/members/{ann.account}/votes", to="leave-out")
    left_out = _page(there, viewer)

    assert once == [2]
    assert computed == [2, 3, 2, 0]
    assert "There are no votes yet" in left_out


def test_pages_are_answered_while_figures_are_computed(
    station: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of agreement reports it and shows the earlier figures; a judge's page does not wait."""
    there = station()
    viewer, ann = there.member("viv", "viewer").browser, there.member("ann")
    _decide(ann, 2)
    _page(there, viewer)
    started: list[int] = []

    async def never(ballots: list[agreement_pages.Ballot]) -> object:
        started.append(len(ballots))
        return await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(agreement_pages, "_run", never)
    monkeypatch.setattr(agreement_pages, "PATIENCE_S", 0.0)
    _decide(ann, 1)
    answers = [viewer.get(f"/projects/{there.project}/agreement") for _ in range(3)]
    ann.open()

    assert all("being updated" in each.text and "refresh" in each.headers for each in answers)
    assert all("1 judge, 2 items" in each.text for each in answers)
    assert len(started) <= 1
    assert ann.fields


def test_a_failed_process_is_told_and_tried_again(station: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request reports it and tries again."""
    there = station()
    viewer = there.member("viv", "viewer").browser
    path = f"/projects/{there.project}/agreement"
    with monkeypatch.context() as patched:
        patched.setattr(agreement_pages.sys, "executable", "/bin/false")
        failed = viewer.get(path)

    assert (failed.status_code, "could not be computed" in failed.text) == (200, True)
    assert "There are no votes yet" in _page(there, viewer)


def test_figures_are_those_of_the_exported_votes(station: Make, tmp_path: Path) -> None:
    """Repeats, gold items and replaced votes count as in the command."""
    there = station(issue_run(tmp_path / "run", 8), repeat_share=1.0, gold=gold_file(tmp_path, 2, 3))
    for name, other in (("ann", "wrong"), ("bob", "partly")):
        judge = there.member(name)
        judge.open()
        for number in range(12):
            judge.send(decision=other if number % 3 == 0 else "correct")
        judge.send("undo")
    ballots = there.database.read_now(lambda session: ballots_of(session, there.project))
    votes = there.votes()

    assert len({vote.round for vote in votes}) > 1
    assert figures_of(ballots).fields == agreement_of(votes, Silent(), draws=DRAWS)


def test_every_change_of_votes_is_another_state(station: Make) -> None:
    """This includes changes that keep the number of votes in force."""
    there = station()
    ann = there.member("ann")
    states = []

    def note() -> None:
        states.append(there.database.read_now(lambda session: state_of(session, there.project)))

    note()
    _decide(ann, 1)
    note()
    ann.send("undo")
    note()
    ann.send(decision="wrong")
    note()

    assert len(set(states)) == len(states)


@pytest.mark.postgresql
def test_the_process_ends_with_its_task(station: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends leaves no process behind."""
    there = station()
    items = there.database.read_now(lambda session: list(session.scalars(select(StationItem.id))))
    _fill(there, items, judges=12)
    found: list[asyncio.subprocess.Process] = []
    make = asyncio.create_subprocess_exec

    async def noted(*words: str, **how: object) -> asyncio.subprocess.Process:
        found.append(await make(*words, **how))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    async def begin_and_leave() -> None:
        figures = AgreementFigures(there.database)
        while not found:
            await figures.shown(there.project, patience_s=0.01)

    asyncio.run(begin_and_leave())

    assert wait_until(lambda: not Path(f"/proc/{found[0].pid}").exists())  # its killer has collected it


def _fill(there: Station, items: list[int], *, judges: int) -> None:
    accounts = [there.served.account(f"judge-{n}") for n in range(judges)]

    def add(session: Session) -> None:
        rows = [
            {
                "project_id": there.project, "judge_id": judge, "item_id": item, "round": "first",
                "field": "decision", "value": '"correct"' if (place + item) % 3 else '"wrong"',
                "started_at": 1, "submitted_at": 2, "rubric": "", "interface": "",
                "submission": f"{judge}-{item}", "comment": "", "shown": "",
            }
            for place, judge in enumerate(accounts)
            for item in items
        ]  # fmt: skip
        session.execute(insert(StationVote), rows)

    there.database.write_now(add)
