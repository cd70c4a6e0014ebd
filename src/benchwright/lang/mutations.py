"""Small named changes of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from benchwright.lang.answers import Mutant


class TextEdit(NamedTuple):
    """A byte range and its replacement."""

    start: int
    end: int
    text: str


class Edit(NamedTuple):
    """One change in one or several places. `kind` is its name; `line` is that of the changed statement, if
    the text changes from another line on."""

    kind: str
    places: list[TextEdit]
    line: int = 0


def mutants_of(data: bytes, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """Yield the texts after each edit, in the order of their places; names contain kind, line and column."""
    found = [edit for edit in edits if edit.places]
    for kind, places, about in sorted(found, key=lambda edit: (edit.places[0], edit.kind)):
        start = places[0].start
        line = data.count(b"\n", 0, start) + 1
        column = start - (data.rfind(b"\n", 0, start) + 1) + 1
        name = f"{kind}-{line}-{column}"
        yield Mutant(name=name, kind=kind, code=_applied(data, places), line=about or line)


def numbered(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Yield the mutants, with a number appended to each name that is already taken."""
    names = Counter[str]()
    for each in mutants:
        names[each.name] += 1
        number = names[each.name]
        yield each if number == 1 else msgspec.structs.replace(each, name=f"{each.name}-{number}")


def _applied(data: bytes, places: list[TextEdit]) -> str:
    parts, at = [], 0
    for start, end, text in sorted(places):
        touches = start > 0 and data[start - 1 : start].isalnum() and text[:1].isalnum()
        parts += [data[at:start], b" " if touches else b"", text.encode()]
        at = end
    return b"".join([*parts, data[at:]]).decode()


# an operator's negation, its neighbour at the boundary, its arithmetic opposite
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
NEGATED |= {"===": "!==", "!==": "==="}  # JavaScript
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "//": "*", "**": "*", "<<": ">>", ">>": "<<"}
