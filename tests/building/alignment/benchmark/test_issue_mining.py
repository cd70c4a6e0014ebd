"""Rows of issues: the question, the answers with their roles, and the fix."""

from __future__ import annotations

import msgspec
import pytest

from benchwright.building.alignment.benchmark.issue_rows import issue_rows
from benchwright.building.alignment.benchmark.material import MinedRow
from benchwright.building.alignment.records import EvidenceLink
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from kit.made_mining import REPO, MadeRecords, event, issue


def _rows(events: list[RepoEvent], *links: EvidenceLink) -> list[MinedRow | Drop]:
    return list(issue_rows(MadeRecords(events=events, links=links), repos={REPO}))


def _reason(found: MinedRow | Drop) -> str:
    return found.reason if isinstance(found, Drop) else ""


def test_an_issue_with_answers_makes_a_row() -> None:
    """Courtesies and the asker's own comments are no answers; the fix makes an answer the strongest."""
    (mined,) = _rows(issue())

    assert isinstance(mined, MinedRow)
    row = mined.row
    assert (row["inputs"]["question"], row["inputs"]["body"]) == (
        "weigh() fails for feathers",
        "It returns twice the mass.",
    )
    assert [(each["strength"], each["role"], each["author"]) for each in row["outputs"]["references"]] == [
        ("linked_fix", "contributor", "dev"),
        ("accepted", "owner", "boss"),
    ]
    assert (row["meta"]["fixes"], row["meta"]["license"]) == (["pull:12"], "MIT")


def test_links_name_the_fix_too() -> None:
    """By the issue's subject, or by its event; weak links do not."""
    open_only = [each for each in issue() if each.kind != "issue_closed"]
    given = {"repo": REPO, "state": "answered", "rung": 6, "target": "pull:12"}
    for source, weak, strength in (
        ("issue:7", False, "linked_fix"),
        (open_only[0].id, False, "linked_fix"),
        ("issue:7", True, "any"),
    ):
        (mined,) = _rows(open_only, EvidenceLink(id="l", source=source, weak=weak, **given))
        assert isinstance(mined, MinedRow)
        assert mined.row["outputs"]["references"][0]["strength"] == strength


def test_a_commit_is_named_by_the_start_of_its_id() -> None:
    """Seven digits are enough."""
    events = issue()
    events[-1] = msgspec.structs.replace(events[-1], cites=["commit:" + "abc1234" + "0" * 33])
    events[3] = msgspec.structs.replace(events[3], text="Fixed in abc1234, in the next release.")
    (mined,) = _rows(events)

    assert isinstance(mined, MinedRow) and mined.row["outputs"]["references"][0]["strength"] == "linked_fix"


def test_edits_count_and_deleted_comments_do_not() -> None:
    """The newest revision of a comment; nothing of a deleted one."""
    events = issue()
    edited = msgspec.structs.replace(
        events[4], id="edit", text="Use `half=True` from now on.", subject_rank=1
    )
    gone = event("deleted", 14, subject=events[3].subject)
    (mined,) = _rows([*events, edited, gone])

    assert isinstance(mined, MinedRow)
    assert [each["body"] for each in mined.row["outputs"]["references"]] == ["Use `half=True` from now on."]


@pytest.mark.parametrize(
    ("keep", "reason"),
    [((0,), "no_comment"), ((0, 1, 2), "no_answer"), ((3,), "no_question")],
)
def test_an_issue_without_question_or_answer_has_a_reason(keep: tuple[int, ...], reason: str) -> None:
    """Nothing is lost."""
    assert [_reason(each) for each in _rows([issue()[at] for at in keep])] == [reason]


def test_comments_on_pull_requests_and_other_repositories_are_no_issues() -> None:
    """Nor do they count as left out."""
    comment = event("comment", 3, parents=["pull:3"], text="Please add a test for this.")
    other = [msgspec.structs.replace(each, repo="other/one") for each in issue()]

    assert _rows([comment, *other]) == []


def test_short_questions_and_bots_are_left_out() -> None:
    """A title alone may be enough."""
    short, bot = issue(), issue()
    short[0] = msgspec.structs.replace(short[0], text="Help")
    bot[0] = msgspec.structs.replace(bot[0], bot=True)

    assert [_reason(each) for rows in (short, bot) for each in _rows(rows)] == ["short_question", "bot"]
