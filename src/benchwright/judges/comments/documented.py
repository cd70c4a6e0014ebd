"""What of a function is to be documented, and whether a comment does it."""

from __future__ import annotations

import re

from benchwright.judges.comments.added import AddedComment, AnsweredCode
from benchwright.lang.commented import Declared
from benchwright.text.words import stems, words

_WORD = re.compile(r"\w+")
_RETURNING = frozenset(stems(words("return yield give result возвращает результат выдает")))
_OWNERS = frozenset({"self", "this", "cls"})


def to_document(declared: Declared) -> list[str]:
    """Return the parts of a function that need documentation, as messages name them."""
    names = [each.name for each in declared.parameters if each.name]
    return [*names, *(["the returned value"] if declared.returns else []), *declared.raises]


def undocumented(function: Declared, by: AddedComment | None, answered: AnsweredCode) -> list[str]:
    """Return the parts of a function that no comment documents: parameters, return value, exceptions."""
    has_places = len(answered.given.styles) == 1
    if by is not None and by.doc is not None and (has_places or not by.doc.is_prose):
        parameters = {head(each.name) for each in by.doc.parameters}
        returned, raised = bool(by.doc.returns), {_last(each.name) for each in by.doc.raises}
    else:
        comments = [by] if by is not None else answered.added
        parameters = raised = {word for each in comments for word in _WORD.findall(each.text)}
        returned = any(map(_says_returned, comments))
    return [
        *(each.name for each in function.parameters if each.name and each.name not in parameters),
        *(["the returned value"] if function.returns and not returned else []),
        *(name for name in function.raises if _last(name) not in raised),
    ]


def documents_returned(each: AddedComment) -> bool:
    """Return whether a documentation comment describes the return value, in its section or in prose."""
    doc = each.doc
    return doc is not None and (bool(doc.returns) or (doc.is_prose and _says_returned(each)))


def _says_returned(each: AddedComment) -> bool:
    return not _RETURNING.isdisjoint(each.saying.stems)


def is_parameter(name: str, declared: Declared, answered: AnsweredCode) -> bool:
    """Return whether a documented name is the parameter; any name fits a destructuring one."""
    if declared.kind == "class":
        return name in answered.given.names
    return name in _OWNERS or any(each.name in ("", name) for each in declared.parameters)


def head(name: str) -> str:
    """Return the parameter of a documented name: `options` for `options.size` and `options[0]`."""
    return name.partition(".")[0].partition("[")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2]
