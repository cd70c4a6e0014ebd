"""Changes of remarked lines that are no answer: wide rewrites, remarks of the author, answered questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.building.alignment.links.rewrites import PLACE, WIDE
from benchwright.building.alignment.links.second_evidence import PASSAGE
from benchwright.building.alignment.records import EvidenceLink
from benchwright.sources.events import RepoEvent
from kit.made_changes import MadeChanges, numbered

LINES = numbered(60, l5="total = old_rate(a)", l20="share = old_rate(b)")


@pytest.fixture
def made(tmp_path: Path) -> MadeChanges:
    """An open pull request whose first head has LINES in a file."""
    changes = MadeChanges(tmp_path / "clone")
    root = changes.land({"a.py": numbered(60)})
    changes.first = changes.commit({"a.py": LINES}, root)
    changes.pull("pull_opened", root, changes.first, actor="ann")
    return changes


def answer(made: MadeChanges, remark: RepoEvent, lines: list[str], **parts: Any) -> EvidenceLink:
    """The strongest link of a remark after a commit with these lines."""
    sha = made.commit({"a.py": lines}, made.first, **parts)
    made.pull("push", made.first, sha)
    return made.links_of(remark)[0]


@pytest.mark.parametrize(
    ("wide", "reply", "gap"),
    [
        (PASSAGE, "", ""),
        (PASSAGE + 1, "", "part_of_passage"),
        (WIDE, "Done.", ""),
        (WIDE + 1, "Done.", "rewritten_with_others"),
    ],
)
def test_lines_of_a_rewritten_passage_are_no_answer(
    made: MadeChanges, wide: int, reply: str, gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 5)
    if reply:
        made.remark(made.first, "a.py", 5, text=reply, actor="ann", parents=[remark.subject])
    rewritten = [f"another text {at}" for at in range(wide + 1)]
    found = answer(made, remark, [*LINES[:4], *rewritten, *LINES[5 + wide :]])
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


@pytest.mark.parametrize(
    ("text", "gap"), [("This overflows.", "replaced_throughout"), ("old_rate is a bad name.", "")]
)
def test_words_replaced_throughout_answer_a_remark_that_names_them(
    made: MadeChanges, text: str, gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 5, text=text)
    found = answer(made, remark, [each.replace("old_rate", "new_rate") for each in LINES])
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


def test_words_replaced_at_the_lines_alone_are_an_answer(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, text="This overflows.")
    found = answer(made, remark, numbered(60, l5="total = new_rate(a)", l20="share = old_rate(b, 1)"))
    assert found.rung == 3


def test_a_remark_of_the_author_is_not_answered_by_line_tracking(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, actor="ann", text="The old_rate is slow.")
    found = answer(made, remark, numbered(60, l5="total = 1"))
    assert (found.state, found.detail) == ("unknown", "remark_of_author")


@pytest.mark.parametrize(
    ("reply", "who", "gap"),
    [
        ("Because the rate is fixed.", "ann", "answered_in_words"),
        ("Yes, it is fixed by law.", "ann", "answered_in_words"),
        ("Done, it reads the rate now.", "ann", ""),
        ("I mean line 5.", "rex", ""),
    ],
)
def test_a_question_answered_in_words_needs_the_claim_of_a_change(
    made: MadeChanges, reply: str, who: str, gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 5, text="Why is the old rate used here?")
    made.remark(made.first, "a.py", 5, text=reply, actor=who, parents=[remark.subject])
    found = answer(made, remark, numbered(60, l5="total = 1"))
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


def test_an_applied_suggestion_is_kept_by_both_rungs(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, actor="ann", replacement="total = 1\n")
    answer(made, remark, numbered(60, l5="total = 1"))
    assert [each.rung for each in made.links_of(remark)] == [1, 3]


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        (numbered(60, l5="    total = old_rate(a)", l20=LINES[19]), "unknown"),  # another indent
        (numbered(60, l5="total = older(a)", l20=LINES[19]), "unknown"),
        (numbered(60, l5="total = new_rate(a, 1)", l20=LINES[19]), "answered"),
    ],
)
def test_a_suggestion_is_answered_by_lines_with_its_words(
    made: MadeChanges, lines: list[str], state: str
) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="total = new_rate(a)\n")
    assert answer(made, remark, lines).state == state


@pytest.mark.parametrize(("last", "gap"), [(PLACE, ""), (PLACE + 1, "wide_place")])
def test_one_changed_line_does_not_answer_a_remark_on_many(made: MadeChanges, last: int, gap: str) -> None:
    remark = made.remark(made.first, "a.py", 1, last)
    made.remark(made.first, "a.py", last, text="Done.", actor="ann", parents=[remark.subject])
    found = answer(made, remark, [*LINES[:4], "total = 1", *LINES[5:]])
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


def test_a_suggestion_to_indent_is_answered_by_the_indent(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="  total = old_rate(a)\n")
    assert answer(made, remark, numbered(60, l5="  total = old_rate(a)", l20=LINES[19])).rung == 1


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("Seven people looked at it.", "no_shared_word"),
        ("Great!", "no_shared_word"),
        ("The quota of seven people.", ""),  # a word of the new line
        ("Please change this.", ""),  # a request needs no word
    ],
)
def test_a_remark_without_a_request_is_answered_by_a_change_with_its_words(
    made: MadeChanges, text: str, gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 5, text=text)
    found = answer(made, remark, numbered(60, l5="quota = old_rate(a)", l20=LINES[19]))
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


def test_a_claim_or_a_resolved_thread_stands_for_the_words(made: MadeChanges) -> None:
    claimed = made.remark(made.first, "a.py", 5, text="Seven people looked at it.")
    made.remark(made.first, "a.py", 5, text="Fixed.", actor="ann", parents=[claimed.subject])
    resolved = made.remark(made.first, "a.py", 5, text="Seven people looked at it.", resolved=True)
    assert answer(made, claimed, numbered(60, l5="quota = 1", l20=LINES[19])).rung == 3
    assert made.links_of(resolved)[0].rung == 3


@pytest.mark.parametrize("text", ["FYI: total is public.", "Not an issue, total was so before."])
def test_a_remark_that_asks_for_nothing_has_no_answer(made: MadeChanges, text: str) -> None:
    remark = made.remark(made.first, "a.py", 5, text=text)
    assert answer(made, remark, numbered(60, l5="total = 1", l20=LINES[19])).detail == "asks_nothing"


@pytest.mark.parametrize(
    ("new", "gap"), [("share = old_rate(a)", "quote_kept"), ("total = older_rate(a)", "")]
)
def test_a_quoted_word_that_stays_is_not_answered(made: MadeChanges, new: str, gap: str) -> None:
    remark = made.remark(made.first, "a.py", 5, text="`old_rate`")
    found = answer(made, remark, numbered(60, l5=new, l20=LINES[19]))
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


@pytest.mark.parametrize(("added", "gap"), [("import other", "only_added"), ("import dialog", "")])
def test_lines_added_among_the_remarked_ones_need_a_word_of_the_remark(
    made: MadeChanges, added: str, gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 4, 6, text="Please add the dialog of total.")
    found = answer(made, remark, [*LINES[:4], added, *LINES[4:]])
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


def test_a_suggestion_commit_that_takes_another_suggestion_is_no_answer(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="total = new_rate(a)\n")
    found = answer(
        made,
        remark,
        numbered(60, l5="quota = old_rate(a)", l20=LINES[19]),
        message="Apply suggestions from code review",
    )
    assert (found.state, found.detail) == ("unknown", "suggestion_not_taken")


@pytest.mark.parametrize(
    ("text", "lines", "gap"),
    [
        ("Please change this.", [*LINES[:4], "", *LINES[4:]], "only_layout"),
        ("Please change this.", [*LINES[:4], "total =", "old_rate(a)", *LINES[5:]], "only_layout"),
        ("Please change this.", [*LINES[:4], "old_rate(a)", "= total", *LINES[5:]], ""),  # another order
        ("Please add a blank line.", [*LINES[:4], "", *LINES[4:]], ""),
    ],
)
def test_blank_lines_and_line_breaks_answer_a_remark_about_them_alone(
    made: MadeChanges, text: str, lines: list[str], gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 4, 6, text=text)
    made.remark(made.first, "a.py", 6, text="Done.", actor="ann", parents=[remark.subject])
    found = answer(made, remark, lines)
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


@pytest.mark.parametrize(("last", "gap"), [(11, ""), (12, "part_of_place")])
def test_one_of_many_remarked_lines_needs_a_claim(made: MadeChanges, last: int, gap: str) -> None:
    remark = made.remark(made.first, "a.py", 5, last, text="Please change the rate.")
    found = answer(made, remark, numbered(60, l5="total = rate(a)", l20=LINES[19]))
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


@pytest.mark.parametrize(
    ("text", "new", "gap"),
    [
        (
            "```diff\n-total = old_rate(a)\n+total = fast(a)\n```",
            "total = old_rate(a, 1)",
            "suggestion_not_taken",
        ),
        ("```diff\n-total = old_rate(a)\n+total = fast(a)\n```", "total = fast(a, 1)", ""),
        ("This should be rate_2.", "total = rate_3(a)", "suggestion_not_taken"),
        ("This should be rate_2.", "total = rate_2(a)", ""),
        ("Info: the old_rate is slow.", "total = 1", "asks_nothing"),
        ("Change it.\n\nAddressed in commit 1234567", "total = 1", "addressed_elsewhere"),
        ("Please use one name for daily yearly monthly weekly values.", "total = 1", "no_shared_word"),
        ("Please use quota for daily yearly monthly weekly values.", "total = quota", ""),
    ],
)
def test_the_text_of_a_remark_decides_what_can_answer_it(
    made: MadeChanges, text: str, new: str, gap: str
) -> None:
    remark = made.remark(made.first, "a.py", 5, text=text)
    found = answer(made, remark, numbered(60, l5=new, l20=LINES[19]))
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


@pytest.mark.parametrize(("reply", "gap"), [("Yep, agreed.", "no_shared_word"), ("Fixed.", "")])
def test_agreement_claims_no_change(made: MadeChanges, reply: str, gap: str) -> None:
    remark = made.remark(made.first, "a.py", 5, text="Seven people looked at it.")
    made.remark(made.first, "a.py", 5, text=reply, actor="ann", parents=[remark.subject])
    found = answer(made, remark, numbered(60, l5="quota = 1", l20=LINES[19]))
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))
