"""Accuracy by rule: do comments say what the references say, where they say it, of things that exist?

Annotation F1 times truth. Annotation F1: reference annotations and comments are assigned to each other one
to one within a line, a pair counts by place and likeness unless it says nothing or denies, and the sum of
that is divided by all comments (precision) and by all references (recall). Truth: what is left of the
claims without those that are untrue: that deny a reference, their own line or one another, name what is not
there, or document an exception that nothing throws or a value that nothing returns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from benchwright.judges.comments.added import AnsweredCode
from benchwright.judges.comments.given import Saying
from benchwright.judges.comments.logic import TOLD, told
from benchwright.judges.comments.matching import NOTHING, WINDOW, assign
from benchwright.judges.comments.mentions import mentions
from benchwright.judges.comments.untruths import untruths
from benchwright.text.chrf import chrf

PLACE = 0.25  # weight of the right place in a pair's value; the rest is likeness
UNKNOWN = 0.5  # value without a reference to compare with
SPARED = 2  # further claims that one untrue claim is weighed against: a name may be in another file


class Accuracy(NamedTuple):
    """Results of comparing a comment with references and code; None where there was nothing to compare."""

    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    truth: float | None = None
    absent: tuple[str, ...] = ()  # mentioned, but absent
    across: int = 0  # pairs in two natural languages, whose words cannot be similar
    chrf: float | None = None  # chrF++ of the same pairs; displayed, not part of a score
    untrue: tuple[str, ...] = ()  # why each untrue claim is untrue
    factor: float = 1.0  # remaining share of the score

    @property
    def value(self) -> float:
        """Return annotation F1 times truth; without a reference, `UNKNOWN` times truth."""
        return (UNKNOWN if self.f1 is None else self.f1) * self.factor


def accuracy(answered: AnsweredCode) -> Accuracy:
    """Return accuracy and F1 of an answer that has comments."""
    named = dict.fromkeys(name for each in answered.added for name in mentions(each.saying.text))
    absent = tuple(name for name in named if not answered.given.has(name))
    truth = 1 - len(absent) / len(named) if named else None
    untrue = untruths(answered)
    factor = 1 - len(untrue) / (max(len(answered.claims), len(untrue)) + SPARED)
    return _against_references(answered)._replace(
        truth=truth, absent=absent, untrue=tuple(untrue.values()), factor=factor
    )


def _against_references(answered: AnsweredCode) -> Accuracy:
    given, added = answered.given, answered.added
    if not given.annotations and given.comment is None:
        return Accuracy()
    pairs: list[_Pair] = []
    whole = NOTHING
    if given.comment is not None:
        whole = _about_all(answered, given.comment)
        pairs.append(_pair(whole, given.comment, answered))
    pairs += _by_line(answered, without=whole)
    documented = _told_by_documentation(answered, {id(pair.wanted) for pair in pairs if pair.worth})
    taken = {pair.comment for pair in pairs}
    extra = [at for at, each in enumerate(added) if at not in taken and each.doc is None]
    claims = len(pairs) + len(documented) + (len(extra) if given.annotations else 0)
    references = len(given.annotations) + (given.comment is not None)
    worth = sum(pair.worth for pair in pairs) + sum(documented)
    return Accuracy(
        precision=worth / claims if claims else 0.0,
        recall=worth / references,
        f1=2 * worth / (claims + references),
        across=sum(pair.across for pair in pairs),
        chrf=_chrf(answered, pairs),
    )


def _chrf(answered: AnsweredCode, pairs: Sequence[_Pair]) -> float:
    """Return chrF++ of all pairs; references without a counterpart count as nothing."""
    compared = [(answered.added[pair.comment].saying.text, pair.wanted.text) for pair in pairs]
    answers = {id(pair.wanted) for pair in pairs}
    left = [wanted for _, wanted in answered.given.annotations if id(wanted) not in answers]
    return chrf([*compared, *(("", wanted.text) for wanted in left)])


class _Pair(NamedTuple):
    """A comment matched to a reference."""

    comment: int
    wanted: Saying
    worth: float
    across: bool  # two languages


def _pair(at: int, wanted: Saying, answered: AnsweredCode) -> _Pair:
    found = answered.added[at].saying
    likeness = wanted.likeness(found, answered.given.names) * answered.certain[at]
    worth = PLACE + (1 - PLACE) * likeness if answered.worths[at] else 0.0
    return _Pair(at, wanted, worth, wanted.differs(found))


def _told_by_documentation(answered: AnsweredCode, taken: set[int]) -> list[float]:
    """Return the value of documentation for annotations that no comment matches."""
    docs = [at for at, each in enumerate(answered.added) if each.doc is not None]
    left = [line for line, wanted in answered.given.annotations if id(wanted) not in taken]
    found = [max((told(answered, at, line) for at in docs), default=0.0) for line in left]
    return [likeness for likeness in found if likeness >= TOLD]


def _about_all(answered: AnsweredCode, wanted: Saying) -> int:
    """Return the comment that matches a reference on the whole: the most similar documentation comment."""
    added = answered.added
    candidates = [at for at, each in enumerate(added) if each.doc is not None] or range(len(added))
    return max(candidates, key=lambda at: _pair(at, wanted, answered).worth)


def _by_line(answered: AnsweredCode, *, without: int) -> list[_Pair]:
    """Return the pairs of annotations and comments with the highest total value."""
    lines = sorted((each.line, at) for at, each in enumerate(answered.added) if at != without)
    near: list[list[_Pair]] = []
    for line, wanted in answered.given.annotations:
        first = bisect_left(lines, (line - WINDOW, 0))
        last = bisect_left(lines, (line + WINDOW + 1, 0))
        near.append([_pair(at, wanted, answered) for _, at in lines[first:last]])
    taken = assign([[(pair.comment, pair.worth) for pair in pairs] for pairs in near])
    return [pair for pairs, at in zip(near, taken, strict=True) for pair in pairs if pair.comment == at]
