"""The comments that an answer added, and the declarations that they document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from statistics import fmean
from typing import NamedTuple

from benchwright.judges.comments.claims import CommentClaim, CommentProse, claims
from benchwright.judges.comments.given_code import ComparedText, GivenCode
from benchwright.lang.comment_reading import anchors
from benchwright.lang.comment_records import Comment, CommentedCode, Declaration
from benchwright.lang.docstyles.doc_records import Documentation
from benchwright.lang.docstyles.styles import parse_shown
from benchwright.text.prompt_injection import without_injection
from benchwright.text.words import stems, words


class AddedComment(NamedTuple):
    """A comment of the answer, without lines addressed to a judge."""

    comment: Comment
    line: int  # line of the given code that it is about
    text: str
    prose: ComparedText  # its text, prepared for comparison
    doc: Documentation | None = None  # its parts, if it is a documentation comment
    declared: Declaration | None = None  # the declaration that it documents


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
            [CommentProse(each.prose.text, each.line, each.doc is not None) for each in self.added],
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
            text, addressed = without_injection(comment.text)
            self.addressed = self.addressed or addressed
            if addressed and not text:
                continue
            doc = parse_shown(text, self.given.styles[0]) if comment.kind == "doc" else None
            prose = self.given.compared_text(doc.prose() if doc else text)
            yield AddedComment(comment, line, text, prose, doc, documented.get(at))

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


_WORD = re.compile(r"\w+")
_RETURNING = frozenset(stems(words("return yield give result возвращает результат выдает")))
_OWNERS = frozenset({"self", "this", "cls"})


def to_document(declared: Declaration) -> list[str]:
    """Return the parts of a function that need documentation, as messages name them."""
    names = [each.name for each in declared.parameters if each.name]
    return [*names, *(["the returned value"] if declared.returns else []), *declared.raises]


def undocumented(function: Declaration, by: AddedComment | None, answered: AnsweredCode) -> list[str]:
    """Return the parts of a function that no comment documents: parameters, return value, exceptions."""
    has_places = len(answered.given.styles) == 1
    if by is not None and by.doc is not None and (has_places or not by.doc.is_prose):
        parameters = {head(each.name) for each in by.doc.parameters}
        returned, raised = bool(by.doc.returns), {_last(each.name) for each in by.doc.raises}
    else:
        comments = [by] if by is not None else answered.added
        parameters = raised = {word for each in comments for word in _WORD.findall(each.text)}
        returned = any(map(_mentions_return, comments))
    return [
        *(each.name for each in function.parameters if each.name and each.name not in parameters),
        *(["the returned value"] if function.returns and not returned else []),
        *(name for name in function.raises if _last(name) not in raised),
    ]


def documents_returned(each: AddedComment) -> bool:
    """Return whether a documentation comment describes the return value, in its section or in prose."""
    doc = each.doc
    return doc is not None and (bool(doc.returns) or (doc.is_prose and _mentions_return(each)))


def _mentions_return(each: AddedComment) -> bool:
    return not _RETURNING.isdisjoint(each.prose.stems)


def is_parameter(name: str, declared: Declaration, answered: AnsweredCode) -> bool:
    """Return whether a documented name is the parameter; any name fits a destructuring one."""
    if declared.kind == "class":
        return name in answered.given.names
    return name in _OWNERS or any(each.name in ("", name) for each in declared.parameters)


def head(name: str) -> str:
    """Return the parameter of a documented name: `options` for `options.size` and `options[0]`."""
    return name.partition(".")[0].partition("[")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2]
