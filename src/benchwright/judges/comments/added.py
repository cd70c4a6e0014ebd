"""The comments that an answer added, apart from those that stood there, with what they are about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

from benchwright.judges.comments.claims import CommentClaim, CommentProse, claims
from benchwright.judges.comments.given import GivenCode, Saying
from benchwright.lang.commented import Comment, CommentedCode, Declared
from benchwright.lang.comments import anchors
from benchwright.lang.docstyles.documentation import Documentation
from benchwright.lang.docstyles.reading import parse_shown
from benchwright.text.addressing import without_addressed


class AddedComment(NamedTuple):
    """A comment of the answer, without lines addressed to a judge."""

    comment: Comment
    line: int  # line of the given code that it is about
    text: str
    saying: Saying  # its prose
    doc: Documentation | None = None  # its parts, if it is a documentation comment
    declared: Declared | None = None  # the declaration that it documents


class AnsweredCode:
    """An answer with the code of its task. `addressed`: the first words addressed to a judge."""

    def __init__(self, given: GivenCode, program: str, code: CommentedCode) -> None:
        self.given, self.program, self.code = given, program, code
        self.addressed = ""
        self.added = list(self._added())

    @cached_property
    def claims(self) -> list[CommentClaim]:
        """Return the claims of its comments, sentence by sentence."""
        return claims(
            [CommentProse(each.saying.text, each.line, each.doc is not None) for each in self.added],
            self.given,
        )

    @cached_property
    def worths(self) -> list[float]:
        """Return the mean worth of the claims of each added comment; 0 for one without claims."""
        by_comment: dict[int, list[float]] = {}
        for claim in self.claims:
            by_comment.setdefault(claim.comment, []).append(claim.worth)
        return [fmean(by_comment.get(at, [0.0])) for at in range(len(self.added))]

    @cached_property
    def certain(self) -> list[float]:
        """Return the share of claims that are not doubtful, for each added comment; 1 for one without
        claims."""
        by_comment: dict[int, list[bool]] = {}
        for claim in self.claims:
            by_comment.setdefault(claim.comment, []).append(not claim.doubtful)
        return [fmean(by_comment.get(at, [True])) for at in range(len(self.added))]

    @cached_property
    def best_worths(self) -> list[float]:
        """Return the worth of the best claim of each added comment: what it adds to echoes."""
        found = [0.0] * len(self.added)
        for claim in self.claims:
            found[claim.comment] = max(found[claim.comment], claim.worth)
        return found

    def _added(self) -> Iterator[AddedComment]:
        documented = {each.doc: each for each in self.code.declared if each.doc is not None}
        for at, comment, line in self._new():
            text, addressed = without_addressed(comment.text)
            self.addressed = self.addressed or addressed
            if addressed and not text:
                continue
            doc = parse_shown(text, self.given.styles[0]) if comment.kind == "doc" else None
            saying = self.given.saying(doc.prose() if doc else text)
            yield AddedComment(comment, line, text, saying, doc, documented.get(at))

    def _new(self) -> Iterator[tuple[int, Comment, int]]:
        """Return comments that the given code does not have at the same place, with number and line;
        directives are code."""
        places, stood = anchors(self.given.code, self.code), self.given.comments.copy()
        for at, comment in enumerate(self.code.comments):
            place = places.get(at), comment.text
            if stood[place] or comment.directive:
                stood[place] -= 1
            else:
                yield at, comment, places.get(at, 1)
