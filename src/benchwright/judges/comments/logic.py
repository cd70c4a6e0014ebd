"""Logic by rule: do comments stand at what needs explaining, and do they add anything to it?

Coverage is the share of key lines that a comment is about: those of the task, else those with annotations,
else for a reference on the whole where that begins, else branches, loops, returns and raises. An echo is a
comment that has no word but those of its own line of code. Score: coverage times the share that is no echo.
"""

from __future__ import annotations

from typing import NamedTuple

from benchwright.judges.comments.added import AnsweredCode
from benchwright.judges.comments.documented import documents_returned
from benchwright.judges.comments.echo import is_echo
from benchwright.judges.comments.given import GivenCode
from benchwright.judges.comments.matching import WINDOW
from benchwright.lang.commented import CodeToken

_RETURNS, _RAISES = frozenset({"return", "yield"}), frozenset({"raise", "throw", "panic"})
_TURNS = frozenset({"if", "elif", "switch", "select", "for", "while", "do"}) | _RETURNS | _RAISES

_NONE: frozenset[str] = frozenset()


class Logic(NamedTuple):
    """How many key lines are explained, and how many comments add nothing."""

    key_lines: int
    covered: int
    comments: int
    echoes: int

    @property
    def coverage(self) -> float:
        """The share of key lines; 1 for code that has none."""
        return self.covered / self.key_lines if self.key_lines else 1.0

    @property
    def echo(self) -> float:
        """The share of comments that only repeat their code."""
        return self.echoes / self.comments

    @property
    def value(self) -> float:
        """Coverage times the share of comments that are no echo."""
        return self.coverage * (1 - self.echo)


def logic(answered: AnsweredCode) -> Logic:
    """Both figures of an answer that has comments."""
    keys = key_lines(answered.given)
    near = {each.line + step for each in answered.added for step in range(-WINDOW, WINDOW + 1)}
    documented = _documented_lines(answered, keys)
    covered = sum(line in near or line in documented for line in keys)
    echoes = sum(is_echo(each, answered.given) for each in answered.added)
    return Logic(len(keys), covered, len(answered.added), echoes)


def key_lines(given: GivenCode) -> list[int]:
    """Lines of the code as it was given that a comment should be about."""
    spec = given.spec
    named = spec.key_lines or [each.line for each in spec.annotations]
    if named:
        return sorted(set(named))
    if spec.comment:
        return [each.first_line for each in given.code.declared[:1]] or sorted(given.tokens_by_line)[:1]
    return [line for line, tokens in given.tokens_by_line.items() if _has(tokens, _TURNS)]


def _has(tokens: list[CodeToken], wanted: frozenset[str]) -> bool:
    before = ""
    for token in tokens:
        if token.text in wanted and before != ".":
            return True
        before = token.text
    return False


def _documented_lines(answered: AnsweredCode, keys: list[int]) -> set[int]:
    """Lines that return or raise what a documentation comment of their function says."""
    found: set[int] = set()
    starts = {each.name: each for each in answered.given.code.declared}
    for each in answered.added:
        span = starts.get(each.declared.name) if each.declared else None
        if each.doc is None or span is None:
            continue
        said = (_RETURNS if documents_returned(each) else _NONE) | (_RAISES if each.doc.raises else _NONE)
        inside = [line for line in keys if span.first_line <= line <= span.last_line]
        found.update(line for line in inside if _has(answered.given.tokens_by_line.get(line, []), said))
    return found
