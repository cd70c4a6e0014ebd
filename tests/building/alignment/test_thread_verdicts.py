"""What later remarks of a thread say against a link by line tracking."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from benchwright.building.alignment.links.thread_verdicts import with_thread_verdicts
from benchwright.building.alignment.records import EvidenceLink, Feedback
from kit.made_alignment import FIX, REPO, link, remark

FIRST = f"github:{REPO}:remark:1"


def _thread(reply: str, by: str) -> list[Feedback]:
    first = replace(remark(1, "Name it."), thread=FIRST, actor="reviewer")
    return [first, replace(remark(2, reply), thread=FIRST, actor=by)]


def _links() -> list[EvidenceLink]:
    return [link(1, rung=1), link(1, rung=3)]


@pytest.mark.parametrize(
    ("reply", "by"),
    [
        ("Never mind, I misread it.", "reviewer"),
        ("Ah, I see!", "reviewer"),
        ("Yes, I have checked. Disregard.", "reviewer"),
        ("NACK. The spec was correct.", "author"),
        ("I disagree: it is by design.", "author"),
    ],
)
def test_a_remark_taken_back_or_declined_has_no_link_by_line_tracking(reply: str, by: str) -> None:
    found = with_thread_verdicts(_links(), _thread(reply, by))

    assert [(each.state, each.rung) for each in found] == [("answered", 1), ("unknown", None)]
    assert found[1].detail == "declined"


@pytest.mark.parametrize(
    ("reply", "by"),
    [
        ("My mistake, I fix it.", "author"),
        ("Ah, I see. Done.", "author"),
        ("Thanks, done.", "author"),
        ("Done in the last commit, looks good.", "reviewer"),
    ],
)
def test_other_replies_change_nothing(reply: str, by: str) -> None:
    assert with_thread_verdicts(_links(), _thread(reply, by)) == _links()


def test_a_cited_commit_replaces_the_first_one_that_touched_the_lines() -> None:
    other = "commit:" + "d" * 40
    cited = link(9, rung=4, source=FIRST, target=other)

    assert with_thread_verdicts([link(1), cited], []) == [cited]
    same = replace(cited, target=f"commit:{FIX}")
    assert with_thread_verdicts([link(1), same], []) == [link(1), same]
