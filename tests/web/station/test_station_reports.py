"""Reported items: their pages for the owner, their order, and that each can be reached."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from benchwright.web.station.project_overview import A_PAGE, page_of_reports
from benchwright.web.station.tables import StationItem, StationReport
from kit.station_kit import Judge, Station, issue_run

Make = Callable[..., Station]


def _report(there: Station, judge: Judge, states: list[str]) -> None:
    """Create a report of each state, in this order, on the project's items in turn."""

    def add(session: Session) -> None:
        items = list(session.scalars(select(StationItem.id).order_by(StationItem.id)))
        rows = [
            {
                "project_id": there.project,
                "judge_id": judge.account,
                "item_id": items[n % len(items)],
                "reason": f"reason {n}.",
                "action": f"action-{n}",
                "at": n,
                "state": state,
            }
            for n, state in enumerate(states)
        ]
        session.execute(insert(StationReport), rows)

    there.database.write_now(add)


@pytest.mark.postgresql
@pytest.mark.parametrize(
    "states",
    [
        ["open"],
        ["open"] * 150,
        ["open"] * 50 + ["restored"] * 120,
        ["open", "undone", "withdrawn"] * 41,
        ["restored"] * A_PAGE + ["open"] * A_PAGE,
        ["undone"] * 3,
    ],
)
def test_every_open_report_can_be_reached(station: Make, states: list[str]) -> None:
    """The pages together have each report once, open ones first, and no withdrawn one."""
    there = station()
    _report(there, there.member("ann"), states)

    def all_pages(session: Session) -> list[str]:
        pages = page_of_reports(session, there.project, 1).pages
        shown = [page_of_reports(session, there.project, n + 1).reports for n in range(pages)]
        assert all(len(each) == A_PAGE for each in shown[:-1])
        return [report.state for each in shown for report in each]

    found = there.database.read_now(all_pages)
    kept = [state for state in states if state != "undone"]

    assert sorted(found) == sorted(kept)
    assert found[: states.count("open")] == ["open"] * states.count("open")


@pytest.mark.parametrize("number", ["0", "-1", "99", "9" * 30, "x", "", "\u0663"])
def test_any_page_number_is_answered(station: Make, number: str) -> None:
    """An invalid number shows the first or the last page."""
    there = station()
    _report(there, there.member("ann"), ["open"] * 25)
    boss = there.member("boss", "owner").browser
    response = boss.get(f"/projects/{there.project}/reports", params={"page": number})

    assert response.status_code == 200
    assert ("Page 2 of 2" if number == "99" else "Page 1 of 2") in response.text


@pytest.mark.postgresql
def test_a_report_shows_the_item(station: Make, tmp_path: Path) -> None:
    """Question, known answer and answer are shown as text; a long one is complete after a click."""
    run = issue_run(tmp_path / "long", 1, text="<b>Answer {n}</b> " + "word " * 4_000)
    there = station(run)
    ann, boss = there.member("ann"), there.member("boss", "owner").browser
    ann.open()
    question = ann.question
    ann.report("wrong language")
    page = boss.get(f"/projects/{there.project}/reports").text
    frame = re.search(r'src="([^"]*/reports/text/[^"]*)"', page)

    assert question == "1"
    assert "Why does step 1 fail" in page
    assert "wrong language" in page
    assert "<b>Answer" not in page
    assert "secret-model-name" not in page
    assert frame is not None
    whole = boss.get(frame[1])
    assert (whole.status_code, whole.text.count("word")) == (200, 4_000)
    assert boss.get(frame[1].rpartition("/")[0] + "/99").status_code == 404
    assert boss.get(frame[1].replace("/text/", "/text/9")).status_code == 404


@pytest.mark.postgresql
def test_a_viewer_looks_and_changes_nothing(station: Make) -> None:
    """A viewer gets no form."""
    there = station()
    _report(there, there.member("ann"), ["open"])
    page = there.member("guest", "viewer").browser.get(f"/projects/{there.project}/reports").text

    assert "reason 0." in page
    assert "Return to judges" not in page
