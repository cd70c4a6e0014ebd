"""Read comments in code, and compare two texts without their comments.

`lang` is a name or spelling of one of `languages.COMMENTED`. Source is hostile: an unreadable text gives a
fault, never an exception. Raises DataError for another language, and PrerequisiteError if the grammar of a
tree-sitter language is not installed.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.comment_records import (
    DEDENT,
    END_OF_LINE,
    INDENT,
    CodeToken,
    CommentedCode,
    places_of_code,
)
from benchwright.lang.languages import commented_language

_KEPT_LENGTH = 1 << 16  # characters of a text whose result is cached: many answers share the code
_MOST_SHOWN = 80  # characters of a token
_IN_WORDS = {END_OF_LINE: "end of line", INDENT: "indent", DEDENT: "dedent"}


class CodeChange(NamedTuple):
    """The first differing token on both sides; line 0 and "" if one side has ended.

    If both sides have the same text, the tokens differ in their place in the syntax tree.
    """

    before_line: int
    before: str
    after_line: int
    after: str

    def __str__(self) -> str:
        if not self.before:
            return f"line {self.after_line}: {self.after} was added"
        if not self.after:
            return f"line {self.before_line} as given: {self.before} is gone"
        if self.before == self.after:
            return f"line {self.after_line}: {self.after} is read as part of something else"
        return f"line {self.after_line}: {self.before} became {self.after}"


def read_comments(code: str, lang: str) -> CommentedCode:
    """Split a text into code and comments. Do not modify the result: short texts share it."""
    return (
        _cached_reading(code, lang) if len(code) <= _KEPT_LENGTH else commented_language(lang).commented(code)
    )


@lru_cache(maxsize=8)
def _cached_reading(code: str, lang: str) -> CommentedCode:
    return commented_language(lang).commented(code)


def first_change(before: CommentedCode, after: CommentedCode) -> CodeChange | None:
    """Return the first difference in the code of two texts; None if only comments and white space differ.

    Texts are equal if they have the same tokens in the same structure, including directive comments. An
    unreadable text equals none; a text with a syntax error equals only texts with a syntax error.
    """
    for one, other in zip(before.tokens, after.tokens, strict=False):
        if one.text != other.text or one.shape != other.shape:
            return CodeChange(one.line, _token_text(one), other.line, _token_text(other))
    shared = min(len(before.tokens), len(after.tokens))
    if after.fault is not None and (before.fault is None or not after.tokens):
        return CodeChange(0, "", after.fault.line, f"a fault of syntax ({after.fault.message})")
    if len(before.tokens) != len(after.tokens):
        return CodeChange(*_at(before, shared), *_at(after, shared))
    if before.fault is not None and not before.tokens:
        return CodeChange(before.fault.line, f"a text that cannot be read ({before.fault.message})", 0, "")
    return None


def _at(code: CommentedCode, index: int) -> tuple[int, str]:
    if index >= len(code.tokens):
        return 0, ""
    return code.tokens[index].line, _token_text(code.tokens[index])


def _token_text(token: CodeToken) -> str:
    text = _IN_WORDS.get(token.text) or f"`{token.text.strip()}`"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def anchors(before: CommentedCode, after: CommentedCode) -> dict[int, int]:
    """Map each comment of `after`, by index, to the line of `before` that it is about.

    A trailing comment is about the token before it, any other comment about the next token. A docstring is
    about the first line of its function or class. Comments after the last token are about the last token's
    line. The result is meaningful only if the code is unchanged.
    """
    code = places_of_code(before.tokens)
    headers = {each.doc: each.first_line for each in after.declared if each.doc is not None}
    found = {}
    for index, comment in enumerate(after.comments if code else ()):
        at = comment.at
        if headers.get(index, comment.line + 1) <= comment.line:
            at = bisect_left(after.tokens, headers[index], key=lambda token: token.line)
        place = bisect_left(code, at) - comment.trailing
        found[index] = before.tokens[code[max(0, min(place, len(code) - 1))]].line
    return found
