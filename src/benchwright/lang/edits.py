"""Changes of a few bytes of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchwright.lang.found import Mutant


class Place(NamedTuple):
    """A range of bytes and what is to stand there."""

    start: int
    end: int
    text: str


class Edit(NamedTuple):
    """One change, which may be in several places. `kind` names it."""

    kind: str
    places: list[Place]


def mutants_of(data: bytes, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """The texts that edits make, in the order of their places; names tell kind, line and column."""
    found = [edit for edit in edits if edit.places]
    for kind, places in sorted(found, key=lambda edit: (edit.places[0], edit.kind)):
        start = places[0].start
        line = data.count(b"\n", 0, start) + 1
        column = start - (data.rfind(b"\n", 0, start) + 1) + 1
        yield Mutant(name=f"{kind}-{line}-{column}", kind=kind, code=_applied(data, places), line=line)


def _applied(data: bytes, places: list[Place]) -> str:
    parts, at = [], 0
    for start, end, text in sorted(places):
        touches = start > 0 and data[start - 1 : start].isalnum() and text[:1].isalnum()
        parts += [data[at:start], b" " if touches else b"", text.encode()]
        at = end
    return b"".join([*parts, data[at:]]).decode()


# What an operator becomes: its negation, its neighbour at the boundary, its opposite in arithmetic.
NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "//": "*", "**": "*", "<<": ">>", ">>": "<<"}
