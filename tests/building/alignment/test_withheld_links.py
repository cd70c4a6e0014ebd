"""Changes of remarked lines that are no answer: wide rewrites, remarks of the author, answered questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.building.alignment.links.rewrites import PLACE, WIDE
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


@pytest.mark.parametrize(("wide", "gap"), [(WIDE, ""), (WIDE + 1, "rewritten_with_others")])
def test_lines_of_a_rewritten_passage_are_no_answer(made: MadeChanges, wide: int, gap: str) -> None:
    remark = made.remark(made.first, "a.py", 5)
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
    remark = made.remark(made.first, "a.py", 5, actor="ann", text="This is the slow part.")
    found = answer(made, remark, numbered(60, l5="total = 1"))
    assert (found.state, found.detail) == ("unknown", "remark_of_author")


@pytest.mark.parametrize(
    ("reply", "who", "gap"),
    [
        ("Because the rate is fixed.", "ann", "answered_in_words"),
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
    found = answer(made, remark, [*LINES[:4], "total = 1", *LINES[5:]])
    assert (found.state, found.detail) == (("unknown", gap) if gap else ("answered", ""))


def test_a_suggestion_to_indent_is_answered_by_the_indent(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="  total = old_rate(a)\n")
    assert answer(made, remark, numbered(60, l5="  total = old_rate(a)", l20=LINES[19])).rung == 1
