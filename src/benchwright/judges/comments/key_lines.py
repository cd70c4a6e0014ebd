"""Lines that a comment should be about."""

from __future__ import annotations

from benchwright.judges.comments.given import GivenCode
from benchwright.lang.commented import CodeToken

RETURNS, RAISES = frozenset({"return", "yield"}), frozenset({"raise", "throw", "panic"})
_TURNS = frozenset({"if", "elif", "switch", "select", "for", "while", "do"}) | RETURNS | RAISES


def key_lines(given: GivenCode) -> list[int]:
    """Return lines of the given code that a comment should be about."""
    spec = given.spec
    named = spec.key_lines or [each.line for each in spec.annotations]
    if named:
        return sorted(set(named))
    if spec.comment:
        return [each.first_line for each in given.code.declared[:1]] or sorted(given.tokens_by_line)[:1]
    return [line for line, tokens in given.tokens_by_line.items() if has(tokens, _TURNS)]


def has(tokens: list[CodeToken], wanted: frozenset[str]) -> bool:
    """Return whether one of some words is a token of a line, and not the name of a member."""
    before = ""
    for token in tokens:
        if token.text in wanted and before != ".":
            return True
        before = token.text
    return False
