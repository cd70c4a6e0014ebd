"""Comments in code, and whether a text is another one with nothing but its comments changed.

`lang` is a name or spelling of one of `languages.COMMENTED`. Source is hostile: what cannot be read is a
fault in the answer, never an exception. Raises DataError for another language, and PrerequisiteError where
the grammar of a language that tree-sitter reads is not installed.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from benchwright.lang.commented import DEDENT, END_OF_LINE, INDENT, CodeToken, CommentedCode, places_of_code
from benchwright.lang.languages import commented_language

_KEPT_LENGTH = (
    1 << 16
)  # characters of a text whose reading is kept: many answers share the code they are about
_MOST_SHOWN = 80  # characters of a token
_IN_WORDS = {END_OF_LINE: "end of line", INDENT: "indent", DEDENT: "dedent"}


class CodeChange(NamedTuple):
    """The first token that differs, on both sides; line 0 and "" where one side has no more.

    A side that is equal to the other stands in another place of the syntax tree.
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
    """A text as code and comments. Nobody changes the lists in it: readings of short texts are shared."""
    return _kept(code, lang) if len(code) <= _KEPT_LENGTH else commented_language(lang).commented(code)


@lru_cache(maxsize=8)
def _kept(code: str, lang: str) -> CommentedCode:
    return commented_language(lang).commented(code)


def first_change(before: CommentedCode, after: CommentedCode) -> CodeChange | None:
    """Where the code of two texts differs; None where they differ in comments and white space alone.

    Equal are texts of the same tokens in the same structure, directive comments among them. A text that
    cannot be read is equal to none, and one with a fault of syntax only to one that has a fault too.
    """
    for one, other in zip(before.tokens, after.tokens, strict=False):
        if one.text != other.text or one.shape != other.shape:
            return CodeChange(one.line, _shown(one), other.line, _shown(other))
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
    return code.tokens[index].line, _shown(code.tokens[index])


def _shown(token: CodeToken) -> str:
    text = _IN_WORDS.get(token.text) or f"`{token.text.strip()}`"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def anchors(before: CommentedCode, after: CommentedCode) -> dict[int, int]:
    """The line of `before` that each comment of `after` is about, by the comment's index.

    That is the line of the token that a trailing comment follows, else of the next one: what stands below a
    comment above it. A docstring is about the line that its function or class begins on. Comments after
    the last token are about its line. Means something where the code is unchanged.
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
