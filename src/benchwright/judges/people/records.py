"""What a person is asked about an answer, and what they said: an item and its votes."""

from __future__ import annotations

from typing import Literal

from benchwright.records import Record, TaskId

Kind = Literal["rate", "decide", "pair", "annotate"]
Round = Literal["first", "repeat", "gold", "adjudication"]

DECISIONS = ("correct", "partly", "wrong", "cannot_tell")
PREFERENCES = ("a", "b", "tie", "both_bad")
GRADES = (1, 2, 3, 4, 5)
DECISION, PREFERENCE, ANNOTATION = "decision", "preference", "annotation"  # else a rubric's criterion


class ItemAnswer(Record, frozen=True, kw_only=True):
    """One answer of an item, and its origin, which judges never see."""

    run: str  # the run's digest
    key: str  # the answer's content key
    sample: int
    text: str


class JudgedItem(Record, frozen=True, kw_only=True):
    """One decision: a question, known right answers, and one answer, two, or none yet."""

    item: str  # opaque content key of all fields below
    kind: Kind
    task_id: TaskId
    track: str
    question: str
    code: str = ""  # the subject of the answer; for a comment task the given code
    lang: str = ""  # a language of lang/, for highlighting and line comments
    references: list[str] = []
    answers: list[ItemAnswer] = []
    fields: list[str] = []  # the fields: criteria of the rubric, "decision", "preference" or "annotation"
    expected: dict[str, int | str] = {}  # of a gold item: the right value of each field


class Vote(Record, frozen=True, kw_only=True):
    """One person's value for one field of one item: a row of `votes.jsonl` in a run folder."""

    vote: str  # unique key
    item: str
    task_id: TaskId
    kind: Kind
    field: str
    value: (
        int | str
    )  # 1 to 5, one of DECISIONS or PREFERENCES (a and b in the item's order), or an annotation's JSON
    judge: str  # a pseudonym, stable within a project
    round: Round = "first"
    answers: list[str] = []  # content keys of the judged answers, in the item's order
    comment: str = ""
    shown: str = ""  # for a pair "ab" or "ba": the order of the sides on the page
    started_at: str = ""  # ISO 8601, UTC, milliseconds
    submitted_at: str = ""
    rubric: str = ""  # digest of the rubric's text
    interface: str = ""  # version of the station, or "sheet"
