"""Accuracy and logic of comments by rule: against references, and on the lines that need explaining.

Accuracy is annotation F1 times truth. Annotation F1: reference annotations and comments are assigned one to
one within a line (exactly, in linear time, since a comment competes only for annotations at most one line
away); a pair counts by place and likeness unless it says nothing or denies; the sum divided by all comments
is the precision, by all references the recall. Truth: the share of claims that remain without untrue ones,
which deny a reference, their own line or each other, name something absent, or document an exception that
nothing raises or a value that nothing returns.

Logic is coverage times the share of comments that are not echoes, times brevity. Coverage is the share of key
lines with a comment that says something, or covered by documentation: the task's key lines, else lines with
annotations, else the start of a reference on the whole, else branches, loops, returns and raises. An echo
adds nothing to its code.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

from benchwright.judges.comments.added_comments import AddedComment, AnsweredCode, documents_returned
from benchwright.judges.comments.claims import ECHO, RAISES, RETURNS, has, key_lines
from benchwright.judges.comments.given_code import ComparedText, GivenCode, mentions
from benchwright.lang.comment_records import Declaration
from benchwright.lang.docstyles.doc_records import DocumentedPart
from benchwright.text.chrf import chrf

PLACE = 0.25  # weight of the right place in a pair's value; the rest is likeness
UNKNOWN = 0.5  # value without a reference to compare with
SPARED = 2  # further claims that one untrue claim is weighed against: a name may be in another file


class CommentAccuracy(NamedTuple):
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


def accuracy(answered: AnsweredCode) -> CommentAccuracy:
    """Return accuracy and F1 of an answer that has comments."""
    mentioned_names = dict.fromkeys(name for each in answered.added for name in mentions(each.prose.text))
    absent = tuple(name for name in mentioned_names if not answered.given.has(name))
    truth = 1 - len(absent) / len(mentioned_names) if mentioned_names else None
    untrue = untruths(answered)
    factor = 1 - len(untrue) / (max(len(answered.claims), len(untrue)) + SPARED)
    return _against_references(answered)._replace(
        truth=truth, absent=absent, untrue=tuple(untrue.values()), factor=factor
    )


def _against_references(answered: AnsweredCode) -> CommentAccuracy:
    given, added = answered.given, answered.added
    if not given.annotations and given.comment is None:
        return CommentAccuracy()
    pairs: list[_Pair] = []
    whole = NOTHING
    if given.comment is not None:
        whole = _about_all(answered, given.comment)
        pairs.append(_pair(whole, given.comment, answered))
    pairs += _by_line(answered, without=whole)
    documented = _documented_annotations(answered, {id(pair.reference) for pair in pairs if pair.worth})
    matched_comments = {pair.comment for pair in pairs}
    extra = [at for at, each in enumerate(added) if at not in matched_comments and each.doc is None]
    claims = len(pairs) + len(documented) + (len(extra) if given.annotations else 0)
    references = len(given.annotations) + (given.comment is not None)
    worth = sum(pair.worth for pair in pairs) + sum(documented)
    return CommentAccuracy(
        precision=worth / claims if claims else 0.0,
        recall=worth / references,
        f1=2 * worth / (claims + references),
        across=sum(pair.across for pair in pairs),
        chrf=_chrf(answered, pairs),
    )


def _chrf(answered: AnsweredCode, pairs: Sequence[_Pair]) -> float:
    """Return chrF++ of all pairs; references without a counterpart count as nothing."""
    compared = [(answered.added[pair.comment].prose.text, pair.reference.text) for pair in pairs]
    answers = {id(pair.reference) for pair in pairs}
    unmatched = [reference for _, reference in answered.given.annotations if id(reference) not in answers]
    return chrf([*compared, *(("", reference.text) for reference in unmatched)])


class _Pair(NamedTuple):
    """A comment matched to a reference."""

    comment: int
    reference: ComparedText
    worth: float
    across: bool  # two languages


def _pair(at: int, reference: ComparedText, answered: AnsweredCode) -> _Pair:
    found = answered.added[at].prose
    likeness = reference.likeness(found, answered.given.names) * answered.certain[at]
    worth = PLACE + (1 - PLACE) * likeness if answered.worths[at] else 0.0
    return _Pair(at, reference, worth, reference.differs(found))


def _documented_annotations(answered: AnsweredCode, matched_references: set[int]) -> list[float]:
    """Return the value of documentation for annotations that no comment matches."""
    docs = [at for at, each in enumerate(answered.added) if each.doc is not None]
    lines = [
        line for line, reference in answered.given.annotations if id(reference) not in matched_references
    ]
    found = [max((documentation_likeness(answered, at, line) for at in docs), default=0.0) for line in lines]
    return [likeness for likeness in found if likeness >= DOCUMENTED]


def _about_all(answered: AnsweredCode, reference: ComparedText) -> int:
    """Return the comment that matches a reference on the whole: the most similar documentation comment."""
    added = answered.added
    candidates = [at for at, each in enumerate(added) if each.doc is not None] or range(len(added))
    return max(candidates, key=lambda at: _pair(at, reference, answered).worth)


def _by_line(answered: AnsweredCode, *, without: int) -> list[_Pair]:
    """Return the pairs of annotations and comments with the highest total value."""
    lines = sorted((each.line, at) for at, each in enumerate(answered.added) if at != without)
    near: list[list[_Pair]] = []
    for line, reference in answered.given.annotations:
        first = bisect_left(lines, (line - WINDOW, 0))
        last = bisect_left(lines, (line + WINDOW + 1, 0))
        near.append([_pair(at, reference, answered) for _, at in lines[first:last]])
    assignment = assign([[(pair.comment, pair.worth) for pair in pairs] for pairs in near])
    return [pair for pairs, at in zip(near, assignment, strict=True) for pair in pairs if pair.comment == at]


_NOTHING = re.compile(
    r"(?:nothing|none|void|undefined|no value|null|ничего|нет|无|没有|空)?[.\s]*$"
    r"|(?:a |an )?(?:promise|iterator|generator)",
    re.IGNORECASE,
)

_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])(?!\.\d)")
_SMALL = frozenset({"0", "1", "2"})  # of an index or a step, which comments express in other ways
_OPEN = frozenset({"<", ">", "range", "-", "+", "+=", "-="})
_UNITS = (7, 8, 12, 24, 30, 60, 100, 365, 1000, 1024)
_SCALES = frozenset(Decimal(each) for one in _UNITS for each in (one, *(one * other for other in _UNITS)))


def untruths(answered: AnsweredCode) -> dict[tuple[str, str], str]:
    """Return untrue claims by their text, each with the reason: denials, absent names, phantom
    documentation."""
    given = answered.given
    found = {
        ("claim", f"{claim.comment} {claim.text}"): claim.untrue for claim in answered.claims if claim.untrue
    }
    for claim in answered.claims:
        absent = [name for name in mentions(claim.text) if not given.has(name)]
        if absent and not claim.untrue:
            found["claim", f"{claim.comment} {claim.text}"] = f"{absent[0]} is not in the code"
        if not claim.untrue and (number := _other_number(claim.text, answered.added[claim.comment], given)):
            found["claim", f"{claim.comment} {claim.text}"] = f"its line has another number than {number}"
    for each in answered.added:
        found |= {("documented", what): why for what, why in _phantoms(each, answered)}
    return found


def _other_number(text: str, about: AddedComment, given: GivenCode) -> str:
    """Return the only number of a claim, if its line has one other number and the code does not contain it.

    The same amount in another unit, and the neighbour of an open bound, are not other numbers.
    """
    numbers = _NUMBER.findall(text)
    tokens = [token.text for token in given.tokens_by_line.get(about.line, ())]
    on_line = [each for each in tokens if _NUMBER.fullmatch(each)]
    if about.doc is not None or len(numbers) != 1 or len(on_line) != 1 or numbers[0] in given.words_of_code:
        return ""
    if numbers[0] in given.names_in_references or on_line[0] in _SMALL:
        return ""
    one, other = Decimal(numbers[0]), Decimal(on_line[0])
    near = abs(one - other) == 1 and not _OPEN.isdisjoint(tokens)
    return "" if one == other or near or _other_unit(one, other) else numbers[0]


def _other_unit(one: Decimal, other: Decimal) -> bool:
    small, large = sorted((one, other))
    return not small or large / small in _SCALES


def _phantoms(each: AddedComment, answered: AnsweredCode) -> list[tuple[str, str]]:
    """Return documented exceptions that nothing raises, and documented values that nothing returns."""
    doc, declared = each.doc, each.declared
    if doc is None or declared is None:
        return []
    names = [part.name for part in doc.raises if part.name and not _throws(part.name, declared, answered)]
    found = [(name, f"{name} is not thrown") for name in names]
    if doc.returns and not declared.returns and declared.kind != "class" and _means_a_value(doc.returns[0]):
        found.append(("returns", "no value is returned"))
    return found


def _means_a_value(part: DocumentedPart) -> bool:
    return _NOTHING.match(f"{part.type} {part.text}".strip()) is None


def _throws(name: str, declared: Declaration, answered: AnsweredCode) -> bool:
    last = name.rpartition(".")[2]
    return last in {each.rpartition(".")[2] for each in declared.raises} or answered.given.has(last)


_NONE: frozenset[str] = frozenset()
DOCUMENTED = 0.3  # likeness to an annotation of a documentation sentence that covers its line
SHORT, PER_TOKEN, PER_WORD = 40, 2, 3  # allowed words: fixed, per token, per reference word


class CommentLogic(NamedTuple):
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
        """Return coverage times the share of comments that are not echoes, reduced for length."""
        return self.coverage * (1 - self.echo) * self.brevity


def logic(answered: AnsweredCode) -> CommentLogic:
    """Return the logic scores of an answer that has comments."""
    keys = key_lines(answered.given)
    worths = answered.worths
    informative = [each for each, worth in zip(answered.added, worths, strict=True) if worth]
    near = {each.line + step for each in informative for step in range(-WINDOW, WINDOW + 1)}
    documented = _documented_lines(answered, keys)
    covered = sum(line in near or line in documented for line in keys)
    echoes = sum(worth <= ECHO for worth in answered.best_worths)
    return CommentLogic(len(keys), covered, len(answered.added), echoes, brevity(answered))


def brevity(answered: AnsweredCode) -> float:
    """Return 1, or less if an answer has many more words than its code and references."""
    word_count = sum(each.prose.stems.total() for each in answered.added)
    given = answered.given
    allowed = SHORT + PER_TOKEN * len(given.code.tokens) + PER_WORD * given.reference_length
    return min(1.0, allowed / word_count) if word_count else 1.0


def _documented_lines(answered: AnsweredCode, keys: list[int]) -> set[int]:
    """Return lines that the documentation of their function covers: returns, raises, or their annotation."""
    found: set[int] = set()
    starts = {each.name: each for each in answered.given.code.declared}
    for at, each in enumerate(answered.added):
        span = starts.get(each.declared.name) if each.declared else None
        if each.doc is None or span is None or not answered.worths[at]:
            continue
        keywords = (RETURNS if documents_returned(each) else _NONE) | (RAISES if each.doc.raises else _NONE)
        inside = [line for line in keys if span.first_line <= line <= span.last_line]
        found.update(line for line in inside if has(answered.given.tokens_by_line.get(line, []), keywords))
        found.update(line for line in inside if documentation_likeness(answered, at, line) >= DOCUMENTED)
    return found


def documentation_likeness(answered: AnsweredCode, comment: int, line: int) -> float:
    """Return the likeness of a line's annotation and the most similar sentence of a comment."""
    reference = answered.given.annotation_of.get(line)
    texts = [claim.prose for claim in answered.claims if claim.comment == comment and claim.worth > ECHO]
    if reference is None:
        return 0.0
    return max((reference.likeness(each, answered.given.names) for each in texts), default=0.0)


WINDOW = 1  # lines
_COMPETING = 4 * WINDOW + 1  # options of an annotation that can matter: one comment competes for no more
NOTHING = -1
_State = tuple[int, int]  # the comments of the last two annotations

Option = tuple[int, float]  # a comment's number and its value here, above 0


def assign(options: Sequence[Sequence[Option]]) -> list[int]:
    """Return the comment of each annotation, or `NOTHING`, no comment twice, with the highest total value.

    Annotations are in line order, each on its own line; `options` are the comments within `WINDOW` of it.
    Ties are resolved always in the same way.
    """
    values: dict[_State, float] = {(NOTHING, NOTHING): 0.0}
    steps: list[dict[_State, _State]] = []
    for offered in options:
        best = [*nlargest(_COMPETING, offered, key=itemgetter(1)), (NOTHING, 0.0)]
        values, came_from = _step(values, best)
        steps.append(came_from)
    return _traced(steps, max(values, key=lambda state: values[state]))


def _step(
    values: dict[_State, float], best: Sequence[Option]
) -> tuple[dict[_State, float], dict[_State, _State]]:
    """Return the value of each state after one more annotation, and the best state before it."""
    reached: dict[_State, float] = {}
    came_from: dict[_State, _State] = {}
    for before, value in values.items():
        for comment, worth in best:
            after = before[1], comment
            if (comment == NOTHING or comment not in before) and value + worth > reached.get(after, -1.0):
                reached[after] = value + worth
                came_from[after] = before
    return reached, came_from


def _traced(steps: list[dict[_State, _State]], state: _State) -> list[int]:
    matches = []
    for came_from in reversed(steps):
        matches.append(state[1])
        state = came_from[state]
    return matches[::-1]
