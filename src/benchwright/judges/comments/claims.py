"""Claims of comments, sentence by sentence, and how much each says about the code.

A sentence is worth nothing if it fits any code, asks, hedges, repeats another one but for names, or is in
another language than the requested one, and little if it shares no word with the code and the references. It
is worth half if its only words are names of the code and the reading of its own line. It is untrue if it
denies a reference, another sentence of the answer, or its own line.

A near copy of a reference has most of its words: a changed number, name, unit, order or bound makes it
untrue; changes that rules cannot decide make it doubtful. Only differences count that cannot be another
wording.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

from benchwright.judges.comments.given_code import (
    Clause,
    ComparedText,
    GivenCode,
    ReferenceSentence,
    read_clauses,
)
from benchwright.lang.comment_records import CodeToken
from benchwright.text.concepts import concepts
from benchwright.text.filler import GENERAL, is_filler_sentence, specific_stems
from benchwright.text.opposites import (
    calls_false,
    converse_words,
    exclude_each_other,
    has_opposite,
    is_negated,
)
from benchwright.text.words import natural_language, sentences, stems, words

ECHO = 0.5  # worth of a sentence that only reads its code aloud
CLOSE = 0.6  # share of a reference's words in a sentence that is about the same thing
OPPOSED = 0.5  # share of a reference in a sentence that has the opposite of another word of it
SAME = 0.75  # share at which it states the reference or its contrary
MOSTLY = 0.4  # share of a sentence's words in the reference that it only repeats
ENOUGH = 1 / 3  # share of a sentence's words that are about the code or the references
REWORDED_WEIGHT = 0.5  # weight of a word in another wording
NAMES_ONLY_WORTH = 0.55  # maximum worth if only names connect it to this code, next to other words
DOUBTFUL = 0.3  # worth of a near copy with words that may mean something else
UNKNOWN = 0.15  # worth of prose that rules cannot connect to the code
_PROSE = 6  # consecutive words without a frequent one among them
_LIST = re.compile(r"(?:(?<=^)|(?<=[,;|/])) *`?[\w.]+`?(?: *[,;|/]| *\.?$)")
_LISTED = 3  # consecutive names that are a list and not a sentence
_BACKTICKS = re.compile(r"`[^`\n]*`")


class CommentProse(NamedTuple):
    """A comment for extracting claims: its prose, its line, and whether it is documentation."""

    text: str
    line: int
    is_doc: bool


class CommentClaim(NamedTuple):
    """One sentence. `worth` is from 0 to 1; `untrue` is why it is untrue, "" if nothing contradicts it."""

    comment: int  # index of its comment in the answer
    text: str
    prose: ComparedText
    worth: float = 0.0
    untrue: str = ""
    doubtful: bool = False  # a near copy of a reference with words that may mean something else


class _Draft(NamedTuple):
    """A sentence before it becomes a claim: its comment, whether it denies, and what it is compared with."""

    claim: CommentClaim
    of: CommentProse
    denied: bool
    denies: tuple[ReferenceSentence, ...]  # statements of references that it denies
    affirms: tuple[ReferenceSentence, ...]
    changed: str = ""  # the words of a near copy that replace those of the reference
    doubtful: bool = False


def claims(said: Sequence[CommentProse], given: GivenCode) -> list[CommentClaim]:
    """Return the claims of comments in order, each with its worth."""
    drafts = [draft for at, each in enumerate(said) for draft in _drafts(at, each, given)]
    sides = Counter((frozenset(each.claim.prose.stems), each.denied) for each in drafts)
    denied = {statement for each in drafts for statement in each.denies}
    against_all = _denies_most(drafts, given)
    seen: set[tuple[str, ...]] = set()
    found = []
    for draft in drafts:
        shape = _without_names(draft.claim.text, given)
        untrue = _untrue(draft, sides, denied, given)
        repeated = shape in seen and not _is_the_reference(draft)
        worth = 0.0 if untrue or repeated else _worth(draft, given)
        if draft.denied and against_all and not draft.affirms:
            worth = min(worth, UNKNOWN)
        seen.add(shape)
        found.append(draft.claim._replace(worth=worth, untrue=untrue, doubtful=draft.doubtful))
    return found


def _drafts(at: int, comment: CommentProse, given: GivenCode) -> Iterator[_Draft]:
    """Yield the sentences of a comment. A sentence that the next one calls false is denied."""
    called_false = calls_false(comment.text)
    for part in sentences(comment.text):
        prose, denied = given.compared_text(part), is_negated(part) != called_false
        mine = frozenset(prose.stems)
        near = [(each, _shared(mine, each)) for each in given.statements_near(comment.line)]
        most = max((shared for _, shared in near), default=0.0)
        parts = read_clauses(part)
        against = (
            each
            for each, shared in near
            if _denies(parts, each, called_false)
            or (max(OPPOSED, most) <= shared and _opposes(part, mine, each))
        )
        affirms = (each for each, shared in near if shared >= CLOSE)
        changed, doubtful = _changes_to_reference(near, part, tuple(stems(words(part))), given)
        yield _Draft(
            CommentClaim(at, part, prose), comment, denied, tuple(against), tuple(affirms), changed, doubtful
        )


def _opposes(part: str, mine: frozenset[str], each: ReferenceSentence) -> bool:
    """Return whether a sentence has the opposite of a word of the statement, except with swapped sides."""
    if not has_opposite(each.stems, mine):
        return False
    crossed = converse_words(each.text, part)
    return has_opposite(each.stems - crossed, mine - crossed)


def _denies_most(drafts: Sequence[_Draft], given: GivenCode) -> bool:
    """Return whether more than half of a sentence denies, other than the references."""
    reference_denials = [any(clause.denies for clause in each.clauses) for each in given.statements]
    usual = sum(reference_denials) <= len(reference_denials) / 2
    return usual and len(drafts) > 1 and sum(each.denied for each in drafts) > len(drafts) / 2


def _changes_to_reference(
    near: Sequence[tuple[ReferenceSentence, float]], text: str, order: Sequence[str], given: GivenCode
) -> tuple[str, bool]:
    """Return what a near copy changes in the most similar reference, and whether it may mean something
    else."""
    best, shared = max(near, key=lambda each: each[1], default=(None, 0.0))
    if best is None or shared < NEAR or best.text == text:
        return "", False
    changed = contradiction(best.text, text, (best.order, order), given.stems_of_code)
    doubtful = is_doubtful(best.order, order) and not converse_words(best.text, text)
    return (f"{changed} than the reference {best.text!r}" if changed else ""), doubtful


def _denies(parts: Sequence[Clause], each: ReferenceSentence, called_false: bool) -> bool:
    """Return whether a clause has the words of a statement's clause, and one of the two denies."""
    return any(
        len(clause.stems) > 1
        and len(part.stems & clause.stems) >= SAME * len(clause.stems)
        and (part.denies != called_false) != clause.denies
        for part in parts
        for clause in each.clauses
    )


def _is_the_reference(draft: _Draft) -> bool:
    """Return whether a sentence has exactly the words of the reference of its line."""
    mine = frozenset(draft.claim.prose.stems)
    return any(each.line == draft.of.line and each.stems == mine for each in draft.affirms)


def _shared(mine: frozenset[str], each: ReferenceSentence) -> float:
    """Return the share of a statement's words in a sentence."""
    return len(mine & each.stems) / len(each.stems)


def _without_names(text: str, given: GivenCode) -> tuple[str, ...]:
    """Return the words of a sentence without names and numbers; or all words if none is left."""
    all_words = words(_BACKTICKS.sub(" ", text))
    prose_words = [word for word in all_words if not word[0].isdigit() and word not in given.words_of_code]
    return tuple(prose_words) or tuple(words(text))


def _untrue(
    draft: _Draft,
    sides: Counter[tuple[frozenset[str], bool]],
    denied: set[ReferenceSentence],
    given: GivenCode,
) -> str:
    mine, line = frozenset(draft.claim.prose.stems), draft.of.line
    if not mine:
        return ""
    if draft.denies:
        return f"denies the reference {draft.denies[0].text!r}"
    if draft.changed:
        return draft.changed
    if sides[mine, not draft.denied] or not denied.isdisjoint(draft.affirms):
        return "contradicts itself"
    if draft.denied and mine <= given.stems_of_line(line) and not given.line_denies(line):
        return "denies its own line"
    return ""


def _worth(draft: _Draft, given: GivenCode) -> float:
    prose, expected_language = draft.claim.prose, given.spec.language
    if expected_language and prose.language and prose.language != expected_language:
        return 0.0
    if draft.doubtful:
        return DOUBTFUL
    if any(len(each.stems & prose.stems.keys()) >= MOSTLY * len(prose.stems) for each in draft.affirms):
        return 1.0
    own = given.stems_of_line(draft.of.line)
    content = [*specific_stems(prose.stems), *(own & prose.stems.keys() & GENERAL)]
    if not content or is_filler_sentence(draft.claim.text) or not _is_prose(draft.claim.text, given):
        return 0.0
    if given.stems_of_code.union(own).issuperset(content):
        return ECHO if draft.of.is_doc or draft.of.line in key_lines(given) else 0.0
    return _share_about_this(content, prose, given)


def _share_about_this(content: Sequence[str], prose: ComparedText, given: GivenCode) -> float:
    """Return the share of a sentence that is about the code; 1 if its topic is unknown.

    Across languages only names and concepts can be compared. A word that means the same as one of the
    references or of the code counts half.
    """
    if not given.statements:
        return 1.0
    topical = [word in given.topic for word in content]
    others = [word for word in content if word not in given.stems_of_code]
    related = [word in others and bool(concepts([word]) & given.concepts) for word in content]
    about = sum(
        max(float(one), REWORDED_WEIGHT * other) for one, other in zip(topical, related, strict=True)
    ) / len(content)
    if about == 0:
        return UNKNOWN if len(content) > 1 else 0.0
    explained = any(related) or not given.stems_of_references.isdisjoint(content)
    return max(UNKNOWN, min(1.0 if explained else NAMES_ONLY_WORTH, about / ENOUGH))


def _is_prose(text: str, given: GivenCode) -> bool:
    """Return whether words are prose: not a row without function words, nor names between commas."""
    if len(_LIST.findall(text)) >= _LISTED:
        return False
    all_words = words(text)
    return len(all_words) <= _PROSE or bool(
        natural_language([w for w in all_words if w not in given.words_of_code])
    )


NEAR = 0.5  # share of a reference's words in a sentence above which a changed number or order counts
COPY = 0.6  # share of the words of both in the other above which any changed word is doubtful

_WITHIN = re.compile(
    r"\b(?:at (?:most|least)|(?:no|not) (?:more|less|fewer|greater|larger|smaller|later|earlier) than"
    r"|or equal|не (?:больше|меньше|более|менее|выше|ниже|позже|раньше)|или рав\w+)\b"
    r"|不超过|不少于|至多|至少|最多|最少|不大于|不小于|[大小]于等于",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:more|less|fewer|greater|larger|smaller|later|earlier) than\b"
    r"|\b(?:больше|меньше|более|менее|выше|ниже|позже|раньше)\b"
    r"|大于|小于|超过|少于",
    re.IGNORECASE,
)
# the text before such a word and the text after it are not interchangeable
_ORDERS = re.compile(
    r"\b(?:before|after|then|than|not|instead of|rather than|followed by|minus|into)\b"
    r"|\b(?:до|после|потом|затем|чем|не|вместо)\b"
    r"|之前|之后|然后|而不是|不是",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|и)\b|并且|以及|和", re.IGNORECASE)
_OR = re.compile(r"\b(?:or|или)\b|或", re.IGNORECASE)
_DEGREES = frozenset(stems(words("more most less least fewer больше меньше более менее")))  # see `_bound`
_PASSIVE = re.compile(r"\bby\b", re.IGNORECASE)


def contradiction(
    wanted: str, said: str, orders: tuple[Sequence[str], Sequence[str]], names: Collection[str]
) -> str:
    """Return what a near copy `said` of a reference `wanted` changes, "" for nothing that rules can find.

    `orders` are the stems of both in order, `names` the stems of names of the code.
    """
    ours, others = orders
    if _numbers_differ(ours, others):
        return "another number"
    if _bound(wanted) * _bound(said) < 0:
        return "another bound"
    if converse_words(wanted, said):
        return ""
    pairs = _replaced(ours, others)
    if any(one in names and other in names and not _means(one, other) for one, other in pairs):
        return "another name"
    if _swapped(pairs, ours, others) or _sides_swapped(wanted, said, orders):
        return "another order" if not _PASSIVE.search(said) else ""
    return "and for or" if _joined_otherwise(wanted, said, orders) else ""


def is_doubtful(ours: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether a near copy has words that mean something else in place of the reference's."""
    shared = len(set(ours) & set(others))
    if min(shared / len(set(ours)), shared / len(set(others))) < COPY:
        return False
    known = GENERAL | _DEGREES
    return any(not _means(one, other) for one, other in _replaced(ours, others) if other not in known)


def _numbers_differ(ours: Sequence[str], others: Sequence[str]) -> bool:
    one, other = ({each for each in order if each[0].isdigit()} for order in (ours, others))
    return bool(one - other and other - one)


def _bound(text: str) -> int:
    """Return 1 for an inclusive bound, -1 for an exclusive one, 0 for none."""
    if _WITHIN.search(text):
        return 1
    return -1 if _BEYOND.search(text) else 0


def _replaced(ours: Sequence[str], others: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words of one text and those in their places in the other."""
    found = SequenceMatcher(None, ours, others, autojunk=False).get_opcodes()
    same_length = [each for each in found if each[0] == "replace" and each[2] - each[1] == each[4] - each[3]]
    return [pair for _, a, b, c, d in same_length for pair in zip(ours[a:b], others[c:d], strict=True)]


def _means(one: str, other: str) -> bool:
    return one == other or not concepts([one]).isdisjoint(concepts([other]))


def _swapped(pairs: Sequence[tuple[str, str]], ours: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two words are in each other's place, or two opposites are swapped."""
    if any(one != other and (other, one) in pairs for one, other in pairs):
        return True
    both = [each for each in dict.fromkeys(ours) if each in others]
    return any(
        exclude_each_other(one, other) and others.index(one) > others.index(other)
        for one, other in combinations(both, 2)
        if abs(ours.index(one) - ours.index(other)) > 1 < abs(others.index(one) - others.index(other))
    )


def _sides_swapped(reference: str, other_text: str, orders: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether the text before a word of order is now after it, and the other way round."""
    one, other = _ORDERS.search(reference), _ORDERS.search(other_text)
    if one is None or other is None or one[0].lower() != other[0].lower():
        return False
    known = set(orders[0]) & set(orders[1])
    before, behind = (_stems_in(part) & known for part in (reference[: one.start()], reference[one.end() :]))
    first, second = (
        _stems_in(part) & known for part in (other_text[: other.start()], other_text[other.end() :])
    )
    return bool(before & second - first and behind & first - second and not behind & second)


def _joined_otherwise(reference: str, other_text: str, orders: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Return whether a sentence of the same words has "or" where the other has "and"."""
    if list(orders[0]) != list(orders[1]):
        return False
    more = len(_AND.findall(reference)) - len(_AND.findall(other_text))
    return more != 0 and more == len(_OR.findall(other_text)) - len(_OR.findall(reference))


def _stems_in(text: str) -> set[str]:
    return set(stems(words(text)))


RETURNS, RAISES = frozenset({"return", "yield"}), frozenset({"raise", "throw", "panic"})
_TURNS = frozenset({"if", "elif", "switch", "select", "for", "while", "do"}) | RETURNS | RAISES


def key_lines(given: GivenCode) -> list[int]:
    """Return lines of the given code that a comment should be about."""
    spec = given.spec
    numbers = spec.key_lines or [each.line for each in spec.annotations]
    if numbers:
        return sorted(set(numbers))
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
