"""Statements of an answer that the code or the references show to be untrue."""

from __future__ import annotations

import re

from benchwright.judges.comments.added import AddedComment, AnsweredCode
from benchwright.judges.comments.mentions import mentions
from benchwright.lang.commented import Declared
from benchwright.lang.docstyles.documentation import Documented

_NOTHING = re.compile(
    r"(?:nothing|none|void|undefined|no value|null|ничего|нет|无|没有|空)?[.\s]*$"
    r"|(?:a |an )?(?:promise|iterator|generator)",
    re.IGNORECASE,
)


def untruths(answered: AnsweredCode) -> dict[tuple[str, str], str]:
    """Each with what is wrong with it, by its text: denials, absent names, phantom documentation."""
    given = answered.given
    found = {
        ("claim", f"{claim.comment} {claim.text}"): claim.untrue for claim in answered.claims if claim.untrue
    }
    for claim in answered.claims:
        absent = [name for name in mentions(claim.text) if not given.has(name)]
        if absent and not claim.untrue:
            found["claim", f"{claim.comment} {claim.text}"] = f"{absent[0]} is not in the code"
    for each in answered.added:
        found |= {("documented", what): why for what, why in _phantoms(each, answered)}
    return found


def _phantoms(each: AddedComment, answered: AnsweredCode) -> list[tuple[str, str]]:
    """Exceptions that nothing throws and values that nothing returns, in their place of a documentation."""
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
