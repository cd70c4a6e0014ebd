"""Records of items, answers and votes that people judge, and reading votes back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

import msgspec

from benchwright.records import Record, TaskId
from benchwright.store.keys import content_key

ItemKind = Literal["rate", "decide", "pair", "annotate", "link"]
Round = Literal["first", "repeat", "gold", "adjudication"]

DECISIONS = ("correct", "partly", "wrong", "cannot_tell")
PREFERENCES = ("a", "b", "tie", "both_bad")
GRADES = (1, 2, 3, 4, 5)
LINK_LABELS = ("yes", "no", "cannot_tell")  # whether a change answered a remark
DECISION, PREFERENCE, ANNOTATION = "decision", "preference", "annotation"  # else a rubric's criterion
ANSWERED = "answered"  # of a link


class ItemAnswer(Record, frozen=True, kw_only=True):
    """One answer of an item, and its origin, which judges never see."""

    run: str  # the run's digest
    key: str  # the answer's content key
    sample: int
    text: str


class JudgedItem(Record, frozen=True, kw_only=True):
    """One decision: a question, known right answers, and one answer, two, or none yet."""

    item: str  # opaque content key of all fields below
    kind: ItemKind
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
    kind: ItemKind
    field: str
    value: (
        int | str
    )  # 1 to 5, one of DECISIONS, LINK_LABELS or PREFERENCES (a and b in the item's order), or JSON
    judge: str  # a pseudonym, stable within a project
    round: Round = "first"
    answers: list[str] = []  # content keys of the judged answers, in the item's order
    comment: str = ""
    shown: str = ""  # for a pair "ab" or "ba": the order of the sides on the page
    started_at: str = ""  # ISO 8601, UTC, milliseconds
    submitted_at: str = ""
    rubric: str = ""  # digest of the rubric's text
    interface: str = ""  # version of the station, or "sheet"


ROUNDS: tuple[Round, ...] = get_args(Round)
SHEET = "sheet"  # the interface of a vote from a file
_OTHER_SIDE = {"a": "b", "b": "a"}
MAX_COMMENT = 20_000  # characters
MAX_NAME = 80
LABELLED: Mapping[str, tuple[str, ...]] = {
    DECISION: DECISIONS,
    PREFERENCE: PREFERENCES,
    ANSWERED: LINK_LABELS,
}  # the fields without grades
_NAMES = ("vote", "item", "field", "judge")


def allowed(field: str) -> tuple[int | str, ...]:
    """Return the allowed values of a field; empty for an annotation, which is free text."""
    return () if field == ANNOTATION else LABELLED.get(field, GRADES)


def turned(value: int | str, shown: str) -> int | str:
    """Convert a preference between the order of the sides on the page and the item's order.

    A value that names no side stays the same, and so does every value if the sides were in the order "ab".
    """
    return _OTHER_SIDE.get(str(value), value) if shown == "ba" else value


def fault_of(vote: Vote) -> tuple[str, str]:
    """Return the invalid field of a vote and the fault; two empty texts for a valid vote."""
    for name in _NAMES:
        text = getattr(vote, name)
        if not text.strip() or len(text) > MAX_NAME or not text.isprintable():
            return name, f"must be a name of 1 to {MAX_NAME} printable characters"
    if not _is_allowed(vote):
        return "value", f"{vote.value!r:.60} is none of {', '.join(map(str, allowed(vote.field)))}"
    if len(vote.comment) > MAX_COMMENT:
        return "comment", f"has {len(vote.comment):,} characters, more than {MAX_COMMENT:,}"
    if len(set(vote.answers)) != len(vote.answers) or len(vote.answers) > 2:
        return "answers", "must be the keys of one answer, or of two"
    return "", ""


def _is_allowed(vote: Vote) -> bool:
    if vote.field == ANNOTATION:
        return isinstance(vote.value, str)
    return any(vote.value == each and type(vote.value) is type(each) for each in allowed(vote.field))


def vote_key(vote: Vote) -> str:
    """Return a key for a vote without one: by judge and subject, not by value or time."""
    return content_key("vote", *place_of(vote))


def place_of(vote: Vote) -> tuple[str, str, str, str]:
    """Return the place that may have only one vote: a judge, an item, a field and a round."""
    return vote.judge, vote.item, vote.field, vote.round


def in_order(votes: Iterable[Vote], places: Mapping[str, int]) -> list[Vote]:
    """Return the votes in canonical order, independent of the input's: by the place of the answer, then by
    item, judge, round, field and key. `places` are those of the run's answers by key."""

    def order(vote: Vote) -> tuple[int, str, str, int, str, str]:
        place = min((places[key] for key in vote.answers if key in places), default=len(places))
        return place, vote.item, vote.judge, ROUNDS.index(vote.round), vote.field, vote.vote

    return sorted(map(_plain, votes), key=order)


def _plain(vote: Vote) -> Vote:
    """Return the vote with the round constant of this module: an encoder omits a default by identity."""
    return msgspec.structs.replace(vote, round=ROUNDS[ROUNDS.index(vote.round)])
