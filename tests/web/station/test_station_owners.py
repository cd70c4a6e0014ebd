"""Pages of owners and adjudicators: members, reports, rubric, disputed items, votes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from benchwright.judges.people.records import Vote
from benchwright.judges.people.results import results_of
from benchwright.web.core.accounts import audit_rows
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.tables import Base, Project
from benchwright.web.station.adjudication import agreement
from kit.command_line import called
from kit.station_kit import Judge, Station, comment_run, issue_run

Make = Callable[..., Station]


def decide_all(judge: Judge, said: Callable[[str], str]) -> None:
    """Judge everything, by the number of the question."""
    judge.open()
    while judge.fields:
        judge.send(decision=said(judge.question))


def test_an_owner_sees_how_it_stands(station: Make, tmp_path: Path) -> None:
    """The page has completed items, votes, and each member's decisions and accuracy on gold items."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"task_id": 3, "answer": "No.", "expected": {"decision": "wrong"}}', encoding="utf-8")
    there = station(gold=gold, judgements=1)
    decide_all(there.member("ann"), lambda _: "correct")
    boss = there.member("boss", "owner").browser
    page = boss.get(f"/projects/{there.project}").text

    assert "8 of 8 items have the required 1 judgement" in page
    assert "8, and 1 gold items" in page
    row = re.search(r"<tr><th scope=\"row\">ann</th>.*?</tr>", page, re.DOTALL)
    assert row is not None
    (pseudonym,) = {vote.judge for vote in there.votes()}
    assert re.findall(r">([^<>]+)</td>", row[0]) == ["judge", "9", "–", "0 of 1", "–", pseudonym]
    assert pseudonym not in there.member("viv", "viewer").browser.get(f"/projects/{there.project}").text


@pytest.mark.postgresql
def test_a_link_gives_a_role_once(station: Make) -> None:
    """It is shown once when it is created, is listed without its secret, and can be withdrawn."""
    there = station()
    boss = there.member("boss", "owner").browser
    home = f"/projects/{there.project}"
    boss.get(home)
    made = boss.send(f"{home}/invitations", role="judge", note="for Ann").text
    link = re.search(r"/invitations/([\w-]+)</code>", made)
    later = boss.get(home).text
    withdrawing = re.search(r'action="([^"]*/withdraw)"', later)

    assert link is not None
    assert withdrawing is not None
    assert link[1] not in later
    assert "for Ann" in later
    assert boss.get(f"/invitations/{link[1]}").status_code == 200
    boss.get(home)
    assert boss.send(withdrawing[1]).status_code == 303
    assert boss.get(f"/invitations/{link[1]}").status_code == 410


@pytest.mark.postgresql
def test_a_curator_makes_no_owner(station: Make) -> None:
    """Only an owner grants that role; an unknown role is refused."""
    there = station()
    browser = there.member("cur", "curator").browser
    home = f"/projects/{there.project}"
    for role in ("owner", "admin", ""):
        browser.get(home)
        assert browser.send(f"{home}/invitations", role=role, note="").status_code == 422


def test_a_closed_project_judges_nothing(station: Make) -> None:
    """Its judges get an error; after reopening, they continue with the same item."""
    there = station()
    boss, ann = there.member("boss", "owner").browser, there.member("ann")
    ann.open()
    question = ann.question
    home = f"/projects/{there.project}"
    boss.get(home)
    boss.send(f"{home}/state", to="close")
    closed = ann.browser.get(ann.path)
    boss.get(home)
    boss.send(f"{home}/state", to="open")
    ann.open()

    assert (closed.status_code, ann.question) == (409, question)
    boss.get(home)
    assert boss.send(f"{home}/state", to="burn").status_code == 422


@pytest.mark.postgresql
def test_votes_name_the_rubric_they_were_given_under(station: Make) -> None:
    """A changed text is a new version, which judges see at once; restoring a text restores its number."""
    there = station()
    boss, ann = there.member("boss", "owner").browser, there.member("ann")
    home = f"/projects/{there.project}"
    ann.open()
    ann.send(decision="correct")
    old = re.search(r'maxlength="20000">(.*?)</textarea>', boss.get(home).text, re.DOTALL)
    assert old is not None
    boss.send(f"{home}/rubric", text="Only what is <b>proven</b> is correct.")
    second = boss.get(home).text
    ann.open()
    shown = ann.browser.page
    ann.send(decision="correct")
    boss.get(home)
    boss.send(f"{home}/rubric", text=old[1])
    third = boss.get(home).text

    assert "Rubric, version 2" in second
    assert "Only what is &lt;b&gt;proven&lt;/b&gt; is correct." in shown
    assert "Rubric, version 1" in third
    assert len({vote.rubric for vote in there.votes()}) == 2
    assert boss.send(f"{home}/rubric", text=" ").status_code in (400, 422)


@pytest.mark.postgresql
def test_a_reported_item_is_given_back_or_kept_away(station: Make) -> None:
    """The owner sees the reason as text, and decides."""
    there = station()
    boss, ann = there.member("boss", "owner").browser, there.member("ann")
    ann.open()
    ann.report("<script>bad()</script>")
    home = f"/projects/{there.project}"
    before = boss.get(home).text
    page = boss.get(f"{home}/reports").text
    report = re.search(rf'action="({home}/reports/\d+)"', page)

    assert report is not None
    assert "&lt;script&gt;bad()" in page
    assert "1 withdrawn" in before
    assert "1 open of 1" in before
    boss.send(report[1], to="restore")
    assert "away" not in boss.get(home).text
    boss.get(f"{home}/reports?page=1")
    assert boss.send(report[1], to="restore").status_code == 404
    assert boss.send(f"{home}/reports/{1 << 70}", to="restore").status_code == 404


@pytest.mark.postgresql
def test_disputed_items_are_decided_without_names(station: Make) -> None:
    """Two judges differ on one item and one cannot tell on another; a decision is added, and votes stay."""
    there = station(judgements=2)
    decide_all(there.member("ann-a"), lambda q: {"2": "wrong", "5": "cannot_tell"}.get(q, "correct"))
    decide_all(there.member("bob-b"), lambda _: "correct")
    middle = there.member("middle", "adjudicator")
    path = f"/adjudicating/{there.project}"
    seen = []
    page = middle.browser.get(path).text
    while "No items need adjudication" not in page:
        seen.append(middle.question)
        assert "ann-a" not in page
        assert "bob-b" not in page
        assert all(vote.judge not in page for vote in there.votes())
        empty = middle.browser.send(path, page=middle.token)
        assert "Missing decisions" in empty.text
        fields = {"page": middle.token, "say-decision": "partly", "comment": "half of it"}
        assert middle.browser.send(path, **fields).status_code == 303
        page = middle.browser.get(path).text
    votes = there.votes()
    results = {result.task_id: (result.result, result.value) for result in results_of(votes)}

    assert sorted(seen) == ["2", "5"]
    assert {key: results[key] for key in (2, 5)} == {
        2: ("adjudicated", "partly"),
        5: ("adjudicated", "partly"),
    }
    assert results[1] == ("unanimous", "correct")
    assert [vote.round for vote in votes].count("first") == 16


def test_items_to_be_adjudicated_are_counted_alike(station: Make, tmp_path: Path) -> None:
    """Three fields of one item count as one item, on the owner's page and on the adjudicator's."""
    there = station(comment_run(tmp_path / "rated", 3), judgements=2)
    for name, other in (("ann", "1"), ("bob", "5")):
        judge = there.member(name)
        judge.open()
        while judge.fields:
            grade = other if "area_2" in judge.browser.page else "3"
            judge.send(**dict.fromkeys(judge.fields, grade))
    boss = there.member("boss", "owner").browser
    page, case = (boss.get(f"/{name}/{there.project}").text for name in ("projects", "adjudicating"))

    assert "<dt>Awaiting adjudication</dt><dd>1 item:" in page
    assert "1 item left" in case
    assert case.count("data-field=") == 3


def test_a_second_decision_supersedes_the_first(station: Make) -> None:
    """A form that was sent before decides again under its own token, and is never counted twice."""
    there = station(judgements=2)
    decide_all(there.member("ann"), lambda _: "wrong")
    decide_all(there.member("bob"), lambda _: "correct")
    one, two = there.member("one", "adjudicator"), there.member("two", "adjudicator")
    path = f"/adjudicating/{there.project}"
    one.browser.get(path)
    two.browser.get(path)
    disputed, token = one.question, one.token
    while two.question != disputed:
        two.browser.send(path, page=two.token, **{"say-decision": "wrong", "comment": ""})
        two.browser.get(path)
    two.browser.send(path, page=two.token, **{"say-decision": "wrong", "comment": ""})
    for value in ("correct", "wrong"):  # the second one repeats the first
        one.browser.send(path, page=token, **{"say-decision": value, "comment": ""})
        one.browser.get("/account")
    votes = there.votes()
    decided = [vote for vote in votes if vote.round == "adjudication" and str(vote.task_id) == disputed]

    assert [vote.value for vote in decided] == ["correct"]


def test_votes_are_a_file_of_records(station: Make) -> None:
    """Equal votes give equal bytes, and each line is a valid vote."""
    there = station()
    decide_all(there.member("ann"), lambda _: "correct")
    boss = there.member("boss", "owner").browser
    path = f"/projects/{there.project}/votes.jsonl"
    text = boss.get(path).text
    votes = [msgspec.json.decode(line, type=Vote) for line in text.splitlines()]

    assert votes == there.votes()
    assert text == boss.get(path).text


def test_a_judge_sees_no_owners_page(station: Make) -> None:
    """Judges may not open owners' pages, and another's project does not exist for them."""
    there = station()
    ann = there.member("ann")
    for path in ("", "/agreement", "/votes.jsonl"):
        assert ann.browser.get(f"/projects/{there.project}{path}").status_code == 403
        assert ann.browser.get(f"/projects/another{path}").status_code == 404
    assert ann.browser.get(f"/adjudicating/{there.project}").status_code == 403
    stranger = there.served.logged_in(there.served.account("stranger"))
    assert stranger.get(f"/judging/{there.project}").status_code == 404


@pytest.mark.postgresql
@pytest.mark.parametrize("is_code", [True, False], ids=["code", "question"])
def test_annotations_come_out_as_records(station: Make, tmp_path: Path, is_code: bool) -> None:
    """`convert` turns the annotations of two judges into rows, and undo restores the typed text."""
    run = comment_run(tmp_path / "run", 2) if is_code else issue_run(tmp_path / "run", 2)
    typed = "4: in square units\n2: a width is a length" if is_code else "Call it.\n---\nOr wait."
    there = station(run, kind="annotate", judgements=2)
    for name in ("ann", "bob"):
        judge = there.member(name)
        judge.open()
        judge.send(annotation="99: no such line" if is_code else " --- ")
        assert "Missing or invalid: annotation" in judge.browser.page
        judge.send(annotation=typed.replace("\n", "\r\n"))
        judge.send("undo")
        for part in typed.splitlines():
            assert part in judge.browser.page
        while judge.fields:
            judge.send(annotation=typed)
    boss = there.member("boss", "owner").browser
    records = tmp_path / "annotations.jsonl"
    records.write_bytes(boss.get(f"/projects/{there.project}/annotations.jsonl").content)
    track, out = "smartcoding-comments" if is_code else "smartcoding-issues", tmp_path / "rows.jsonl"
    made = called("convert", "--data", records, "--to", track, "--out", out)
    rows = [msgspec.json.decode(line) for line in out.read_bytes().splitlines()]

    assert made.code == 0, made.err
    if is_code:
        assert len(rows) == 4
        assert [each["line"] for each in rows[0]["outputs"]["annotations"]] == [2, 4]
    else:
        assert len(rows) == 2
        bodies = [each["body"] for each in rows[0]["outputs"]["references"]]
        assert sorted(bodies) == ["Call it.", "Call it.", "Or wait.", "Or wait."]


@pytest.mark.parametrize(
    ("field", "values", "expected"),
    [
        ("decision", ["correct", "correct"], 1.0),
        ("decision", ["correct", "wrong", "wrong"], 1 / 3),
        ("logic", [1, 5], 0.0),
        ("logic", [3, 4], 0.75),
        ("logic", [4], 1.0),
    ],
)
def test_agreement_of_an_item(field: str, values: list[int | str], expected: float) -> None:
    """Labels are equal or not; grades agree by their distance."""
    assert agreement(values, field) == pytest.approx(expected)


def test_an_owner_lists_items_changes_judgements_and_deletes_the_project(
    station: Make, tmp_path: Path
) -> None:
    """The page lists votes per item and decisions per day; a deletion needs the project's name, is logged,
    and leaves nothing."""
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"task_id": 3, "answer": "No.", "expected": {"decision": "wrong"}}', encoding="utf-8")
    there = station(gold=gold, judgements=1)
    decide_all(there.member("ann"), lambda _: "correct")
    there.served.clock.now += DAY_MS
    boss, home = there.member("boss", "owner").browser, f"/projects/{there.project}"
    boss.get(home)
    assert boss.send(f"{home}/judgements", judgements="2").headers["location"] == home
    boss.get(home)
    assert boss.send(f"{home}/judgements", judgements="0").status_code == 422
    assert "0 of 8 items have the required 2 judgements" in boss.get(home).text
    ben = there.member("ben")
    ben.open()
    ben.send(decision="wrong")
    page = boss.get(f"{home}/items").text
    assert (page.count("1 of 2</td>") + page.count("2 of 2</td>"), page.count("<td>gold</td>")) == (8, 1)
    rows = re.findall(
        r'<th scope="row">(2023-[\d-]+)</th><td class="number">(\d+)</td><td class="number">(\d+)', page
    )
    assert rows == [("2023-11-15", "1", "1"), ("2023-11-14", "9", "1")]
    viewer = there.member("viv", "viewer").browser
    assert viewer.get(f"{home}/items").text.count("1 of 2</td>") >= 7
    assert "Delete this project" not in viewer.get(home).text

    boss.get(home)
    assert boss.send(f"{home}/delete", name="another").status_code == 422
    (name,) = there.database.read_now(lambda session: session.scalars(select(Project.name)).all())
    boss.get(home)
    assert boss.send(f"{home}/delete", name=name).headers["location"] == "/judging"
    assert boss.get(home).status_code == 404
    with there.database.engine.connect() as connection:
        left = {table.name for table in Base.metadata.sorted_tables if table.name.startswith("station_")
                and connection.execute(select(table).limit(1)).first()}  # fmt: skip
    assert left == set()
    logged = there.database.read_now(audit_rows)
    assert ("project.deleted", name) in [(row.entry.action, row.entry.detail) for row in logged]
