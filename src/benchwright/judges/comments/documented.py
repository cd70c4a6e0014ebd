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
    """What a function has that is to be documented, as it is called in a message."""
    names = [each.name for each in declared.parameters if each.name]
    return [*names, *(["the returned value"] if declared.returns else []), *declared.raises]


def undocumented(function: Declared, by: AddedComment | None, answered: AnsweredCode) -> list[str]:
    """What of a function no comment documents: its parameters, what it returns, what it raises."""
    has_places = len(answered.given.styles) == 1
    if by is not None and by.doc is not None and (has_places or not by.doc.is_prose):
        parameters = {head(each.name) for each in by.doc.parameters}
        returned, raised = bool(by.doc.returns), {_last(each.name) for each in by.doc.raises}
    else:
        said = [by] if by is not None else answered.added
        parameters = raised = {word for each in said for word in _WORD.findall(each.text)}
        returned = any(map(_says_returned, said))
    return [
        *(each.name for each in function.parameters if each.name and each.name not in parameters),
        *(["the returned value"] if function.returns and not returned else []),
        *(name for name in function.raises if _last(name) not in raised),
    ]


def documents_returned(each: AddedComment) -> bool:
    """Whether a documentation comment says what is returned, in its place or in prose."""
    doc = each.doc
    return doc is not None and (bool(doc.returns) or (doc.is_prose and _says_returned(each)))


def _says_returned(each: AddedComment) -> bool:
    return not _RETURNING.isdisjoint(each.saying.stems)


def is_parameter(name: str, declared: Declared, answered: AnsweredCode) -> bool:
    """One that takes a value apart has no name of its own, so that any will do."""
    if declared.kind == "class":
        return name in answered.given.names
    return name in _OWNERS or any(each.name in ("", name) for each in declared.parameters)


def head(name: str) -> str:
    """The parameter that a documented name is of: `options` of `options.size` and of `options[0]`."""
    return name.partition(".")[0].partition("[")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2]
