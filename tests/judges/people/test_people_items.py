"""Items out of exhibits: what people are shown is what a model judge is shown, less where it is from."""

from __future__ import annotations

import msgspec

from benchwright.contracts import JudgeInput
from benchwright.judges.people.judged_items import fields_of, item_of, keyed, kind_of
from benchwright.judges.people.records import ItemAnswer

ISSUE = JudgeInput(
    "issues",
    "en",
    {"Question": "why?", "Asked at": "2024", "Reference answer 1 (accepted)": "because"},
    "so",
    1,
    known=("Reference answer 1 (accepted)",),
)
COMMENT = JudgeInput(
    "comments",
    "ru",
    {"Task": "Comment.", "Code (Go)": "x := 1", "Reference comment": "one"},
    "x := 1 // one",
    known=("Reference comment",),
    code="Code (Go)",
    lang="Go",
)
ANSWER = ItemAnswer(run="r", key="k", sample=0, text="so")


def test_an_issue_is_decided() -> None:
    """Question and references apart; how strong a reference is believed to be is left out."""
    item = item_of(ISSUE, [ANSWER], kind=kind_of(ISSUE), task_id=1, track="smartcoding-issues")

    assert (item.kind, item.fields) == ("decide", ["decision"])
    assert (item.question, item.references, item.code) == ("why?\n\nAsked at: 2024", ["because"], "")
    assert "accepted" not in msgspec.json.encode(item).decode()


def test_comments_are_rated_with_their_format() -> None:
    """A model judge grades two criteria, people all three."""
    item = item_of(COMMENT, [ANSWER], kind=kind_of(COMMENT), task_id=1, track="smartcoding-comments")

    assert (item.kind, item.fields) == ("rate", ["logic", "accuracy", "format"])
    assert (item.code, item.lang, item.references, item.question) == ("x := 1", "Go", ["one"], "Comment.")
    assert fields_of(COMMENT, "pair") == ["preference"]


def test_the_key_is_of_what_is_shown_and_asked() -> None:
    """A gold item has the key of the same item, and another text another key."""
    item = item_of(ISSUE, [ANSWER], kind="decide", task_id=1, track="t")
    gold = keyed(msgspec.structs.replace(item, expected={"decision": "wrong"}))
    other = keyed(msgspec.structs.replace(item, question="how?"))

    assert gold.item == item.item != other.item
    assert keyed(msgspec.json.decode(msgspec.json.encode(item), type=type(item))) == item
