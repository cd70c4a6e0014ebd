"""What the two smart-coding tracks judge: comments written into given code, and answers to issues."""

from __future__ import annotations

from typing import ClassVar, Literal

from benchwright.contracts.specs import Spec
from benchwright.records import Outcome, Record

RULES_CANNOT_TELL = "rules alone cannot tell"  # begins the detail of an answer that waits for a judge
Unit = Literal["line", "segment", "function", "file"]
Strength = Literal["linked_fix", "accepted", "reactions", "any"]  # the strongest first


class Annotation(Record, frozen=True, kw_only=True):
    """A reference comment on one line of the code as it was given; lines count from 1."""

    line: int
    text: str


class CommentSpec(Spec, frozen=True, kw_only=True, tag="comment"):
    """Code that is to be commented and nothing else: the extraction's program is the commented code.

    Judged by rules, nothing is executed: the outcome is `scored`, or `wrong` where the code was changed.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    code: str  # as the row gives it, its line ends too
    lang: str  # a language that `lang.comments` knows
    unit: Unit = "function"
    style: str = ""  # of documentation comments, a name of `lang.docstyles`; empty: the language's own
    language: str = ""  # that comments are to be written in, "en", "ru" or "zh"; empty: any
    annotations: list[Annotation] = []  # by line
    comment: str = ""  # a reference comment on the whole
    key_lines: list[int] = []  # that a comment should explain; empty: those with annotations


class Reference(Record, frozen=True, kw_only=True):
    """One known answer to an issue, and why it is believed."""

    body: str
    strength: Strength = "any"
    author: str = ""  # a pseudonym
    role: str = ""  # in the project, as the platform says: "OWNER", "MEMBER", …
    created_at: str = ""  # ISO 8601
    updated_at: str = ""
    reactions: int = 0
    number: int = 0  # n of its field answer_n; 0 where there was none


class IssueSpec(Spec, frozen=True, kw_only=True, tag="issue"):
    """A question with several reference answers, the strongest first; the extraction's program is the answer.

    Rules alone settle what needs no judgement (nothing said, a refusal): any other answer is `undecided`
    until somebody who can tell has assessed it.
    """

    unreadable: ClassVar[Outcome] = Outcome.unparsable
    executes: ClassVar[bool] = False

    question: str
    body: str = ""
    asked_at: str = ""  # ISO 8601: what an answer may know
    references: list[Reference] = []
