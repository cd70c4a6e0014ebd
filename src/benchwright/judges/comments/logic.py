"""Logic by rule: do comments stand at what needs explaining, and do they add anything to it?

Coverage is the share of key lines that a comment is about that says something, or that documentation tells:
those of the task, else those with annotations, else for a reference on the whole where that begins, else
branches, loops, returns and raises. An echo is a comment that adds nothing to its code. Score: coverage
times the share that is no echo, times brevity.
"""

from __future__ import annotations

from typing import NamedTuple

from benchwright.judges.comments.added import AnsweredCode
from benchwright.judges.comments.claims import ECHO
from benchwright.judges.comments.documented import documents_returned
from benchwright.judges.comments.key_lines import RAISES, RETURNS, has, key_lines
from benchwright.judges.comments.matching import WINDOW

_NONE: frozenset[str] = frozenset()
TOLD = 0.3  # likeness to an annotation of a documentation sentence that covers its line
SHORT, PER_TOKEN, PER_WORD = 40, 2, 3  # allowed words: fixed, per token, per reference word


class Logic(NamedTuple):
    """The share of explained key lines, and the share of comments that add nothing."""

    key_lines: int
    covered: int
    comments: int
    echoes: int
    brevity: float = 1.0

    @property
    def coverage(self) -> float:
        """Return the share of explained key lines; 1 for code without any."""
        return self.covered / self.key_lines if self.key_lines else 1.0

    @property
    def echo(self) -> float:
        """Return the share of comments that only repeat their code."""
        return self.echoes / self.comments

    @property
    def value(self) -> float:
        """Return coverage times the share of comments that are no echo, reduced for length."""
        return self.coverage * (1 - self.echo) * self.brevity


def logic(answered: AnsweredCode) -> Logic:
    """Return the logic scores of an answer that has comments."""
    keys = key_lines(answered.given)
    worths = answered.worths
    telling = [each for each, worth in zip(answered.added, worths, strict=True) if worth]
    near = {each.line + step for each in telling for step in range(-WINDOW, WINDOW + 1)}
    documented = _documented_lines(answered, keys)
    covered = sum(line in near or line in documented for line in keys)
    echoes = sum(worth <= ECHO for worth in answered.best_worths)
    return Logic(len(keys), covered, len(answered.added), echoes, brevity(answered))


def brevity(answered: AnsweredCode) -> float:
    """Return 1, or less if an answer has many more words than its code and references."""
    said = sum(each.saying.stems.total() for each in answered.added)
    given = answered.given
    allowed = SHORT + PER_TOKEN * len(given.code.tokens) + PER_WORD * given.reference_length
    return min(1.0, allowed / said) if said else 1.0


def _documented_lines(answered: AnsweredCode, keys: list[int]) -> set[int]:
    """Return lines that the documentation of their function covers: returns, raises, or their annotation."""
    found: set[int] = set()
    starts = {each.name: each for each in answered.given.code.declared}
    for at, each in enumerate(answered.added):
        span = starts.get(each.declared.name) if each.declared else None
        if each.doc is None or span is None or not answered.worths[at]:
            continue
        said = (RETURNS if documents_returned(each) else _NONE) | (RAISES if each.doc.raises else _NONE)
        inside = [line for line in keys if span.first_line <= line <= span.last_line]
        found.update(line for line in inside if has(answered.given.tokens_by_line.get(line, []), said))
        found.update(line for line in inside if told(answered, at, line) >= TOLD)
    return found


def told(answered: AnsweredCode, comment: int, line: int) -> float:
    """Return the likeness of a line's annotation and the most similar sentence of a comment."""
    wanted = answered.given.annotation_of.get(line)
    said = [claim.saying for claim in answered.claims if claim.comment == comment and claim.worth > ECHO]
    if wanted is None:
        return 0.0
    return max((wanted.likeness(each, answered.given.names) for each in said), default=0.0)
