"""Statements of an answer that the code or the references show to be untrue."""

from __future__ import annotations

import re
from decimal import Decimal

from benchwright.judges.comments.added import AddedComment, AnsweredCode
from benchwright.judges.comments.given import GivenCode
from benchwright.judges.comments.mentions import mentions
from benchwright.lang.commented import Declared
from benchwright.lang.docstyles.documentation import Documented

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
    there = [each for each in tokens if _NUMBER.fullmatch(each)]
    if about.doc is not None or len(numbers) != 1 or len(there) != 1 or numbers[0] in given.words_of_code:
        return ""
    if numbers[0] in given.names_in_references or there[0] in _SMALL:
        return ""
    one, other = Decimal(numbers[0]), Decimal(there[0])
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


def _means_a_value(part: Documented) -> bool:
    return _NOTHING.match(f"{part.type} {part.text}".strip()) is None


def _throws(name: str, declared: Declared, answered: AnsweredCode) -> bool:
    last = name.rpartition(".")[2]
    return last in {each.rpartition(".")[2] for each in declared.raises} or answered.given.has(last)
