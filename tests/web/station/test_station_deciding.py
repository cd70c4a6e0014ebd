"""Results of a judge's steps: each is stored exactly once, and no typed text is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from benchwright.web.station.tables import StationAction, StationReport, StationVote
from kit.station_kit import Judge, Station, comment_run, issue_run

Make = Callable[..., Station]


def rows_of_votes(there: Station) -> list[tuple[str, bool, bool]]:
    """Return all rows of votes: value, whether superseded, whether it withdraws another."""
    query = select(StationVote.value, StationVote.superseded, StationVote.withdrawn).order_by(StationVote.id)
    return there.database.read_now(lambda session: [tuple(row) for row in session.execute(query)])


@pytest.mark.postgresql
def test_all_fields_of_an_item_are_kept(station: Make, tmp_path: Path) -> None:
    """A rating has three fields and one comment, and records item, rubric and time."""
    there = station(comment_run(tmp_path / "run"))
    ann = there.member("ann")
    ann.open()
    there.served.clock.now += 7_000
    ann.send(logic="3", accuracy="5", format="4", comment="half of it repeats lines")
    votes = {vote.field: vote for vote in there.votes()}
    item = next(item for item in there.items() if item.item == votes["logic"].item)

    assert {name: vote.value for name, vote in votes.items()} == {"logic": 3, "accuracy": 5, "format": 4}
    assert [vote.comment for vote in votes.values() if vote.comment] == ["half of it repeats lines"]
    assert all(vote.answers == [item.answers[0].key] for vote in votes.values())
    assert all(vote.rubric and vote.interface.startswith("station ") for vote in votes.values())
    assert (votes["logic"].submitted_at, votes["logic"].started_at) == (
        "2023-11-14T22:13:27.000+00:00",
        "2023-11-14T22:13:20.000+00:00",
    )


@pytest.mark.parametrize(
    "values", [{}, {"logic": "3"}, {"logic": "3", "accuracy": "6", "format": "1"}, {"logic": "", "x": "1"}]
)
def test_a_form_that_is_not_complete_keeps_nothing(
    station: Make, tmp_path: Path, values: dict[str, str]
) -> None:
    """It is shown again with the entered values, and reports the missing ones."""
    there = station(comment_run(tmp_path / "run"))
    ann = there.member("ann")
    first = ann.open()
    ann.send(comment="wait", **values)

    assert there.votes() == []
    assert "Missing or invalid" in ann.browser.page
    assert ">wait</textarea>" in ann.browser.page
    assert ('value="3" data-key="3" checked' in ann.browser.page) == (values.get("logic") == "3")
    assert "area_" in first


def test_a_form_that_is_sent_twice_counts_once(station: Make) -> None:
    """A double click, or a repeated request after a lost reply, gets the same response."""
    there = station()
    ann = there.member("ann")
    ann.open()
    token = ann.token
    answers = [ann.send(token=token, decision="wrong") for _ in range(3)]
    after = ann.question

    assert [answer.status_code for answer in answers] == [303, 303, 303]
    assert [vote.value for vote in there.votes()] == ["wrong"]
    assert after == ann.question


def test_two_tabs(station: Make) -> None:
    """The page opened first gets an error; its values are shown again and can be submitted then."""
    there = station()
    ann = there.member("ann")
    ann.open()
    old, question = ann.token, ann.question
    ann.open()
    ann.send(token=old, decision="partly", comment="typed in the first tab")
    told = ann.browser.page

    assert there.votes() == []
    assert "opened again later" in told
    assert 'value="partly" data-key="2" checked' in told
    assert "typed in the first tab" in told
    assert ann.question == question
    ann.send(decision="partly")
    assert [vote.value for vote in there.votes()] == ["partly"]


def test_a_page_whose_item_was_decided_elsewhere(station: Make) -> None:
    """The page reports it, shows the typed text, and continues with the current item."""
    there = station()
    ann = there.member("ann")
    ann.open()
    old = ann.token
    ann.open()
    ann.send(decision="wrong")
    ann.send(token=old, decision="correct", comment="too late")

    assert "decided this item on another page" in ann.browser.page
    assert "too late" in ann.browser.page
    assert [vote.value for vote in there.votes()] == ["wrong"]


def test_a_lease_that_ended_while_nobody_came(station: Make) -> None:
    """The vote is stored: the place is still free."""
    there = station(judgements=1, lease_s=60)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    bob.open()  # he has his own item, so he does not get hers
    there.served.clock.now += 3_600_000
    bob.open()
    ann.send(decision="correct")

    assert [vote.value for vote in there.votes()] == ["correct"]


def test_a_lease_that_ended_and_whose_place_was_taken(station: Make, tmp_path: Path) -> None:
    """The judge gets an error, nothing is counted twice, and the typed text is shown."""
    there = station(issue_run(tmp_path / "one", 1), judgements=1, lease_s=60)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    there.served.clock.now += 61_000
    bob.open()
    bob.send(decision="wrong")
    ann.send(decision="correct", comment="my long reasoning")

    assert [vote.value for vote in there.votes()] == ["wrong"]
    assert "given to other judges" in ann.browser.page
    assert "my long reasoning" in ann.browser.page


@pytest.mark.postgresql
def test_undo_shows_what_was_said_and_adds_rows(station: Make) -> None:
    """The item is shown with the entered values; the new vote supersedes, and no row is deleted or changed."""
    there = station()
    ann = there.member("ann")
    ann.open()
    question = ann.question
    ann.send(decision="correct", comment="sure")
    ann.send("undo")

    assert ann.question == question
    assert 'value="correct" data-key="1" checked' in ann.browser.page
    assert ">sure</textarea>" in ann.browser.page
    assert there.votes() == []
    ann.send(decision="wrong")
    assert [vote.value for vote in there.votes()] == ["wrong"]
    assert rows_of_votes(there) == [
        ('"correct"', True, False),
        ('"correct"', True, True),
        ('"wrong"', False, False),
    ]


def test_undo_goes_back_step_by_step(station: Make) -> None:
    """Three steps back show the last three items in reverse order; a fourth finds nothing."""
    there = station()
    ann = there.member("ann")
    ann.open()
    seen = []
    for step in ("submit", "skip", "submit"):
        seen.append(ann.question)
        ann.send(step, decision="correct")
    back = []
    for _ in range(3):
        ann.send("undo")
        back.append(ann.question)
    ann.send("undo")

    assert back == seen[::-1]
    assert "Nothing to undo" in ann.browser.page
    assert there.votes() == []


def test_a_skipped_item_goes_to_others(station: Make) -> None:
    """The judge does not get it again, and its place is free."""
    there = station(judgements=1)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    skipped = ann.question
    while ann.fields:
        assert ann.send("skip").status_code == 303
    bob.open()
    seen = set()
    while bob.fields:
        seen.add(bob.question)
        bob.send(decision="correct")

    assert skipped in seen
    assert len(seen) == 8


@pytest.mark.postgresql
def test_a_report_takes_the_item_away_from_all(station: Make) -> None:
    """It is shown to nobody, until it is returned or its judge withdraws the report."""
    there = station(judgements=2)
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    bad = ann.question
    ann.report("the question is <b>cut</b>")
    bob.open()
    seen = set()
    while bob.fields:
        seen.add(bob.question)
        bob.send(decision="correct")
    query = select(StationReport.reason, StationReport.state)
    reports = there.database.read_now(lambda session: [tuple(row) for row in session.execute(query)])

    assert bad not in seen
    assert reports == [("the question is <b>cut</b>", "open")]
    ann.send("undo")
    assert ann.question == bad
    bob.open()
    assert bob.question == bad


@pytest.mark.postgresql
def test_a_report_needs_a_reason(station: Make) -> None:
    """An empty reason is refused, and the item stays."""
    there = station()
    ann = there.member("ann")
    ann.open()
    ann.report("  ")

    assert "reason" in ann.browser.page
    assert there.database.read_now(lambda s: s.scalar(select(func.count()).select_from(StationReport))) == 0


def draft(judge: Judge, token: str, csrf: str, **fields: str) -> Any:
    """Send the typed text as a draft, as a page does when it is left."""
    given = {"csrf": csrf, "page": token, **fields}
    return judge.browser.request("POST", f"{judge.path}/draft", data=given)


@pytest.mark.postgresql
def test_a_draft_is_there_after_a_reload(station: Make) -> None:
    """A draft is shown on the next page of the same item, and nowhere else."""
    there = station()
    ann = there.member("ann")
    ann.open()
    stale, csrf = ann.token, ann.browser.token()
    answer = draft(ann, stale, csrf, comment="half a tho", **{"say-decision": "partly"})
    ann.open()

    assert answer.status_code == 204
    assert "half a tho" in ann.browser.page
    assert 'value="partly" data-key="2" checked' in ann.browser.page
    draft(ann, stale, csrf, comment="of an old page")
    ann.open()
    assert "of an old page" not in ann.browser.page
    ann.send(decision="partly")
    assert "half a tho" not in ann.browser.page


@pytest.mark.postgresql
def test_tokens_of_others_open_nothing(station: Make) -> None:
    """Another judge's token, an invented one, and one of another project have no effect."""
    there = station()
    ann, bob = there.member("ann"), there.member("bob")
    ann.open()
    bob.open()
    for token in (ann.token, "A" * 43, "", "é" * 43, ann.token[:-1]):
        bob.open()
        bob.send(token=token or "x", decision="correct")
        assert "page has expired" in bob.browser.page
        answer = bob.browser.get(f"{bob.path}/text/{token or 'x'}/0")
        assert answer.status_code == 404

    assert there.votes() == []
    assert ann.browser.get(f"{ann.path}/text/{ann.token}/0").status_code == 200


@pytest.mark.postgresql
def test_the_database_holds_one_vote_in_force(station: Make) -> None:
    """The database refuses a second vote in force of one judge, item, round and field."""
    there = station()
    ann = there.member("ann")
    ann.open()
    ann.send(decision="correct")

    def double(session: object) -> None:
        row = dict(session.execute(select(StationVote.__table__)).mappings().one())  # type: ignore[attr-defined]
        row.update(id=None, submission="another")
        del row["id"]
        session.execute(insert(StationVote), row)  # type: ignore[attr-defined]

    with pytest.raises(IntegrityError):
        there.database.write_now(double)
    actions = there.database.read_now(lambda s: s.scalar(select(func.count()).select_from(StationAction)))
    assert (len(there.votes()), actions) == (1, 1)


def test_without_scripts_and_with_htmx_it_is_the_same(station: Make) -> None:
    """A form gets a redirect; htmx gets only the part of the page with the next item."""
    there = station()
    ann = there.member("ann")
    ann.open()
    fields = {"page": ann.token, "step": "submit", "say-decision": "correct", "comment": ""}
    part = ann.browser.request(
        "POST", ann.path, data={"csrf": ann.browser.token(), **fields}, headers={"hx-request": "true"}
    )

    assert part.status_code == 200
    assert part.text.lstrip().startswith('<section id="station"')
    assert "<html" not in part.text
    assert "1</strong> decided" in part.text
    assert len(there.votes()) == 1
