"""Specs of the two smart-coding tracks: comments on given code, and answers to issues."""

from __future__ import annotations

from typing import ClassVar, Literal

from benchwright.contracts.specs import Spec
from benchwright.records import Outcome, Record

RULES_CANNOT_TELL = "rules alone cannot tell"  # prefix of the detail of an answer that needs a judge
Unit = Literal["line", "segment", "function", "file"]
Strength = Literal["linked_fix", "accepted", "reactions", "any"]  # strongest first


class Annotation(Record, frozen=True, kw_only=True):
    """A reference comment on one line of the given code; lines are numbered from 1."""

    line: int
    text: str


class CommentSpec(Spec, frozen=True, kw_only=True, tag="comment"):
    """Code to add comments to. The extraction's program is the commented code.

    Judged by rules; nothing is executed. The outcome is `scored`, or `wrong` if the code was changed.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    code: str  # as in the row, with its line ends
    lang: str  # programming language, known to `lang.comments`
    unit: Unit = "function"
    style: str = ""  # style of documentation comments in `lang.docstyles`; empty: the language's default
    language: str = ""  # natural language of the comments, "en", "ru" or "zh"; empty: any
    annotations: list[Annotation] = []  # by line
    comment: str = ""  # reference comment on the whole code
    key_lines: list[int] = []  # lines that a comment should explain; empty: those with annotations


class Reference(Record, frozen=True, kw_only=True):
    """A known answer to an issue, with the evidence that it is right."""

    body: str
    strength: Strength = "any"
    author: str = ""  # a pseudonym
    role: str = ""  # role in the project on the platform: "OWNER", "MEMBER", …
    created_at: str = ""  # ISO 8601
    updated_at: str = ""
    reactions: int = 0
    number: int = 0  # n of its field answer_n; 0 if there was none


class IssueSpec(Spec, frozen=True, kw_only=True, tag="issue"):
    """A question with several reference answers, strongest first. The extraction's program is the answer.

    Rules settle empty answers and refusals. Any other answer is `undecided` until a judge has assessed it.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    question: str
    body: str = ""
    asked_at: str = ""  # ISO 8601; an answer may use facts up to this time
    references: list[Reference] = []
